"""
The logs of pods: which there are, fetched line by line, and what is missing of them.

The node keeps the current file of a container's log and, after a restart, that of the
container before. What was rotated away (by default after 10 MiB), or went with the
container, nobody has: the log then begins late, or the server has a sentence instead.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from firstlight.capture.log_redaction import LogRedaction, in_blocks
from firstlight.capture.ports import BundleFolder, Cluster, Progress, Refusal
from firstlight.capture.redaction import Redaction
from firstlight.capture.rights import FORBIDDEN, NOT_FOUND, NotAllowed, not_allowed
from firstlight.capture.stamps import length, line_ns
from firstlight.core.moments import stamp_ns
from firstlight.core.objects import Object, name, spec, status
from firstlight.core.records import BUNDLE
from firstlight.core.units import NS_PER_S

_LATE_NS = 120 * NS_PER_S
"""An engine that imports from a slow disk may be silent for a minute; this is twice that."""
_INSTEAD_OF_A_LOG = (b"unable to retrieve container logs", b"failed to try resolving symlinks")
_LISTS = ("initContainers", "containers", "ephemeralContainers")
_STATUSES = ("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """One log to ask for."""

    pod: str
    container: str
    previous: bool
    status: Mapping[str, Any]
    """The container's, as the API has it; empty where it has none yet."""

    @property
    def file(self) -> str:
        return f"logs/{self.pod}/{self.container}{'.previous' if self.previous else ''}.log"

    def __str__(self) -> str:
        return f"{'previous ' if self.previous else ''}log of {self.container} in {self.pod}"


@dataclass(slots=True, kw_only=True)
class Logs:
    """What became of the logs."""

    kept: list[dict[str, Any]] = field(default_factory=list)
    """As bundle.json has them."""
    refused: list[NotAllowed] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def wanted(pods: Iterable[Object]) -> list[Wanted]:
    """Every log that the pods' statuses say there is."""
    logs = []
    for pod in pods:
        statuses = {s.get("name"): s for key in _STATUSES for s in status(pod).get(key) or []}
        for container in (c for key in _LISTS for c in spec(pod).get(key) or []):
            of = statuses.get(container.get("name")) or {}
            before = [True] if of.get("restartCount") or _last(of) else []
            logs += [
                Wanted(
                    pod=name(pod),
                    container=str(container.get("name", "")),
                    previous=previous,
                    status=of,
                )
                for previous in [False, *before]
            ]
    return logs


def fetch_logs(
    cluster: Cluster,
    pods: Iterable[Object],
    folder: BundleFolder,
    redaction: Redaction,
    *,
    most_bytes: int | None,
    progress: Progress,
) -> Logs:
    """
    Fetch, redact and write each log.

    Raises:
        OutsideFailed: the cluster is gone, or the disk is full.
    """
    logs = Logs()
    for one in wanted(pods):
        if not one.previous and _never_ran(one.status):
            logs.notes.append(f"{one.container} in {one.pod} has not started: it has no log")
            continue
        progress(f"reading the {one}")
        answer = cluster.log(cluster.namespace, one.pod, one.container, previous=one.previous)
        if not isinstance(answer, Iterable):
            if answer.status == FORBIDDEN:
                logs.refused.append(not_allowed(answer))
                break
            logs.notes.append(_why_none(one, answer))
            continue
        lines = iter(answer)
        first = next(lines, b"")
        if not first or first.startswith(_INSTEAD_OF_A_LOG):
            said = first.decode(errors="replace").strip() or answer.problem
            what = f"the node no longer has it ({said})" if said else "it is empty"
            logs.notes.append(redaction.text(f"no {one}: {what}", where=f"{BUNDLE.file}: notes"))
            continue
        kept = _Kept(chain([first], lines), most_bytes=most_bytes)
        cleaning = LogRedaction(redaction.known)
        folder.write_lines(one.file, cleaning.clean(in_blocks(kept)))
        redaction.count(cleaning.removed, where=one.file)
        notes = [*_incomplete(one, kept, answer.problem), *_begins_late(one, first)]
        logs.notes += notes
        logs.kept.append(
            {
                "file": one.file,
                "pod": one.pod,
                "container": one.container,
                "previous": one.previous,
                "lines": kept.lines,
                "bytes": kept.bytes,
                "complete": not notes,
            }
        )
    return logs


class _Kept:
    """Lines up to a size, counted as they pass."""

    def __init__(self, lines: Iterable[bytes], *, most_bytes: int | None) -> None:
        self.lines = 0
        self.bytes = 0
        self.cut = False
        self._lines = lines
        self._most_bytes = most_bytes

    def __iter__(self) -> Iterator[bytes]:
        for line in self._lines:
            if self._most_bytes is not None and self.bytes + len(line) > self._most_bytes:
                self.cut = True
                return
            self.lines += 1
            self.bytes += len(line)
            yield line


def _incomplete(one: Wanted, kept: _Kept, problem: str | None) -> Iterator[str]:
    if kept.cut:
        yield f"the {one} was cut after {kept.lines} lines, at the size that was asked for"
    if problem is not None:
        yield f"the {one} ends after {kept.lines} lines: {problem}"


def _begins_late(one: Wanted, first: bytes) -> Iterator[str]:
    began_ns = line_ns(first)
    run = _last(one.status) if one.previous else _run(one.status)
    started_ns = stamp_ns(run.get("startedAt"))
    if began_ns is not None and started_ns is not None and began_ns - started_ns > _LATE_NS:
        yield (
            f"the {one} begins {length(began_ns - started_ns)} after its container started: what "
            "came before was rotated away, or never printed (the kubelet keeps "
            "containerLogMaxSize, 10Mi unless set)"
        )


def _why_none(one: Wanted, refusal: Refusal) -> str:
    if refusal.status == NOT_FOUND:
        return f"no {one}: the pod was gone before it could be read"
    if one.previous and "not found" in refusal.words:
        return f"no {one}: the node keeps only the last one, and it is gone"
    return f"no {one}: {refusal.words}"


def _never_ran(container: Mapping[str, Any]) -> bool:
    waits = not container or "waiting" in (container.get("state") or {})
    return waits and not container.get("containerID") and not _last(container)


def _run(container: Mapping[str, Any]) -> Mapping[str, Any]:
    state = container.get("state") or {}
    return state.get("running") or state.get("terminated") or {}


def _last(container: Mapping[str, Any]) -> Mapping[str, Any]:
    return (container.get("lastState") or {}).get("terminated") or {}

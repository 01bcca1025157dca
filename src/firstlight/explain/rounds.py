"""
Explain a start that `measure` made happen.

Beside the log there are the marks of whoever watched (the process's start, the
first answer), the probes' files, and the cache folders before and after. All of
them lie on one axis: monotonic time, moved onto the wall clock once.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from firstlight.core.cache_places import holds_compiled
from firstlight.core.evidence import Evidence
from firstlight.core.findings import Finding
from firstlight.core.fingerprints import Fingerprint
from firstlight.core.marks import Mark
from firstlight.core.signs import Sign, Signs
from firstlight.core.starts import Failure, Start
from firstlight.explain.build import Seen, build_start
from firstlight.explain.cache_verdict import CacheWitness
from firstlight.explain.counted import counted
from firstlight.explain.group import Group
from firstlight.explain.probe_signs import probe_signs
from firstlight.readers.probe_events import ProbeEvents, read_probe, read_witnesses
from firstlight.readers.vllm_log import read_log


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundArtefacts:
    """What one round left behind."""

    log_name: str
    log: Iterable[bytes]
    marks: tuple[Mark, ...]
    """In Unix nanoseconds."""
    record_name: str
    """The file that says what went wrong, if anything did."""
    offset_ns: int
    """What to add to a monotonic moment to get a Unix one."""
    probe_files: Mapping[str, bytes] = field(default_factory=dict)
    cache_before: Mapping[str, frozenset[str]] | None = None
    """Paths by cache folder; None where nobody listed them."""
    cache_after: Mapping[str, frozenset[str]] | None = None
    listing_name: str = ""
    published: Evidence | None = None
    """That a published cache had been pulled to these folders; None where none was."""
    problem: str | None = None
    """What went wrong, in one sentence; None where nothing did."""
    remedy: str | None = None
    scenario: str | None = None
    fingerprint: Fingerprint = field(default_factory=Fingerprint)
    """What the record tells beside the log."""
    parts: bool = True
    """Whether to name the parts of each phase, and to quote what nothing explains. All else is
    the same without, and told in a tenth of the time."""


def explain_round(round_: RoundArtefacts, *, link_gbps: float | None = None) -> Start:
    """The start that the round recorded, also where it failed or said nothing."""
    log = read_log(round_.log_name, round_.log)
    group = Group(
        artefact=round_.log_name,
        service="",
        observations=list(log.observations),
        silences=list(log.silences),
    )
    read = read_probe if round_.parts else read_witnesses
    events = read(round_.probe_files, offset_ns=round_.offset_ns)
    seen = Seen(
        marks=round_.marks,
        activities=events.activities,
        parts=round_.parts,
        witness=_witness(round_, events),
        failure=_failure(round_),
        findings=_findings(round_),
        scenario=round_.scenario,
        signs={**probe_signs(events.processes), **_restored(round_)},
        link_gbps=link_gbps,
        fingerprint=round_.fingerprint,
    )
    return build_start(group, seen)


def _restored(round_: RoundArtefacts) -> Signs:
    return {Sign.CACHE_RESTORED: (round_.published,)} if round_.published else {}


def _failure(round_: RoundArtefacts) -> Failure | None:
    if round_.problem is None:
        return None
    evidence = Evidence(artefact=round_.record_name, text=round_.problem)
    return Failure(kind="engine_failed", message=round_.problem, evidence=(evidence,))


def _findings(round_: RoundArtefacts) -> tuple[Finding, ...]:
    if round_.problem is None or round_.remedy is None:
        return ()
    return (
        Finding(
            code="engine-failed",
            where=round_.record_name,
            what=round_.problem,
            remedy=round_.remedy,
        ),
    )


def _witness(round_: RoundArtefacts, events: ProbeEvents) -> CacheWitness:
    """What the probe counted and what is new in the folders."""
    new_files, listing = _new_files(round_)
    return replace(counted(events.counters), new_files=new_files, listing_evidence=listing)


def _new_files(round_: RoundArtefacts) -> tuple[int | None, Evidence | None]:
    """Files that appeared in the caches and hold something compiled."""
    before, after = round_.cache_before, round_.cache_after
    # A start that did not come up may not have got as far as its caches: nothing new says
    # nothing then.
    if before is None or after is None or round_.problem is not None:
        return None, None
    new = [
        f"{root}/{path}"
        for root, paths in after.items()
        for path in sorted(paths - before.get(root, frozenset()))
        if holds_compiled(path)
    ]
    # Where nothing compiled lay before and nothing was written, nothing was looked up either:
    # that is no hit.
    if not new and not any(holds_compiled(p) for paths in before.values() for p in paths):
        return None, None
    shown = ", ".join(new[:3]) or "nothing"
    text = f"new since the start: {shown}" + (f" and {len(new) - 3} more" if len(new) > 3 else "")  # noqa: PLR2004
    return len(new), Evidence(artefact=round_.listing_name, text=text)

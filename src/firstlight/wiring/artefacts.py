"""
Artefacts told apart by what is in them.

A folder of a bundle, a tar archive, a handful of files: each is opened once, and its
first bytes say whether it is a probe's record, tells of a cluster, or is a log. A file
may be two of these: people paste events and log lines below each other.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import PurePosixPath

from firstlight.core.errors import BadInput
from firstlight.core.records import BUNDLE, MEASURED
from firstlight.edges.input_files import InputFile
from firstlight.readers.bundle import BundleNotes, read_bundle_notes
from firstlight.readers.kube.model import ClusterSeen
from firstlight.readers.kube.reading import join, looks_like_cluster, read_mixed
from firstlight.readers.measured import Measured, read_measured
from firstlight.readers.probe_anchor import looks_like_probe
from firstlight.readers.storage_log import Download, looks_like_storage_log, read_storage_log
from firstlight.readers.vllm_log import Log, read_log

_HEAD_BYTES = 64 * 1024
_LARGEST_CLUSTER_BYTES = 512 * 1024 * 1024


@dataclass(slots=True, kw_only=True)
class Artefacts:
    """Everything that was read, by its kind."""

    logs: list[Log] = field(default_factory=list)
    clusters: list[ClusterSeen] = field(default_factory=list)
    probes: dict[str, bytes] = field(default_factory=dict)
    """The probe's files by their name."""
    downloads: list[Download] = field(default_factory=list)
    """What initContainers fetched."""
    notes: BundleNotes | None = None
    """What a bundle says about itself."""
    measured: Measured | None = None
    """What `measure` saw of the bundle's start."""

    @property
    def cluster(self) -> ClusterSeen:
        return join(self.clusters)


def read_artefacts(files: Sequence[InputFile], *, captured_ns: int | None = None) -> Artefacts:
    """Read each file once, whatever it is.

    Args:
        files: what was given.
        captured_ns: when tables with ages in them were made; a bundle says it itself.

    Raises:
        BadInput: a file cannot be read, or is damaged.
    """
    found = Artefacts()
    for file in sorted(files, key=lambda f: not f.name.endswith(BUNDLE.file)):
        _read(found, file, captured_ns, alone=len(files) == 1)
    order = {file.name: number for number, file in enumerate(files)}
    found.logs.sort(key=lambda log: order[log.artefact])
    return found


def heaps(found: Mapping[str, Sequence[InputFile]]) -> list[list[InputFile]]:
    """What was named in one call, parted into what may belong together.

    Files that are named side by side do, also beside a folder. Of several folders, or archives,
    each is a start's or several: clusters use the names of nodes and pods again.

    Args:
        found: the files of each argument.
    """
    single = {given for given, files in found.items() if [file.name for file in files] == [given]}
    several = [given for given in found if given not in single]
    if len(several) < 2:  # noqa: PLR2004 - one folder is no "several"
        return [[file for files in found.values() for file in files]]
    side_by_side = [file for given in found if given in single for file in found[given]]
    return [*(list(found[given]) for given in several), side_by_side]


def units(files: Sequence[InputFile]) -> list[list[InputFile]]:
    """The files that belong together: each bundle is one start's, the rest is one heap.

    A folder with several rounds of `measure` holds several bundles, each with its own pods and
    its own notes.
    """
    roots = {
        file.name.removesuffix(name)
        for name in (BUNDLE.file, MEASURED.file)
        for file in files
        if PurePosixPath(file.name).name == name
    }
    heaps: dict[str, list[InputFile]] = {}
    for file in files:
        root = max((r for r in roots if file.name.startswith(r)), key=len, default="")
        heaps.setdefault(root, []).append(file)
    return list(heaps.values())


def _read(found: Artefacts, file: InputFile, captured_ns: int | None, *, alone: bool) -> None:
    chunks = iter(file.chunks(allow_empty=not alone))
    head = b""
    for chunk in chunks:
        head += chunk
        if len(head) >= _HEAD_BYTES:
            break
    if looks_like_probe(head):
        found.probes[file.name] = _whole(file, head, chunks)
        return
    name = PurePosixPath(file.name).name
    if name in (BUNDLE.file, MEASURED.file):
        head, chunks = _whole(file, head, chunks), iter(())
        if notes := read_bundle_notes(head):
            found.notes = notes
            return
        if measured := read_measured(head):
            found.measured = measured
            return
    if looks_like_storage_log(head):
        download = read_storage_log(file.name, _whole(file, head, chunks))
        found.downloads += [download] if download else []
        return
    if not looks_like_cluster(head[:_HEAD_BYTES]):
        found.logs.append(read_log(file.name, chain([head], chunks)))
        return
    data = _whole(file, head, chunks)
    if captured_ns is None and found.notes:
        captured_ns = found.notes.captured_ns
    seen, rest = read_mixed(file.name, data, captured_ns=captured_ns)
    log = read_log(file.name, [rest.encode("utf-8", "replace")])
    if not seen.is_empty:
        found.clusters.append(seen)
    if log.observations or seen.is_empty:
        found.logs.append(log)


def _whole(file: InputFile, head: bytes, chunks: Iterable[bytes]) -> bytes:
    parts, size = [head], len(head)
    for chunk in chunks:
        parts.append(chunk)
        size += len(chunk)
        if size > _LARGEST_CLUSTER_BYTES:
            raise BadInput(
                f"{file.name} holds over {_LARGEST_CLUSTER_BYTES >> 20} MiB and is no engine's log",
                remedy="give the objects of one namespace: `kubectl get pods,events -n NS -o json`",
            )
    return b"".join(parts)

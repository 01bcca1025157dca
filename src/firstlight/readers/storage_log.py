"""
The log of an initContainer that fetched the weights.
"""

from dataclasses import dataclass

from firstlight.core.evidence import Evidence
from firstlight.core.marks import Clock
from firstlight.readers.kube.model import Stamp
from firstlight.readers.kube.storage_initializer import storage_download
from firstlight.readers.log_line import read_line

_WORDS = b"Copying contents of"


@dataclass(frozen=True, slots=True, kw_only=True)
class Download:
    """Weights fetched before the engine's container existed."""

    artefact: str
    source: str
    """`s3://bucket/path`."""
    begins: Stamp | None = None
    ends: Stamp | None = None
    printed_s: str | None = None
    evidence: Evidence
    """The line that says it is done, or else the one that says it begins."""


def looks_like_storage_log(head: bytes) -> bool:
    """Whether a log's beginning is that of a storage initializer."""
    return _WORDS in head


def read_storage_log(artefact: str, data: bytes) -> Download | None:
    """The download that the log tells about; None if it tells of none."""
    begins = ends = printed = evidence = None
    source = ""
    for number, raw in enumerate(data.decode("utf-8", "replace").split("\n"), start=1):
        said = storage_download(raw) or storage_download(read_line(number, raw).text)
        if said is None:
            continue
        line = read_line(number, raw)
        evidence = line.quoted(artefact)
        source = said.source or source
        printed = said.seconds or printed
        stamp = None
        if line.outer_ns is not None:
            stamp = Stamp(
                at_ns=line.outer_ns,
                resolution_ns=line.outer_resolution_ns,
                clock=Clock.NODE,
                evidence=evidence,
            )
        if said.begins and begins is None:
            begins = stamp
        if said.ends:
            ends = stamp
    if evidence is None:
        return None
    return Download(
        artefact=artefact,
        source=source,
        begins=begins,
        ends=ends,
        printed_s=printed,
        evidence=evidence,
    )

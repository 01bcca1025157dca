"""
Weights that an initContainer fetched, laid into its stretch or told alone.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from firstlight.core.activities import Activity, between
from firstlight.core.attribution import PhaseWindow, attribute
from firstlight.core.marks import MarkKind
from firstlight.core.phases import Phase
from firstlight.core.starts import Fact, Start
from firstlight.explain.pod.log_paths import log_place
from firstlight.explain.pod.story import PodStory
from firstlight.explain.pod.timing import mark
from firstlight.explain.without_engine import start_without_engine
from firstlight.readers.kube.model import ContainerKind
from firstlight.readers.storage_log import Download

if TYPE_CHECKING:
    from firstlight.core.timeline import Span


def fetched_by(story: PodStory, download: Download) -> str | None:
    """The initContainer of the pod that fetched it: by the log's path, or as the only one."""
    pod = story.subject.pod
    names = [c.name for c in pod.containers if c.kind is ContainerKind.INIT]
    told = log_place(download.artefact)
    if told is not None:
        return told.container if told.pod == pod.name and told.container in names else None
    return names[0] if len(names) == 1 else None


def with_downloads(story: PodStory, downloads: Iterable[Download]) -> PodStory:
    """The story with the downloads of its initContainers as parts of them."""
    added: list[Activity] = []
    for download in downloads:
        container = fetched_by(story, download)
        activity = _activity(download, container) if container else None
        added += [activity] if activity else []
    return replace(story, activities=(*story.activities, *added)) if added else story


def download_start(download: Download) -> Start:
    """A download of which no pod is known."""
    activity = _activity(download, "storage-initializer")
    spans: tuple[Span, ...] = ()
    if activity is not None and download.begins and download.ends:
        window = PhaseWindow(
            phase=Phase.INIT_CONTAINERS,
            begins=mark(MarkKind.CONTAINER_STARTED, download.begins),
            ends=mark(MarkKind.CONTAINER_ENDED, download.ends),
        )
        spans = attribute(
            start_ns=activity.start_ns,
            end_ns=activity.end_ns,
            windows=[window],
            activities=[activity],
        ).spans
    facts: dict[str, tuple[Fact, ...]] = {}
    if download.printed_s is not None:
        facts["download_s"] = (Fact(printed=download.printed_s, evidence=download.evidence),)
    return start_without_engine(
        download.artefact, phases=spans, activities=(activity,) if activity else (), facts=facts
    )


def _activity(download: Download, container: str) -> Activity | None:
    if download.begins is None or download.ends is None:
        return None
    begins = mark(MarkKind.CONTAINER_STARTED, download.begins)
    ends = mark(MarkKind.CONTAINER_ENDED, download.ends)
    return next(
        iter(between(begins, ends, container, f"download {download.source}", depth=1)), None
    )

"""
Weights that an initContainer fetched, laid into its stretch or told alone.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from firstlight.core.activities import Activity
from firstlight.core.attribution import PhaseWindow, attribute
from firstlight.core.marks import MarkKind
from firstlight.core.phases import Phase
from firstlight.core.starts import (
    FACT_NAMES,
    CacheVerdict,
    CompileCache,
    Fact,
    Outcome,
    Start,
)
from firstlight.explain.pod.story import PodStory
from firstlight.explain.pod.timing import mark
from firstlight.readers.kube.model import ContainerKind
from firstlight.readers.storage_log import Download

if TYPE_CHECKING:
    from firstlight.core.timeline import Span


def fetched_by(story: PodStory, download: Download) -> str | None:
    """The initContainer of the pod that fetched it: by the log's path, or as the only one."""
    pod = story.subject.pod
    names = [c.name for c in pod.containers if c.kind is ContainerKind.INIT]
    named = [n for n in names if pod.name in download.artefact and n in download.artefact]
    return next(iter(named or (names if len(names) == 1 else [])), None)


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
    facts: dict[str, tuple[Fact, ...]] = dict.fromkeys(FACT_NAMES, ())
    if download.printed_s is not None:
        facts["download_s"] = (Fact(printed=download.printed_s, evidence=download.evidence),)
    return Start(
        source=download.artefact,
        engine=None,
        engine_version=None,
        outcome=Outcome.INCOMPLETE,
        failure=None,
        scenario=None,
        total=None,
        phases=spans,
        facts=facts,
        sleeps=(),
        compile_cache=CompileCache(
            verdict=CacheVerdict.UNKNOWN, reason="no engine's log is here", proof="none"
        ),
        activities=(activity,) if activity else (),
    )


def _activity(download: Download, container: str) -> Activity | None:
    begins, ends = download.begins, download.ends
    if begins is None or ends is None or ends.at_ns <= begins.at_ns:
        return None
    return Activity(
        path=(container, f"download {download.source}"),
        depth=1,
        start_ns=begins.at_ns,
        end_ns=ends.at_ns,
        uncertainty_ns=begins.resolution_ns + ends.resolution_ns,
        evidence=(begins.evidence, ends.evidence),
    )

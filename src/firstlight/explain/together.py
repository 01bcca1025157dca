"""
Cluster objects and logs, explained together.

Every pod that runs an engine is a start, or several where its container was
restarted; what its objects tell lies around what its log tells. Logs that belong to no
pod are explained alone, and nodes that no pod waited for are told by themselves.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from firstlight.core.evidence import Evidence
from firstlight.core.findings import Finding
from firstlight.core.fingerprints import Fingerprint
from firstlight.core.starts import Start
from firstlight.explain.build import Seen, build_start
from firstlight.explain.claims import claim_start
from firstlight.explain.counted import counted
from firstlight.explain.downloads import download_start, fetched_by, with_downloads
from firstlight.explain.group import Group
from firstlight.explain.pod.fingerprint import pod_fingerprint
from firstlight.explain.pod.log_paths import LogPlace, is_in_folder_of, log_place, names_pod
from firstlight.explain.pod.runs import ContainerRun, runs_of, share_out
from firstlight.explain.pod.signs import pod_signs
from firstlight.explain.pod.story import PodStory
from firstlight.explain.pod.subject import Sorted, Subject, subject
from firstlight.explain.probe_signs import probe_signs
from firstlight.explain.signs import merged
from firstlight.explain.splitting import split
from firstlight.readers.bundle import BundleNotes
from firstlight.readers.kube.engine_container import engine_container, mentions_vllm
from firstlight.readers.kube.model import (
    ClusterSeen,
    Container,
    ContainerKind,
    Event,
    NodeClaim,
    Pod,
)
from firstlight.readers.measured import Measured
from firstlight.readers.probe_anchor import unix_offset_ns
from firstlight.readers.probe_events import ProbeEvents, read_probe
from firstlight.readers.storage_log import Download
from firstlight.readers.vllm_log import Log


@dataclass(frozen=True, slots=True, kw_only=True)
class Together:
    """What lies side by side in a bundle, a folder, or on a command line."""

    cluster: ClusterSeen
    logs: Sequence[Log]
    probes: Mapping[str, bytes] = field(default_factory=dict)
    """The probe's files by their path, which holds the name of the pod."""
    downloads: Sequence[Download] = ()
    """What initContainers fetched, by their logs."""
    notes: BundleNotes | None = None
    measured: Measured | None = None
    link_gbps: float | None = None


def explain_together(given: Together) -> list[Start]:
    """Every start that the artefacts tell about, those of pods first."""
    groups = _told_once([group for log in given.logs for group in split(log)])
    last_words = {log.artefact: log.last.quoted(log.artefact) for log in given.logs if log.last}
    wanted = given.measured.pod if given.measured else None
    runs = [run for s in _subjects(given, groups, wanted) for run in runs_of(s)]
    mine, nobodys = share_out(runs, groups)
    starts: list[Start] = []
    stories: list[PodStory] = []
    for number, run in enumerate(runs):
        group = mine.get(number) or _silent(run)
        story = run.tell(_last_words(run, group, last_words))
        story = with_downloads(story, given.downloads)
        stories.append(story)
        starts.append(build_start(group, _seen(story, given, last_words)))
    downloads = [d for d in given.downloads if not any(fetched_by(s, d) for s in stories)]
    starts.extend(download_start(d) for d in downloads)
    alone = Seen(link_gbps=given.link_gbps)
    starts.extend(build_start(group, alone) for group in nobodys)
    starts.extend(claim_start(c) for c in given.cluster.node_claims if _is_untold(c, stories))
    return starts


def _is_untold(claim: NodeClaim, stories: Sequence[PodStory]) -> bool:
    """Beside pods, only a node that nobody's start tells of and that is not there yet."""
    if any(claim.name == s.placement.node_claim for s in stories):
        return False
    return not stories or claim.initialized is None


def _told_once(groups: Sequence[Group]) -> list[Group]:
    """Without what stands in two logs: in back-off, kubectl gives the last run's for both."""
    kept: dict[tuple[str, ...], Group] = {}
    for group in groups:
        kept.setdefault(tuple(o.line.text for o in group.observations), group)
    return list(kept.values())


def _seen(story: PodStory, given: Together, last_words: Mapping[str, Evidence]) -> Seen:
    events = _probed(story, given.probes)
    measured = given.measured
    if measured is not None and measured.pod != story.subject.pod.name:
        measured = None
    about_pod = pod_fingerprint(story.subject, story.placement)
    probed = Fingerprint(values={"probe": "on"} if events.processes else {})
    return Seen(
        pod=story,
        fingerprint=about_pod.completed_by(probed),
        activities=events.activities,
        measured=measured,
        witness=counted(events.counters),
        findings=_missing(story, given.notes),
        scenario=measured.scenario if measured else None,
        notes=_notes(story, measured, given.notes),
        signs=merged([probe_signs(events.processes), pod_signs(story, last_words)]),
        link_gbps=given.link_gbps,
    )


def _probed(story: PodStory, files: Mapping[str, bytes]) -> ProbeEvents:
    """What the probe saw in this pod, in Unix time; nothing where it was not there."""
    pod = story.subject.pod.name
    mine = {name: data for name, data in files.items() if is_in_folder_of(name, pod)}
    if not mine and not any("/probe/" in name for name in files):
        # Records that somebody fetched by hand, beside the objects of one pod.
        mine = dict(files)
    offset_ns = unix_offset_ns(mine)
    return ProbeEvents() if offset_ns is None else read_probe(mine, offset_ns=offset_ns)


def _notes(
    story: PodStory, measured: Measured | None, notes: BundleNotes | None
) -> tuple[str, ...]:
    """What whoever measured and captured noted about this pod, or about all of it."""
    about_all = notes.notes if notes else ()
    pods = {p.name for p in story.subject.cluster.pods} - {story.subject.pod.name}
    return (
        *(measured.notes if measured else ()),
        *(note for note in about_all if not any(pod in note for pod in pods)),
    )


def _missing(story: PodStory, notes: BundleNotes | None) -> tuple[Finding, ...]:
    """What could not be read from the cluster, and what that hides."""
    return tuple(
        Finding(
            code="not-allowed",
            where=story.subject.place,
            what=f"{refused.what} could not be read: {refused.consequence}",
            remedy="ask for the rights in docs/rbac/capture.yaml, and capture again",
        )
        for refused in (notes.not_allowed if notes else ())
    )


def _last_words(run: ContainerRun, group: Group, known: Mapping[str, Evidence]) -> Evidence | None:
    """The last line of a run that ended: nobody came after it in its log."""
    ended = run.run is not None and run.run.finished is not None
    return known.get(group.artefact) if ended else None


def _silent(run: ContainerRun) -> Group:
    """A container of which no log was given."""
    return Group(artefact=run.subject.place, service="")


def _subjects(given: Together, groups: Iterable[Group], wanted: str | None) -> list[Subject]:
    """The pods whose starts are to be told.

    The one that was measured. Else those that run vLLM by their own words, or whose log was
    given. Where there is none of these, every pod there is: somebody gave it to be explained.
    A pod that is being deleted is left out where others are not.
    """
    cluster = given.cluster
    captured_ns = given.notes.captured_ns if given.notes else None
    pods = list(cluster.pods) or _only_in_events(cluster.events)
    places = [place for g in groups if (place := log_place(g.artefact))]
    with_engine = [(pod, _engine_of(pod, places)) for pod in pods]
    artefacts = {group.artefact for group in groups}
    if wanted:
        chosen = [(pod, c) for pod, c in with_engine if pod.name == wanted]
    else:
        chosen = [
            (pod, c)
            for pod, c in with_engine
            if (c and mentions_vllm(c)) or any(_is_of(name, pod) for name in artefacts)
        ] or with_engine
        chosen = [(pod, c) for pod, c in chosen if pod.deleted is None] or chosen
    events = Sorted(cluster.events)
    found = [subject(pod, c, cluster, events.about, captured_ns) for pod, c in chosen]
    return sorted(found, key=lambda s: (s.pod.created.at_ns if s.pod.created else 0, s.pod.name))


def _engine_of(pod: Pod, places: Sequence[LogPlace]) -> Container | None:
    """The engine's container: the one whose log speaks of vLLM, where a bundle holds it."""
    likely = engine_container(pod)
    spoke = {p.container for p in places if p.pod == pod.name}
    if likely is None or likely.name in spoke:
        return likely
    mains = [c for c in pod.containers if c.kind is ContainerKind.MAIN and c.name in spoke]
    return mains[0] if len(mains) == 1 else likely


def _is_of(artefact: str, pod: Pod) -> bool:
    """Whether the path of a log says that it is this pod's."""
    place = log_place(artefact)
    return place.pod == pod.name if place else names_pod(artefact, pod.name)


def _only_in_events(events: Sequence[Event]) -> list[Pod]:
    """Pods of which only events are left; without names they are taken for one pod."""
    about_pods = [e for e in events if e.kind == "Pod" or _may_be_a_pods(e)]
    named: dict[tuple[str, str], str] = {}
    for event in about_pods:
        if event.name:
            named.setdefault((event.name, event.namespace), event.evidence.artefact)
    # Most rows of a table do not say the namespace; one that does says it for all.
    known = {name for name, namespace in named if namespace}
    pods = [
        Pod(artefact=artefact, namespace=namespace, name=name)
        for (name, namespace), artefact in named.items()
        if namespace or name not in known
    ]
    if pods:
        return pods
    if not about_pods:
        return []
    return [Pod(artefact=about_pods[0].evidence.artefact, name="")]


def _may_be_a_pods(event: Event) -> bool:
    """An event of a table that does not say what it is about, with a reason that pods have."""
    return not event.kind and event.reason in _POD_REASONS


_POD_REASONS = frozenset(
    {
        *("Scheduled", "FailedScheduling", "Nominated", "TriggeredScaleUp", "Pulling", "Pulled"),
        *("Created", "Started", "Unhealthy", "Killing", "BackOff", "Failed", "FailedMount"),
        *("SuccessfulAttachVolume", "SuccessfulCreate", "FailedCreatePodSandBox"),
    }
)

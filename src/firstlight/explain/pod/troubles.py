"""
Why a pod did not become Ready, as far as the cluster tells.

The engine's own log knows better why an engine died, and is believed first. What only
the cluster knows: nobody could place the pod, the image could not be had, the command
does not exist, memory ran out and the kernel killed it, a probe lost patience.
"""

import re
from collections.abc import Iterator

from firstlight.core.evidence import Evidence
from firstlight.core.starts import Failure
from firstlight.explain.pod.subject import Subject
from firstlight.readers.kube.model import Container, Event, Run

_KILLED = 137
_PROBE_KILL = re.compile(r"failed (liveness|startup) probe")
_EXECUTABLE = re.compile(r'exec: "([^"]+)": ([^:"]+)')
_NO_IMAGE = frozenset({"ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull"})
_CANNOT_RUN = frozenset(
    {"CreateContainerConfigError", "CreateContainerError", "RunContainerError", "StartError"}
)
_CRASHES = frozenset({"CrashLoopBackOff"})


def pod_failure(subject: Subject, last_words: Evidence | None = None) -> Failure | None:
    """The trouble nearest to the cause; None where the cluster tells of none.

    Args:
        subject: the pod.
        last_words: the last line of the engine's log, if there is one.
    """
    return next(_failures(subject, last_words), None)


def run_failure(
    container: Container, run: Run, subject: Subject, last_words: Evidence | None
) -> Failure | None:
    """Why a run of a container ended; None where it ended well, or runs."""
    if run.finished is None or run.exit_code in (0, None):
        return None
    evidence = tuple(e for e in (run.evidence, last_words) if e)
    said = f'; its last line: "{last_words.text}"' if last_words else ""
    if run.reason == "OOMKilled":
        limit = f", its memory limit is {container.memory_limit}" if container.memory_limit else ""
        return Failure(
            kind="oom_killed",
            message=f"container {container.name} was killed for memory "
            f"(exit code {run.exit_code}{limit}){said}",
            evidence=evidence,
        )
    kill = _probe_kill(subject, container)
    if kill is not None:
        return Failure(kind="killed_by_probe", message=_kill_words(kill), evidence=(kill.evidence,))
    why = " (killed from outside)" if run.exit_code == _KILLED else ""
    return Failure(
        kind="container_exited",
        message=f"container {container.name} ended with exit code {run.exit_code}{why}{said}",
        evidence=evidence,
    )


def _failures(subject: Subject, last_words: Evidence | None) -> Iterator[Failure]:
    pod = subject.pod
    if pod.phase == "Failed" or (pod.reason and pod.phase != "Running"):
        yield Failure(
            kind="pod_failed",
            message=f"the pod failed: {pod.reason or 'no reason given'}"
            + (f": {pod.message}" if pod.message else "")
            + _admission(pod.reason),
            evidence=_pod_evidence(subject),
        )
    containers = [subject.container] if subject.container else []
    containers += [c for c in pod.containers if c not in containers]
    for container in containers:
        yield from _container_failures(container, subject, last_words)
    if failed := subject.first("Failed"):
        yield _from_event(failed)
    if kill := _probe_kill(subject, None):
        yield Failure(kind="killed_by_probe", message=_kill_words(kill), evidence=(kill.evidence,))
    if subject.pod.name or subject.events:
        yield from _others(subject)


def _container_failures(
    container: Container, subject: Subject, last_words: Evidence | None
) -> Iterator[Failure]:
    words = last_words if container is subject.container else None
    waiting = container.waiting_reason
    told = Evidence(
        artefact=subject.pod.artefact,
        text=f"{waiting}: {container.waiting_message}",
        path=f"Pod {subject.place}: container {container.name} waits",
    )
    if waiting in _NO_IMAGE:
        failed = subject.first("Failed", container=container.name)
        yield Failure(
            kind="image_not_pulled",
            message=f"the image {container.image} could not be pulled: "
            + (failed.message if failed else container.waiting_message or waiting),
            evidence=(failed.evidence if failed else told,),
        )
    elif waiting in _CANNOT_RUN:
        yield Failure(
            kind="container_not_started",
            message=_executable(container.waiting_message)
            or f"container {container.name} cannot be started: "
            f"{container.waiting_message or waiting}",
            evidence=(told,),
        )
    runs = [container.current, container.previous if waiting in _CRASHES else None]
    for run in runs:
        if run is not None and (failure := run_failure(container, run, subject, words)):
            yield failure


def _probe_kill(subject: Subject, container: Container | None) -> Event | None:
    found = subject.said("Killing", container=container.name if container else None)
    return next((e for e in found if _PROBE_KILL.search(e.message)), None)


def _kill_words(kill: Event) -> str:
    found = _PROBE_KILL.search(kill.message)
    probe = found[1] if found else "liveness"
    return f"the {probe} probe lost patience and the kubelet killed the container: {kill.message}"


def _from_event(failed: Event) -> Failure:
    message = _executable(failed.message)
    image = "pull" in failed.message.lower() or "image" in failed.message.lower()
    kind = "container_not_started"
    if message is None and image:
        kind = "image_not_pulled"
    return Failure(kind=kind, message=message or failed.message, evidence=(failed.evidence,))


def _executable(message: str) -> str | None:
    found = _EXECUTABLE.search(message)
    return f"the container's command cannot be run: {found[1]}: {found[2]}" if found else None


def _others(subject: Subject) -> Iterator[Failure]:
    """Warnings of foreign controllers that say themselves that something is stuck."""
    for event in subject.events:
        if event.type == "Warning" and re.search(r"Stuck$", event.reason):
            yield Failure(
                kind="stuck", message=f"{event.reason}: {event.message}", evidence=(event.evidence,)
            )


def _admission(reason: str) -> str:
    if not reason.startswith("OutOf"):
        return ""
    return (
        ": it was bound to a node that did not have what it asks for, such as a GPU whose device "
        "plugin had not registered yet"
    )


def _pod_evidence(subject: Subject) -> tuple[Evidence, ...]:
    pod = subject.pod
    return (
        Evidence(
            artefact=pod.artefact,
            text=f"{pod.phase} {pod.reason} {pod.message}".strip(),
            path=f"Pod {subject.place}: status",
        ),
    )

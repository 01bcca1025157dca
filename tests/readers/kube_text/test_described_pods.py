"""The description of a pod."""

import pytest

from firstlight.core.marks import Clock
from firstlight.readers.kube.model import Container, ContainerKind, Pod, Probe, Run
from tests.readers.kube_text import samples
from tests.readers.kube_text.reading import at, read, whole


def only_pod(text: str) -> Pod:
    (pod,) = read(text).pods
    return pod


def container(name: str, text: str = samples.POD) -> Container:
    (found,) = [c for c in only_pod(text).containers if c.name == name]
    return found


def ended(run: Run | None) -> tuple[int, int, int | None, str]:
    assert run is not None
    return at(run.started), at(run.finished), run.exit_code, run.reason


def test_who_it_is() -> None:
    """Name, namespace, node without its address, phase, labels of several lines."""
    pod = only_pod(samples.POD)

    assert ("qwen-6c9d7f5b8-x2k4p", "models") == (pod.name, pod.namespace)
    assert "ip-10-0-3-7.ec2.internal" == pod.node
    assert "Running" == pod.phase
    assert {"app": "qwen", "pod-template-hash": "6c9d7f5b8"} == pod.labels
    assert None is pod.created


def test_conditions_have_no_moments() -> None:
    """The description prints a type and a status."""
    pod = only_pod(samples.POD)

    ready = pod.condition("Ready")
    assert ready is not None
    assert ("False", None) == (ready.status, ready.transition)
    assert 5 == len(pod.conditions)


def test_containers_in_their_order() -> None:
    """Init containers first."""
    kinds = [(c.name, c.kind) for c in only_pod(samples.POD).containers]

    assert [
        ("fetch", ContainerKind.INIT),
        ("vllm", ContainerKind.MAIN),
        ("sidecar", ContainerKind.MAIN),
    ] == kinds


def test_what_a_container_asks_for() -> None:
    """Image, command and its arguments, memory, and one GPU where it stands in both lists."""
    vllm = container("vllm")

    assert "vllm/vllm-openai:v0.11.0" == vllm.image
    assert "docker.io/vllm/vllm-openai@sha256:2222" == vllm.image_id
    assert ("python3", "-m", "vllm.entrypoints.openai.api_server") == vllm.command
    assert "--model" == vllm.args[0]
    assert "--served-model-name: qwen" == vllm.args[-1]
    assert ("24Gi", 1) == (vllm.memory_limit, vllm.gpus)
    assert 0 == container("fetch").gpus


def test_an_init_container_that_is_done() -> None:
    """State Terminated is the current run, by the node's clock, in the reader's zone."""
    run = container("fetch").current

    done = (whole("2025-06-10T10:00:08"), whole("2025-06-10T10:00:20"), 0, "Completed")
    assert done == ended(run)
    assert run is not None
    assert run.started is not None
    assert Clock.NODE == run.started.clock
    assert "Started:      Tue, 10 Jun 2025 12:00:08 +0200" == run.started.evidence.text


def test_a_restart_has_two_runs() -> None:
    """Running now, and what became of the run before."""
    vllm = container("vllm")

    assert (False, 1) == (vllm.ready, vllm.restarts)
    assert vllm.current is not None
    assert whole("2025-06-10T10:05:21") == at(vllm.current.started)
    assert None is vllm.current.exit_code
    before = (whole("2025-06-10T10:00:50"), whole("2025-06-10T10:05:00"), 137, "OOMKilled")
    assert before == ended(vllm.previous)


def test_last_words_of_many_lines_stay_together() -> None:
    """They keep no indentation and look like fields; what follows them is found."""
    previous = container("vllm").previous

    assert previous is not None
    words = 'Traceback (most recent call last):\nFile "/x.py", line 3\nValueError: no memory: none'
    assert words == previous.message
    assert previous.evidence is not None
    assert (
        "Last State:     Terminated; Reason:       OOMKilled; Exit Code:    137; Signal:       9"
        == (previous.evidence.text)
    )


def test_a_container_that_waits() -> None:
    """No run, and why."""
    sidecar = container("sidecar")

    assert (None, "ImagePullBackOff") == (sidecar.current, sidecar.waiting_reason)


def test_probes() -> None:
    """Every form, with its numbers."""
    vllm = container("vllm")

    assert vllm.readiness_probe == Probe(what="GET :8000/health", period_s=5)
    assert vllm.liveness_probe == Probe(
        what="tcp :8000", initial_delay_s=15, period_s=20, failure_threshold=4
    )
    assert vllm.startup_probe == Probe(what="exec", initial_delay_s=5, failure_threshold=60)
    assert None is container("sidecar").readiness_probe


@pytest.mark.parametrize(
    ("printed", "what"),
    [
        ("http-get https://:https/livez", "GET :https/livez"),
        ("http-get http://10.0.0.1:8000/v1/models", "GET :8000/v1/models"),
        ("grpc <pod>:9000  ", "grpc :9000"),
        ("exec [sh -c curl http://x:1/ delay]", "exec"),
    ],
)
def test_what_a_probe_asks(printed: str, what: str) -> None:
    """Named ports and hosts, other protocols."""
    probe = f"{printed} delay=0s timeout=1s period=10s #success=1 #failure=3"
    text = f"Containers:\n  a:\n    State:     Running\n    Liveness:  {probe}\n"

    assert Probe(what=what) == container("a", text).liveness_probe


def test_a_native_sidecar() -> None:
    """An init container that is always restarted."""
    text = (
        "Init Containers:\n  proxy:\n    Restart Policy:  Always\n    State:  Running\n"
        "      Started:  Tue, 10 Jun 2025 12:00:00 +0200\nContainers:\n  a:\n    State:  Running\n"
    )

    assert ContainerKind.SIDECAR == container("proxy", text).kind


def test_a_piece_of_a_description() -> None:
    """Somebody pasted the state alone: a container without a name, a pod without one."""
    text = (
        "    State:          Waiting\n      Reason:       CrashLoopBackOff\n"
        "    Last State:     Terminated\n      Reason:       Error\n      Exit Code:    1\n"
        "      Started:      Tue, 10 Jun 2025 12:00:00 +0200\n"
        "      Finished:     Tue, 10 Jun 2025 12:00:09 +0200\n    Restart Count:  4\n"
    )
    (found,) = only_pod(text).containers

    assert ("", "CrashLoopBackOff", 4) == (found.name, found.waiting_reason, found.restarts)
    noon = whole("2025-06-10T10:00:00")
    assert (noon, noon + 9_000_000_000, 1, "Error") == ended(found.previous)


def test_an_evicted_pod() -> None:
    """Reason and message of the pod itself."""
    text = (
        "Name:    qwen-0\nNamespace:  models\nNode:    n1/\n"
        "Start Time:  Tue, 10 Jun 2025 12:00:05 +0200\nStatus:  Failed\nReason:  Evicted\n"
        "Message:  The node was low on resource: ephemeral-storage.\n"
    )
    pod = only_pod(text)

    assert ("Failed", "Evicted") == (pod.phase, pod.reason)
    assert "The node was low on resource: ephemeral-storage." == pod.message


@pytest.mark.parametrize("said", ["Terminating (lasts 3m)", "Terminating"])
def test_terminating_is_no_phase(said: str) -> None:
    """kubectl's word for a pod that is being deleted; the phase is not printed then."""
    text = f"Name:  qwen-0\nStatus:  {said}\nContainers:\n  a:\n    State:  Running\n"

    assert "" == only_pod(text).phase


def test_several_descriptions_follow_one_another() -> None:
    """Each name opens another object; what is below one is not the other's."""
    other = samples.POD.replace("qwen-6c9d7f5b8-x2k4p", "qwen-b").replace("OOMKilled", "Error")
    seen = read(samples.POD + "\n\n" + other)

    assert ["qwen-6c9d7f5b8-x2k4p", "qwen-b"] == [p.name for p in seen.pods]
    reasons = [c.previous.reason for p in seen.pods for c in p.containers if c.previous]
    assert ["OOMKilled", "Error"] == reasons
    assert 6 == len([e for e in seen.events if e.name == "qwen-b"])


def test_no_line_of_a_log_is_a_field() -> None:
    """A vLLM log has keys and indentation too."""
    log = "INFO:  Status: Running\nStatus: x\n  Name: Qwen\n  State: unknown\nTraceback:\n"

    assert read(log).is_empty


def test_a_row_names_its_container_by_the_image() -> None:
    """Pulling says no container; one of the pod's has this image."""
    pulling = [e for e in read(samples.POD).events if e.reason == "Pulling"]

    assert ["vllm"] == [e.container for e in pulling]


def test_an_image_of_two_containers_names_neither() -> None:
    """Nothing is guessed."""
    text = samples.POD.replace("example.com/sidecar:1", "vllm/vllm-openai:v0.11.0")

    assert [""] == [e.container for e in read(text).events if e.reason == "Pulling"]

"""
The pod that the card `sleep-wake` makes, on a real node: it sleeps, it ends, it fails.

The kubelet cannot reach an engine on loopback, and tells all containers of a pod to end at once.
What it does with the probes and the hook that the card writes is asked of it here.
"""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from onenode import OneNode, deployment, engine_pod

from tests.cluster import caching, gating
from tests.cluster.gating import Served, behind_a_gateway, container_of, plain, served, statuses

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(240)]
DRAIN_DELAY_S = 5
"""The card's own."""


@pytest.fixture(scope="module")
def image(node: OneNode, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The image of firstlight, in the node's registry."""
    node.push_prepared("engine-base")
    return caching.firstlight_image(node, tmp_path_factory.mktemp("image"))


@pytest.fixture(scope="module")
def here(node: OneNode, image: str) -> Iterator[Served]:
    """An engine that sleeps after two seconds."""
    objects = behind_a_gateway(plain(), image, idle_s="2")
    container_of(objects, "gateway")["args"].append("--min-awake-s=1")
    with node.namespace("gate") as namespace, served(node.kubectl, namespace, objects) as up:
        yield up


def within(seconds: float, is_so: Callable[[], bool], *, every_s: float = 0.2) -> float:
    """Wait until something is so; how long that took."""
    began = time.monotonic()
    while not is_so():
        assert time.monotonic() - began < seconds
        time.sleep(every_s)
    return time.monotonic() - began


def log(at: Served, container: str) -> str:
    return at.kubectl("-n", at.namespace, "logs", at.pod()["metadata"]["name"], "-c", container)


def restarts(at: Served) -> dict[str, int]:
    return {name: one["restartCount"] for name, one in statuses(at.pod()).items()}


def test_a_pod_that_sleeps_is_ready_and_stays(here: Served) -> None:
    """Probes neither wake it nor kill it; a request wakes it and is answered."""
    pod = here.ready()
    within(30, lambda: "asleep" in log(here, "vllm"))
    slept = log(here, "vllm").count("asleep")
    # Longer than its liveness probe puts up with.
    time.sleep(5)
    pod = here.pod()

    assert slept == log(here, "vllm").count("asleep")
    assert {"vllm": 0, "gateway": 0} == restarts(here)
    assert all(one["ready"] for one in statuses(pod).values())
    assert "once upon a time" in here.asked(pod)


def test_nobody_reaches_the_engine_but_by_the_gateway(here: Served) -> None:
    """It listens on loopback; the gateway passes none of what steers it."""
    pod = here.ready()
    address = pod["status"]["podIP"]
    ask = "import sys, urllib.request; urllib.request.urlopen(sys.argv[1], timeout=5)"
    refused = "import sys, socket; socket.create_connection((sys.argv[1], 8001), timeout=5)"

    for program, told, why in (
        (ask, f"http://{address}:8000/is_sleeping", "HTTP Error 404"),
        (refused, address, "ConnectionRefusedError"),
    ):
        how = ("-n", here.namespace, "exec", "client", "--", "python3", "-c", program, told)
        assert why in here.kubectl.run(*how).stderr


def test_the_engine_alone_is_started_anew(here: Served) -> None:
    """Its front end answers and its core is gone: the gateway stays, and the pod serves again."""
    pod = here.ready()
    assert "once upon a time" in here.asked(pod)
    name, before = pod["metadata"]["name"], restarts(here)

    here.exec(name, "vllm", "touch", gating.GONE)
    # The hook must not hold up the end of an engine that has nothing to finish.
    within(30, lambda: restarts(here)["vllm"] == before["vllm"] + 1)
    here.kubectl(
        *("-n", here.namespace, "wait", "--for=condition=Ready", f"pod/{name}", "--timeout=60s"),
        timeout_s=70,
    )

    assert before["gateway"] == restarts(here)["gateway"]
    assert "once upon a time" in here.asked(here.pod())


def stream(at: Served, pod: dict[str, Any], tokens: int) -> Any:
    """A stream of which four events have come."""
    asking = at.asking(pod, tokens)
    assert asking.stdout is not None
    for number in range(4):
        assert f'" {number}"' in asking.stdout.readline()
    return asking


def test_an_answer_under_way_ends_whole_and_then_the_pod_goes(here: Served) -> None:
    """The pod is deleted in the middle of a stream that outlasts the gateway's delay."""
    pod = here.ready()
    name = pod["metadata"]["name"]
    told = here.following(name, "vllm")
    tokens = round((DRAIN_DELAY_S + 5) / gating.TOKEN_S)
    asking = stream(here, pod, tokens)

    here.kubectl("-n", here.namespace, "delete", "pod", name, "--wait=false")
    *lines, last = gating.rest_of(asking).splitlines()

    assert here.is_there(name), "the pod went before its last answer did"
    assert tokens - 4 == len(lines)
    assert all(f'" {number}"' in line for number, line in enumerate(lines, start=4))
    assert "data: [DONE]" == last
    assert "told to end with 0 under way" in gating.rest_of(told)
    # A kubelet of 1.20 looks for what has ended every ten seconds.
    within(25, lambda: not here.is_there(name))


def test_what_comes_while_it_drains(here: Served) -> None:
    """Served while endpoints still point here; then refused in words, and the pod is not Ready."""
    pod = here.ready()
    name = pod["metadata"]["name"]
    asking = stream(here, pod, round((DRAIN_DELAY_S + 8) / gating.TOKEN_S))

    here.kubectl("-n", here.namespace, "delete", "pod", name, "--wait=false")
    early = here.asked(pod)
    time.sleep(DRAIN_DELAY_S)
    late = here.asked(pod)
    assert gating.rest_of(asking).endswith("data: [DONE]\n")

    assert "once upon a time" in early
    assert late.startswith("503 ")
    assert '"draining"' in late


def test_without_the_hook_the_answer_is_cut(node: OneNode, image: str) -> None:
    """What the card guards against: all containers are told at once, and the engine goes first."""
    objects = behind_a_gateway(plain(), image)
    del container_of(objects, "vllm")["lifecycle"]
    with node.namespace("cut") as namespace, served(node.kubectl, namespace, objects) as at:
        pod = at.ready()
        told = at.following(pod["metadata"]["name"], "vllm")
        asking = stream(at, pod, 60)

        at.kubectl("-n", namespace, "delete", "pod", pod["metadata"]["name"], "--wait=false")
        rest, ended = gating.rest_of(asking), gating.rest_of(told)

    assert "[DONE]" not in rest
    assert "told to end with 1 under way" in ended


@pytest.mark.slow
@pytest.mark.engine
@pytest.mark.timeout(900)
def test_a_real_engine_ends_its_answer(node: OneNode, image: str, engine_folder: Path) -> None:
    """vLLM itself, which aborts what is under way when it is told to end: it is told afterwards."""
    spec = engine_pod(engine_folder, image=node.push_prepared("engine-base"))
    objects = behind_a_gateway([deployment(gating.NAME, spec)], image)
    engine = container_of(objects, "engine")
    # A CPU has no sleep mode; how a pod ends is the same.
    engine["command"].remove("--enable-sleep-mode")
    container_of(objects, "gateway")["args"].append("--drain-delay-s=0")
    with node.namespace("real") as namespace:
        for one in objects:
            one["metadata"]["namespace"] = namespace
        with served(node.kubectl, namespace, objects, within_s=420) as at:
            pod = at.ready()
            told = at.following(pod["metadata"]["name"], "gateway")
            asking = at.asking(pod, 400)
            assert asking.stdout is not None
            first = asking.stdout.readline()
            at.kubectl("-n", namespace, "delete", "pod", pod["metadata"]["name"], "--wait=false")
            rest, ended = gating.rest_of(asking), gating.rest_of(told)

    assert '"event": "ending", "in_flight": 1' in ended
    assert first.startswith("data: {")
    assert "data: [DONE]" == rest.splitlines()[-1]
    assert '"finish_reason":"length"' in rest
    assert "abort" not in rest

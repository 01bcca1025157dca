"""What the cluster shows of techniques at work."""

from typing import Any

import pytest

from firstlight.core.signs import NOT_RESTORED, RESTORED, RESTORES_CACHE, Sign
from firstlight.core.starts import Start
from tests.explain.pod.cluster import (
    Object,
    arrival,
    claim,
    condition,
    node,
    one,
    pod,
    scheduled,
    stamp,
    told,
    whole_claim,
)

IMAGE = "vllm/vllm-openai:v0.26.0"
PULLED = f'Successfully pulled image "{IMAGE}" in 32.2s (32.2s including waiting). Image size: '
PULLED += "8900000000 bytes."
PRESENT = f'Container image "{IMAGE}" already present on machine'
NEW_NODE = (whole_claim(1, 3, 20, 30), node(20, 28))


def started(*more: Object, message: str = PULLED, new: bool = True, **of_pod: Any) -> Start:
    """A pod on a node that was made for it, or on an old one."""
    where = NEW_NODE if new else (node(-500, -480),)
    return one(
        pod(created=0, scheduled=31, started=66, ready=99, **of_pod),
        scheduled(31),
        arrival(33 if message == PULLED else None, 65.2, 65.5, 66, message=message),
        *where,
        *more,
    )


def images(start: Start) -> set[Sign]:
    return {sign for sign in start.signs if sign.startswith("image-")}


def test_a_new_node_shows_that_it_was_made() -> None:
    """By what begins and ends its making."""
    assert [2, False] == [
        len(started().signs[Sign.NODE_WAS_MADE]),
        Sign.NODE_WAS_THERE in started().signs,
    ]


def test_an_old_node_shows_that_it_was_there() -> None:
    """By its creation, against the pod's."""
    start = started(new=False)

    assert [2, False] == [
        len(start.signs[Sign.NODE_WAS_THERE]),
        Sign.NODE_WAS_MADE in start.signs,
    ]


def test_a_claim_that_was_done_before_the_pod_shows_that_a_node_was_there() -> None:
    """Where the Node object was not captured."""
    old = claim(-90, [condition(t, -60) for t in ("Launched", "Registered", "Initialized")])
    start = one(pod(created=0, scheduled=1, started=3, ready=9), scheduled(1), old)

    assert Sign.NODE_WAS_THERE in start.signs


def test_a_node_of_unknown_age_shows_nothing() -> None:
    """Neither made nor there."""
    start = one(pod(created=0, scheduled=1, started=3, ready=9), scheduled(1))

    assert set() == {Sign.NODE_WAS_THERE, Sign.NODE_WAS_MADE} & set(start.signs)


def test_a_pull_is_a_pull_as_far_as_anything_tells() -> None:
    """However short: nothing is concluded from seconds alone."""
    (evidence,) = started().signs[Sign.IMAGE_PULLED]

    assert PULLED in evidence.text


def test_an_image_on_a_new_node_was_brought_beforehand() -> None:
    """Nobody else was there before this pod."""
    assert {Sign.IMAGE_PRESENT} == images(started(message=PRESENT))


def test_an_image_on_an_old_node_may_be_an_earlier_pods() -> None:
    """Lying there is no proof of a technique; the placement still says so."""
    start = started(message=PRESENT, new=False)

    assert set() == images(start)
    assert start.placement is not None
    assert "already present" == start.placement.image_state


def test_an_init_container_with_the_engines_image_pulls_it_for_both() -> None:
    """`already present` behind it is its own doing; the pull counts with its bytes."""
    with_image = pod(created=0, scheduled=31, started=70, ready=99, init=[(RESTORES_CACHE, 66, 69)])
    with_image["spec"]["initContainers"] = [{"name": RESTORES_CACHE, "image": IMAGE}]
    start = one(
        with_image,
        scheduled(31),
        arrival(33, 65.2, 65.5, 66, container=RESTORES_CACHE, init=True, message=PULLED),
        arrival(None, 69.3, 69.5, 70, message=PRESENT),
        *NEW_NODE,
    )

    assert {Sign.IMAGE_PULLED} == images(start)
    assert start.placement is not None
    assert "pulled" == start.placement.image_state
    assert [(8_900_000_000, 32.2)] == [(t.bytes_, t.seconds) for t in start.transfers]


def with_images(*names_and_sizes: tuple[str, int]) -> tuple[Object, Object]:
    fresh = node(20, 28)
    fresh["status"]["images"] = [{"names": [n], "sizeBytes": s} for n, s in names_and_sizes]
    return whole_claim(1, 3, 20, 30), fresh


@pytest.mark.parametrize(
    ("beside", "other"),
    [
        (("docker.io/vllm/vllm-openai:v0.25.0", 8_700_000_000), True),
        (("docker.io/vllm/vllm-openai:latest", 8_900_000_000), False),
        (("registry.k8s.io/pause:3.10", 300_000), False),
        (("docker.io/vllm/vllm-openai@sha256:ab", 8_700_000_000), False),
    ],
)
def test_another_version_on_a_new_node_is_what_was_brought(
    beside: tuple[str, int], other: bool
) -> None:
    """The same image under a second tag, another program, a digest: none of these."""
    start = one(
        pod(created=0, scheduled=31, started=66, ready=99),
        scheduled(31),
        arrival(33, 65.2, 65.5, 66, message=PULLED),
        *with_images((f"docker.io/{IMAGE}", 8_900_000_000), beside),
    )

    assert {Sign.IMAGE_OTHER if other else Sign.IMAGE_PULLED} == images(start)


DONE = f"{RESTORED} from s3://b/k: 1204 files, 218 MB in 3.1 s"
NOT = f"{NOT_RESTORED}: no such object; starting without it"
HIT = "Directly load AOT compilation from path /c/model"


COMPILED = "saved AOT compiled function to /c/model"


def restored(
    last_line: str | None, *, exit_code: int = 0, message: str = "", says: str = HIT
) -> Start:
    with_init = pod(created=0, scheduled=31, started=70, ready=99, init=[(RESTORES_CACHE, 66, 69)])
    ended = with_init["status"]["initContainerStatuses"][0]["state"]["terminated"]
    ended |= {"exitCode": exit_code, "message": message}
    logs = {"b/logs/vllm-0/vllm.log": f"(EngineCore pid=9) INFO 09-01 00:01:20 [a.py:1] {says}\n"}
    if last_line is not None:
        logs[f"b/logs/vllm-0/{RESTORES_CACHE}.log"] = f"some noise\n{last_line}\n"
    return one(with_init, scheduled(31), *NEW_NODE, logs=logs)


@pytest.mark.parametrize(
    ("start", "sign"),
    [
        (restored(DONE), Sign.CACHE_RESTORED),
        (restored(None, message=DONE), Sign.CACHE_RESTORED),
        (restored(NOT), Sign.CACHE_NOT_RESTORED),
    ],
    ids=["its log", "its termination message", "not done"],
)
def test_a_restored_cache_is_proven_by_words(start: Start, sign: Sign) -> None:
    """Of the initContainer's log, or of its end."""
    of_it = {Sign.CACHE_RESTORED, Sign.CACHE_NOT_RESTORED}

    assert {sign} == set(start.signs) & of_it


def test_a_cache_that_was_pulled_and_not_used_is_a_finding() -> None:
    """In the words of the one who pulled it, with what to ask next; a used one is none."""
    code = "published-cache-not-used"
    compiled = restored(DONE, says=COMPILED)

    (finding,) = [one for one in compiled.findings if code == one.code]
    assert finding.what.startswith(f"{DONE}, and this start compiled: it compiled")
    assert "firstlight cache explain" in finding.remedy
    for start in (restored(DONE), restored(NOT, says=COMPILED)):
        assert code not in {one.code for one in start.findings}


@pytest.mark.parametrize("start", [restored(None), restored("done"), restored(DONE, exit_code=1)])
def test_an_end_without_words_proves_nothing(start: Start) -> None:
    """It ends with 0 whatever happens; and one that failed has restored nothing for sure."""
    assert set() == set(start.signs) & {Sign.CACHE_RESTORED, Sign.CACHE_NOT_RESTORED}
    assert Sign.CACHE_HIT in start.signs


def test_a_restart_in_the_pod_waits_for_neither_node_nor_image() -> None:
    """What the first run showed is not shown again by the second."""
    crashed = {
        "restartCount": 1,
        "lastState": {
            "terminated": {"exitCode": 1, "startedAt": stamp(66), "finishedAt": stamp(120)}
        },
    }
    first, second = told(
        pod(created=0, scheduled=31, started=130, ready=199, state=crashed),
        scheduled(31),
        arrival(33, 65.2, 65.5, 66, message=PULLED),
        *NEW_NODE,
    )

    assert {Sign.NODE_WAS_MADE, Sign.IMAGE_PULLED} == set(first.signs)
    assert {} == second.signs


@pytest.mark.parametrize(
    ("owner", "labels", "workload"),
    [
        (("ReplicaSet", "vllm-6c9f7d5b8"), {}, "deployment/vllm"),
        (("ReplicaSet", "my-vllm-aaaa"), {"pod-template-hash": "aaaa"}, "deployment/my-vllm"),
        (("ReplicaSet", "vllm-engine"), {}, "replicaset/vllm-engine"),
        (("StatefulSet", "vllm"), {}, "statefulset/vllm"),
        (("InferenceService", "m"), {}, ""),
        (None, {}, ""),
    ],
)
def test_the_workload_is_read_off_the_owner(
    owner: tuple[str, str] | None, labels: dict[str, str], workload: str
) -> None:
    """A ReplicaSet's name is its Deployment's and a hash; `engine` is no hash."""
    one_pod = pod(created=0, scheduled=1, started=3, ready=9)
    one_pod["metadata"]["labels"] = labels
    if owner:
        kind, name = owner
        one_pod["metadata"]["ownerReferences"] = [{"kind": kind, "name": name, "controller": True}]
    start = one(one_pod, scheduled(1))

    assert start.placement is not None
    assert workload == start.placement.workload

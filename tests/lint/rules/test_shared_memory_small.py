"""Ranks and /dev/shm."""

from typing import Any

import pytest

from tests.lint.rules.engines import EMPTY_DIR, engine, hits, says

CODE = "shared-memory-small"
FOUR = {"nvidia.com/gpu": "4"}
SHM: dict[str, Any] = {"emptyDir": {"medium": "Memory"}}


@pytest.mark.parametrize(
    "args",
    [
        ("--tensor-parallel-size=4",),
        ("-tp", "2"),
        ("--tensor_parallel_size", "2"),
        ("--pipeline-parallel-size=2",),
        ("-tp", "$(RANKS)"),
    ],
)
def test_several_ranks_with_the_default_are_found(args: tuple[str, ...]) -> None:
    """In every spelling, and from a variable."""
    assert hits(CODE, engine(*args, limits=FOUR, env={"RANKS": "4"}))


@pytest.mark.parametrize(
    ("args", "limits"),
    [((), FOUR), (("-tp=1",), FOUR), (("-tp=8",), {}), (("-tp", "$(ELSEWHERE)"), FOUR)],
)
def test_one_rank_ranks_of_other_pods_or_an_unknown_number_are_fine(
    args: tuple[str, ...], limits: dict[str, str]
) -> None:
    """More ranks than GPUs are in several pods."""
    assert not hits(CODE, engine(*args, limits=limits))


@pytest.mark.parametrize(
    "args",
    [
        ("-tp=4", "-pp=2", "--distributed-executor-backend=ray"),
        ("-tp=8", "--nnodes=2"),
        ("-tp=8", "--distributed-executor-backend", "ray"),
    ],
)
def test_ranks_in_several_pods_share_it_too(args: tuple[str, ...]) -> None:
    """Each pod has as many ranks as GPUs."""
    [what] = says(CODE, engine(*args, limits=FOUR))
    assert what.startswith("4 ranks share a /dev/shm of 64 MiB")


@pytest.mark.parametrize(
    ("args", "whose"),
    [
        (("-tp=4",), "the ranks of --tensor-parallel-size 4"),
        (
            ("-tp=2", "-pp=2"),
            "the ranks of --tensor-parallel-size 2 times --pipeline-parallel-size 2",
        ),
    ],
)
def test_more_ranks_than_gpus_are_said_as_the_arguments_say_them(
    args: tuple[str, ...], whose: str
) -> None:
    """What does not fit together is another rule's: no number here contradicts the manifest."""
    [what] = says(CODE, engine(*args, limits={"nvidia.com/gpu": "2"}))
    assert what.startswith(f"{whose} share a /dev/shm of 64 MiB")


@pytest.mark.parametrize(
    ("volume", "is_found"),
    [
        (SHM, False),
        ({"emptyDir": {"medium": "Memory", "sizeLimit": "8Gi"}}, False),
        ({"emptyDir": {"medium": "Memory", "sizeLimit": "64Mi"}}, True),
        ({"hostPath": {"path": "/dev/shm"}}, False),
        (EMPTY_DIR, False),
    ],
)
def test_what_is_mounted_there_counts(volume: dict[str, Any], is_found: bool) -> None:
    """Its size, where it has one."""
    text = engine("-tp=4", limits=FOUR, volumes={"/dev/shm": volume})
    assert is_found == hits(CODE, text)


def test_the_hosts_own_is_large_enough() -> None:
    """With hostIPC."""
    assert not hits(CODE, engine("-tp=4", limits=FOUR, pod={"hostIPC": True}))

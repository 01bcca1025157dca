"""How fast the weights came in, and whether the link was the limit."""

import pytest

from firstlight.core.starts import Transfer
from firstlight.explain.explain import explain_log
from firstlight.readers.vllm_log import read_log
from tests.explain.telling import LOADED, WEIGHTS, line, log

SIZE = "Filesystem type for checkpoints: NFS. Checkpoint size: 31.20 GiB. Available RAM: 200 GiB."
STREAMED = "[RunAI Streamer] Overall time to stream 31.2 GiB of all files to cpu: 10.00s, 3 GiB/s"
GIB = 1024**3


def transfers(*lines: str, link_gbps: float | None = None) -> tuple[Transfer, ...]:
    (start,) = explain_log(read_log("a.log", [log(*lines)]), link_gbps=link_gbps)
    return start.transfers


def test_bytes_over_seconds() -> None:
    """The checkpoint's size where it was printed, in the loader's seconds."""
    (weights,) = transfers(line(0, SIZE), line(20, WEIGHTS), line(21, LOADED))

    assert (round(31.2 * GIB), 19.8, None) == (
        weights.bytes_,
        weights.seconds,
        weights.link_share,
    )
    assert 1.69 == round(weights.gigabytes_per_s, 2)


def test_the_streamers_own_seconds_are_better() -> None:
    """They hold the stream and nothing else."""
    (weights,) = transfers(line(0, SIZE), line(20, STREAMED), line(20, WEIGHTS))

    assert 10 == weights.seconds


def test_the_slowest_rank_counts() -> None:
    """The start waited for it."""
    (weights,) = transfers(
        line(0, SIZE),
        line(20, WEIGHTS, by="Worker_TP0 pid=11"),
        line(20, "Loading weights took 40.00 seconds", by="Worker_TP1 pid=12"),
    )

    assert 40 == weights.seconds


def test_a_loaded_models_size_stands_in() -> None:
    """
    Where there is one rank. Of several each has a part, and mostly only the first prints;
    where nothing tells how many there are, nothing is rated.
    """
    alone, two = (f"world_size={n} rank=0 local_rank=0 backend=nccl" for n in (1, 2))

    (weights,) = transfers(line(0, alone), line(20, WEIGHTS), line(21, LOADED))

    assert round(15.02 * GIB) == weights.bytes_
    assert () == transfers(line(0, two), line(20, WEIGHTS), line(21, LOADED))
    assert () == transfers(line(20, WEIGHTS), line(21, LOADED))


@pytest.mark.parametrize("lines", [[SIZE], [WEIGHTS], [SIZE, "Loading weights took 0.00 seconds"]])
def test_a_rate_needs_bytes_and_seconds(lines: list[str]) -> None:
    """And seconds that are more than none."""
    assert () == transfers(*(line(n, text) for n, text in enumerate(lines)))


@pytest.mark.parametrize(
    ("link_gbps", "codes"), [(50, ["link-not-the-limit"]), (20, []), (None, [])]
)
def test_a_link_that_is_mostly_idle_is_not_the_limit(
    link_gbps: float | None, codes: list[str]
) -> None:
    """Below a third of it, more of it would buy nothing."""
    text = log(line(0, SIZE), line(20, WEIGHTS))
    (start,) = explain_log(read_log("a.log", [text]), link_gbps=link_gbps)

    assert codes == [f.code for f in start.findings]

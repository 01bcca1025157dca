"""The numbers the engine printed, kept as printed."""

import pytest

from tests.explain.telling import FRONT, LOADED, WEIGHTS, facts, line, one, whole

INIT = "init engine (profile, create kv cache, warmup model)"


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (WEIGHTS, {"weights_s": [19.8]}),
        (LOADED, {"model_load_s": [21.25], "model_gib": [15.02]}),
        ("Model loading took 15.02 GiB", {"model_gib": [15.02]}),
        (
            "Time spent downloading weights for org/m: 14.584169 seconds",
            {"download_s": [14.584169]},
        ),
        (
            "[RunAI Streamer] Overall time to stream 3.3 GiB of all files: 5.4s, 627.2 MiB/s",
            {"stream_s": [5.4]},
        ),
        (
            "[RunAI Streamer] Overall time to stream 7.1 GiB of all files to cuda:0: 11.01s, 1 B/s",
            {"stream_s": [11.01]},
        ),
        ("Dynamo bytecode transform time: 3.45 s", {"dynamo_s": [3.45]}),
        ("torch.compile took 9.85 s in total", {"compile_s": [9.85]}),
        (
            "Directly load the compiled graph(s) for shape None from the cache, took 6.203 s",
            {"cache_load_s": [6.203]},
        ),
        ("Initial profiling/warmup run took 0.26 s", {"profiling_s": [0.26]}),
        ("Memory profiling takes 14.06 seconds. Total non KV", {"profiling_s": [14.06]}),
        ("Graph capturing finished in 9 secs, took 0.66 GiB", {"graph_capture_s": [9]}),
        ("Encoder graph capturing finished in 2 secs, took 0.20 GiB", {"graph_capture_s": [2]}),
        ("Multi-modal warmup completed in 12.422s", {"mm_warmup_s": [12.422]}),
        ("Readonly multi-modal warmup completed in 1.755s", {"mm_warmup_s": [1.755]}),
        (
            f"{INIT} took 73.71 s (compilation: 9.82 s)",
            {"engine_init_s": [73.71], "engine_init_compile_s": [9.82]},
        ),
        (
            f"{INIT} took 15.75 s (compilation: 3.50 s \u2014 language_model: 0.32 s, encoder:",
            {"engine_init_s": [15.75], "engine_init_compile_s": [3.5]},
        ),
        (
            "Filesystem type for checkpoints: EXT4. Checkpoint size: 18.29 GiB. Available RAM: 5",
            {"checkpoint_gib": [18.29]},
        ),
        ("Available KV cache memory: -0.72 GiB", {"kv_cache_gib": [-0.72]}),
        ("It took 1.445191 seconds to wake up tags {'weights'}.", {"wake_s": [1.445191]}),
        (
            "Sleep mode freed 83.28 GiB memory, 5.82 GiB memory is still in use.",
            {"sleep_freed_gib": [83.28], "sleep_in_use_gib": [5.82]},
        ),
        ("Loading model weights took 14.9888 GB", {}),
        ("Chat template warmup completed in 402.3ms", {}),
        (
            "torch.compile and initial profiling/warmup run together took 9.75 s in total",
            {},
        ),
        ("It took 0.109615 seconds to discard tags ['kv_cache'].", {}),
        ("Reloading and processing weights took 9.75 seconds", {}),
    ],
)
def test_each_saying_is_one_fact(said: str, expected: dict[str, list[float]]) -> None:
    """Memory is no time, and a number of two things is neither's."""
    assert expected == facts(one(line(0, said)))


def test_every_rank_prints_its_own() -> None:
    """The same number twice stays twice."""
    start = one(line(0, WEIGHTS, by="Worker_TP0 pid=11"), line(0, WEIGHTS, by="Worker_TP1 pid=12"))

    assert {"weights_s": [19.8, 19.8]} == facts(start)


def test_what_a_server_prints_later_is_not_the_starts() -> None:
    """A reload after the start says nothing about it; waking is a fact of its own."""
    start = one(
        *whole(),
        line(200, "Loading weights took 5.50 seconds"),
        line(210, "It took 1.445191 seconds to wake up tags {'weights'}."),
    )

    assert ([19.8], [1.445191]) == (facts(start)["weights_s"], facts(start)["wake_s"])


def asleep(*lines: str) -> list[tuple[int | None, float]]:
    return [(s.level, s.seconds.value) for s in one(*lines).sleeps]


ASLEEP = line(10, "It took 9.500000 seconds to fall asleep.")


@pytest.mark.parametrize(
    ("query", "level"),
    [("?level=1", 1), ("?level=2&mode=abort", 2), ("?mode=wait", 1), ("", 1), ("?level=x", None)],
)
def test_the_level_is_in_the_request(query: str, level: int | None) -> None:
    """Its line comes after it was served; the route's default is 1."""
    request = f'INFO:     10.0.0.1:5 - "POST /sleep{query} HTTP/1.1" 200 OK'

    assert [(level, 9.5)] == asleep(ASLEEP, request)


@pytest.mark.parametrize(
    ("kept", "level", "allocator"), [("61.68", 1, "Cu"), ("0.00", 2, "Cu"), ("9.00", 1, "Xpu")]
)
def test_the_level_follows_from_what_was_kept(kept: str, level: int, allocator: str) -> None:
    """Level 1 keeps the weights in host memory, level 2 keeps nothing."""
    freed = line(
        9,
        f"{allocator}MemAllocator: sleep freed 67.70 GiB memory in total, of which {kept} GiB is "
        "backed up in CPU and the rest 6.02 GiB is discarded directly.",
    )

    assert [(level, 9.5)] == asleep(freed, ASLEEP)


def test_a_level_that_nothing_tells_is_unknown() -> None:
    """One sleep's request is not the next one's."""
    request = 'INFO:     10.0.0.1:5 - "POST /sleep?level=2 HTTP/1.1" 200 OK'

    assert [(None, 9.5), (2, 9.5)] == asleep(ASLEEP, ASLEEP, request)


def test_the_allocators_size_stands_in() -> None:
    """Where the worker's own line was not collected."""
    freed = "CuMemAllocator: sleep freed 67.70 GiB memory in total, of which 0.00 GiB is backed up"

    assert {"sleep_freed_gib": [67.7]} == facts(one(line(0, freed)))


def test_evidence_is_the_line_itself() -> None:
    """Its number and its words."""
    start = one(line(0, "x", by=FRONT), line(5, WEIGHTS))
    (fact,) = start.facts["weights_s"]

    assert (2, line(5, WEIGHTS)) == (fact.evidence.line, fact.evidence.text)

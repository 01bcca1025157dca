"""What an engine's own words show of techniques at work."""

import pytest

from firstlight.core.signs import Sign
from firstlight.core.starts import Start
from tests.explain.telling import BANNER, ENGINE, FRONT, LOADED, WEIGHTS, line, one, whole

BUCKET_ARGS = "non-default args: {'model': 's3://b/m', 'load_format': 'runai_streamer'}"
FOLDER_ARGS = "non-default args: {'model': '/models/m', 'load_format': 'runai_streamer'}"
GIB = "[RunAI Streamer] Overall time to stream 31.2 GiB of all files to cpu: 17.5s, 1.8 GiB/s"
STREAM_BAR = "Loading safetensors using Runai Model Streamer: 100% Completed | 9/9 [00:17<00:00]"
DOWNLOADED = "Time spent downloading weights for m: 30.500000 seconds"
SHARD_BAR = "Loading safetensors checkpoint shards: 100% Completed | 4/4 [00:20<00:00]"


def shown(start: Start) -> dict[str, list[str]]:
    """The signs, with the words that prove each."""
    return {sign: [e.text for e in evidence] for sign, evidence in start.signs.items()}


def signs_of(*lines: str) -> set[Sign]:
    return set(one(line(0, BANNER, by=FRONT), *lines).signs)


def test_weights_of_a_bucket_that_were_streamed_are_proven_by_two_lines() -> None:
    """The streamer's own, and the one that names the bucket."""
    start = one(
        line(0, BANNER, by=FRONT),
        line(1, BUCKET_ARGS, by=FRONT),
        f"(EngineCore pid=7) {GIB}",
        line(40, LOADED),
    )

    (streamed, named) = start.signs[Sign.WEIGHTS_STREAMED]
    assert ["RunAI Streamer" in streamed.text, "s3://b/m" in named.text] == [True, True]
    assert Sign.WEIGHTS_FROM_FILES not in start.signs


@pytest.mark.parametrize(
    ("lines", "sign"),
    [
        ((line(1, FOLDER_ARGS), GIB), Sign.WEIGHTS_FROM_FILES),
        ((line(1, FOLDER_ARGS), STREAM_BAR), Sign.WEIGHTS_FROM_FILES),
        ((line(1, BUCKET_ARGS), STREAM_BAR), Sign.WEIGHTS_STREAMED),
        ((GIB,), Sign.WEIGHTS_STREAMED),
        ((line(9, DOWNLOADED), GIB), Sign.WEIGHTS_FROM_FILES),
        ((line(1, FOLDER_ARGS), SHARD_BAR), Sign.WEIGHTS_FROM_FILES),
        ((line(30, WEIGHTS),), Sign.WEIGHTS_FROM_FILES),
    ],
)
def test_where_the_weights_came_from(lines: tuple[str, ...], sign: Sign) -> None:
    """
    A streamer over a mounted folder, or behind a download, reads files; otherwise its line with
    the GiB stands for itself.
    """
    of_weights = {Sign.WEIGHTS_STREAMED, Sign.WEIGHTS_FROM_FILES}

    assert {sign} == signs_of(*lines, line(40, LOADED)) & of_weights


def test_a_bar_alone_does_not_say_where_from() -> None:
    """Where nothing names the model, a streamer's progress proves no bucket."""
    assert set() == signs_of(STREAM_BAR, line(40, LOADED))


@pytest.mark.parametrize(
    ("filesystem", "mounted"),
    [("FUSE", True), ("FUSE.GCSFUSE", True), ("EXT4", False), ("unknown", False)],
)
def test_a_mounted_bucket_is_named_by_its_file_system(filesystem: str, mounted: bool) -> None:
    """Reading files is no proof of a mount: a local disk has files too."""
    said = f"Filesystem type for checkpoints: {filesystem}. Checkpoint size: 31.20 GiB. Available"

    assert mounted == (Sign.WEIGHTS_MOUNTED in signs_of(line(20, said), line(21, LOADED)))


def test_weights_of_a_daemon_are_shared() -> None:
    """`ipc_cache` says how many tensors it mapped."""
    mapped = "Mapped 291 tensors from the weight cache daemon (zero_copy mode)"

    assert {Sign.WEIGHTS_SHARED} == signs_of(line(20, mapped), line(21, LOADED))


@pytest.mark.parametrize(
    ("said", "sign"),
    [
        ("Directly load AOT compilation from path /c/model", Sign.CACHE_HIT),
        ("saved AOT compiled function to /c/model", Sign.CACHE_MISSED),
        ("Compiling a graph for compile range (1, 8192) takes 37.40 s", Sign.CACHE_MISSED),
        ("Compiling model again due to a load failure from /c, reason: x", Sign.CACHE_MISSED),
    ],
)
def test_the_compile_cache_shows_by_its_verdict(said: str, sign: Sign) -> None:
    """Hit, or compiled for whatever reason, with the line."""
    start = one(line(0, BANNER, by=FRONT), line(9, ENGINE), line(20, said))

    assert [said in e.text for e in start.signs[sign]] == [True]


def test_an_eager_engine_shows_nothing_of_a_cache() -> None:
    """Nothing was compiled: neither hit nor missed."""
    eager = ENGINE.replace("enforce_eager=False", "enforce_eager=True")

    assert set() == signs_of(line(9, eager), line(20, LOADED)) & {
        Sign.CACHE_HIT,
        Sign.CACHE_MISSED,
    }


@pytest.mark.parametrize(
    ("said", "sign"),
    [
        (
            (
                "Applying persisted startup plan (fingerprint 7fabb5d5): kv_cache_memory_bytes=6 "
                "(5.93 GiB). Memory profiling will be skipped."
            ),
            Sign.PLAN_APPLIED,
        ),
        (
            (
                "Startup plan not applied: current free memory (61.20 GiB) is below the recorded "
                "baseline (78.60 GiB); falling back to full memory profiling."
            ),
            Sign.PLAN_NOT_APPLIED,
        ),
        ("Saved startup plan to /c/startup_plan/startup_plan_5b1d.json", Sign.PLAN_NOT_APPLIED),
        (
            (
                "We must use the `spawn` multiprocessing start method. Overriding "
                "VLLM_WORKER_MULTIPROC_METHOD to 'spawn'. Reasons: CUDA is initialized"
            ),
            Sign.WORKER_SPAWNED,
        ),
        ("It took 0.970000 seconds to wake up tags None.", Sign.WOKE),
    ],
)
def test_a_line_that_is_a_sign_by_itself(said: str, sign: Sign) -> None:
    """Quoted as it stands."""
    told = shown(one(*whole(), line(70, said)))

    assert [line(70, said)] == told[sign]


def test_an_engine_that_ignores_the_order_did_not_sleep() -> None:
    """The CPU worker says so, and the engine tells of waking all the same."""
    ignored = "sleep mode is not supported on CPU, ignore it."
    woke = "It took 0.000312 seconds to wake up tags None."

    start = one(*whole(), line(70, ignored, level="WARNING"), line(70, woke))

    assert [Sign.WOKE in start.signs, len(start.facts["wake_s"])] == [False, 1]


def capture_bar(count: int) -> str:
    desc = "Capturing CUDA graphs (mixed prefill-decode, PIECEWISE)"
    return f"{desc}: 100%|██████████| {count}/{count} [00:01<00:00,  4.55it/s]"


@pytest.mark.parametrize(
    ("arguments", "captured", "limited"),
    [
        ("{'model': 'm', 'max_cudagraph_capture_size': 16}", 5, True),
        ("{'model': 'm', 'cudagraph_capture_sizes': [1, 2, 4]}", 3, True),
        ("{'model': 'm', 'max_cudagraph_capture_size': 16}", 51, False),
        ("{'model': 'm', 'max_cudagraph_capture_size': 512}", 51, False),
        ("{'model': 'm', 'max_num_seqs': 8}", 5, False),
        ("{'model': 'm', 'max_num_seqs': 8, 'max_cudagraph_capture_size': 16}", 5, False),
    ],
)
def test_a_limit_takes_a_wish_and_a_capture_that_kept_it(
    arguments: str, captured: int, limited: bool
) -> None:
    """Fewer because fewer requests are allowed is the engine's own choice."""
    signs = signs_of(
        line(1, f"non-default args: {arguments}", by=FRONT), line(9, ENGINE), capture_bar(captured)
    )

    assert limited == (Sign.CAPTURE_LIMITED in signs)


def test_a_plain_start_shows_only_where_its_weights_came_from() -> None:
    """No technique is made up."""
    assert {Sign.WEIGHTS_FROM_FILES} == set(one(*whole()).signs)

"""Logs that once made firstlight say something wrong; each says the right thing now, or less."""

import pytest

from firstlight.core.starts import CacheVerdict, Outcome
from firstlight.explain.explain import explain_log
from firstlight.readers.vllm_log import read_log
from tests.explain.telling import CORE, FRONT, line, log, one, told

VERSION = line(0, "vLLM API server version 0.20.2", by=FRONT)
ENGINE = line(
    10, "Initializing a V1 LLM engine (v0.20.2) with config: model='m', enforce_eager=False"
)
LOAD = line(19, "Starting to load model m...")
LOADED = line(42, "Model loading took 14.99 GiB memory and 23.000000 seconds")
READY = line(69, "init engine (profile, create kv cache, warmup model) took 27.00 s")
STARTING = line(70, "Starting vLLM server on http://0.0.0.0:8000", by=FRONT)
ROUTES = line(71, "Available routes are:", by=FRONT)
UP = "INFO:     Application startup complete."
WORK = (VERSION, ENGINE, LOAD, LOADED, READY)
TRACE = "Traceback (most recent call last):"


@pytest.mark.parametrize(
    "last",
    [
        "INFO:     Application startup failed. Exiting.",
        f"{TRACE}\nOSError: [Errno 98] Address already in use",
    ],
)
@pytest.mark.parametrize("said", [[STARTING], [STARTING, ROUTES]])
def test_a_server_that_failed_after_its_first_words_never_was_up(
    said: list[str], last: str
) -> None:
    """Routes are listed, and an address is named, a moment before the port is taken."""
    start = one(*WORK, *said, last)

    assert (Outcome.FAILED, None) == (start.outcome, start.total)


def test_an_address_alone_is_no_answer() -> None:
    """A log that ends with the address to be listened on does not show that it was."""
    start = one(*WORK, STARTING)

    assert (Outcome.INCOMPLETE, None) == (start.outcome, start.total)


def test_a_start_after_the_last_words_of_the_run_before() -> None:
    """`docker logs --since` begins with another run's shutdown; its time is not this start's."""
    before = [
        line(0, "Shutting down", by=FRONT, level="INFO").replace(" 10:", " 09:"),
    ]

    start = told(*before, *WORK, STARTING, ROUTES, UP)[-1]

    assert start.total is not None
    assert 71 == start.total.timeline.length_ns // 10**9


def test_a_sidecars_web_server_does_not_end_the_start() -> None:
    """It says the same words without a name, while the engine is still loading."""
    start = one(VERSION, ENGINE, LOAD, UP, LOADED, READY, STARTING, ROUTES, UP)

    assert start.total is not None
    assert 71 == start.total.timeline.length_ns // 10**9
    assert [27.0] == [f.value for f in start.facts["engine_init_s"]]


@pytest.mark.parametrize("level", ["WARNING", "ERROR"])
def test_what_the_front_end_survived_is_no_cause(level: str) -> None:
    """The engine goes on behind it; the log is cut before the end."""
    handled = [
        line(12, TRACE, by=FRONT, level=level),
        line(12, "ImportError: no such optional thing", by=FRONT, level=level),
    ]

    assert Outcome.INCOMPLETE is one(VERSION, ENGINE, *handled, LOAD, LOADED).outcome


def test_a_handled_warning_is_not_the_cause_of_a_later_failure() -> None:
    """The ERROR is."""
    start = one(
        VERSION,
        ENGINE,
        line(11, TRACE, level="WARNING"),
        line(11, "ImportError: no flashinfer", level="WARNING"),
        LOAD,
        line(20, "EngineCore failed to start.", level="ERROR"),
        line(20, TRACE, level="ERROR"),
        line(20, "ValueError: the real reason", level="ERROR"),
    )

    assert start.failure is not None
    assert "ValueError: the real reason" == start.failure.message


def test_a_drafters_own_setting_does_not_switch_the_engine_off() -> None:
    """The engine's config says what holds."""
    arguments = line(
        1,
        "non-default args: {'speculative_config': {'model': 'd', 'enforce_eager': True}}",
        by=FRONT,
    )

    verdict = one(VERSION, arguments, ENGINE, LOAD, LOADED).compile_cache.verdict

    assert CacheVerdict.UNKNOWN is verdict


def test_another_engines_log_is_no_start_of_vllm() -> None:
    """Progress bars and a web server are everybody's."""
    other = "Loading safetensors checkpoint shards: 100% Completed | 2/2 [00:01<00:00,  1.9it/s]"

    assert [] == told(other, "INFO:     Started server process [9]", UP)


def stamped(second: int, inner: str, said: str, *, by: str = CORE) -> str:
    outer = f"2026-03-29T{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}.500000000Z"
    return f"{outer} ({by}) INFO 03-29 {inner} [core.py:12] {said}"


def test_a_clock_that_is_put_forward_does_not_make_the_start_an_hour_longer() -> None:
    """The container's local stamps jump; the runtime's do not, and are right."""
    lines = [
        stamped(3590, "01:59:50", "vLLM API server version 0.20.2", by=FRONT),
        stamped(3599, "01:59:59", "Initializing a V1 LLM engine (v0.20.2) with config: model='m'"),
        stamped(3605, "03:00:05", "Starting to load model m..."),
        stamped(3630, "03:00:30", "Model loading took 14.99 GiB memory and 23.000000 seconds"),
        stamped(3640, "03:00:40", "Available routes are:", by=FRONT),
    ]

    (start,) = explain_log(read_log("a.log", [log(*lines)]))

    assert start.total is not None
    assert 50 == start.total.timeline.length_ns // 10**9
    assert "outer-stamps-drift" not in {f.code for f in start.findings}


def test_stamps_that_disagree_are_not_exact() -> None:
    """A shipper stamped in batches: three seconds of disagreement are in the uncertainty."""
    lines = [
        stamped(3600, "01:00:00", "vLLM API server version 0.20.2", by=FRONT),
        stamped(3623, "01:00:20", "Starting to load model m..."),
        stamped(3670, "01:01:10", "Available routes are:", by=FRONT),
    ]

    (start,) = explain_log(read_log("a.log", [log(*lines)]))

    assert start.total is not None
    assert start.total.uncertainty_ns >= 2 * 10**9


def test_the_level_of_a_later_sleep_is_not_the_one_before() -> None:
    """A wake lies between; the allocator tells what this one kept."""
    start = one(
        line(
            0,
            "CuMemAllocator: sleep freed 20.00 GiB memory in total, of which 14.90 GiB is "
            "backed up in CPU and the rest 5.10 GiB is discarded directly.",
        ),
        line(1, "It took 3.000000 seconds to fall asleep."),
        line(9, "It took 1.000000 seconds to wake up tags {'weights'}."),
        'INFO:     10.0.0.1:1 - "POST /sleep?level=2 HTTP/1.1" 200 OK',
    )

    assert [1] == [sleep.level for sleep in start.sleeps]


def test_two_engines_woven_into_one_are_nobodys_start() -> None:
    """Two pods, the same process ids, no prefix: no total, no phases, and it is said why."""
    again = [text.replace(" 10:", " 11:") for text in (LOADED, READY)]

    start = told(VERSION, ENGINE, LOAD, LOADED, *again, READY, STARTING, ROUTES, UP)[0]

    assert (None, ()) == (start.total, start.phases)
    assert "woven-logs" in {finding.code for finding in start.findings}


def test_a_shippers_long_envelope_does_not_hide_the_line() -> None:
    """The pod's labels come first, thousands of lines are alike in their first 200 bytes."""
    pod = '"kubernetes":{"labels":"' + "x" * 300 + '"}'
    debug = (line(20, f"step {n} of loading", level="DEBUG") for n in range(9000))
    lines = [VERSION, ENGINE, LOAD, *debug, LOADED, READY, STARTING, ROUTES]

    (start,) = explain_log(
        read_log("a.log", [log(*(f'{{{pod},"log":"{text}"}}' for text in lines))])
    )

    assert start.total is not None
    assert [27.0] == [f.value for f in start.facts["engine_init_s"]]

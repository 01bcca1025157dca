"""The marks that bound the phases."""

import pytest

from firstlight.core.marks import MarkKind
from firstlight.core.starts import Start
from firstlight.core.units import NS_PER_S
from firstlight.explain.axis import choose_axis
from firstlight.explain.moments import Moments, find_moments
from firstlight.readers.wordings.wording import Say
from tests.explain.telling import (
    BANNER,
    CORE,
    ENGINE,
    FRONT,
    LOADED,
    LOADS,
    READY,
    ROUTE,
    UP,
    WEIGHTS,
    groups,
    line,
    one,
    whole,
)


def moments(*lines: str) -> Moments:
    (group,) = groups(*lines)
    axis = choose_axis("a.log", [o.line for o in group.observations])
    ready = bool(group.server_lines(Say.UVICORN_COMPLETE, Say.ROUTES))
    return find_moments(group, axis, [], ready=ready)


def seconds(*lines: str) -> dict[str, int]:
    """Each mark, in seconds after ten o'clock."""
    found = moments(*lines).marks
    return {kind.value: mark.at_ns // NS_PER_S % 3600 for kind, mark in found.items()}


def total(start: Start) -> int | None:
    return start.total.timeline.length_ns // NS_PER_S if start.total else None


def test_a_whole_start() -> None:
    """Five moments, four phases."""
    assert {
        "first_log_line": 0,
        "load_begins": 14,
        "weights_in_place": 35,
        "engine_ready": 58,
        "server_up": 60,
    } == seconds(*whole())
    assert ["process_init", "weight_load", "engine_init", "api_start"] == [
        w.phase.value for w in moments(*whole()).windows()
    ]


def test_the_clock_waits_for_the_slowest_rank() -> None:
    """Loading begins with the first and ends with the last."""
    first, second = "Worker_TP0 pid=11", "Worker_TP1 pid=12"
    found = seconds(
        line(10, LOADS, by=first),
        line(12, LOADS, by=second),
        line(30, LOADED, by=first),
        line(33, LOADED, by=second),
    )

    assert {"load_begins": 10, "weights_in_place": 33} == found


def test_weights_are_in_place_when_the_loader_says_no_more() -> None:
    """The CPU runner has no `Model loading took`."""
    assert {"weights_in_place": 34} == seconds(line(34, WEIGHTS))


def test_a_reload_after_the_start_moves_nothing() -> None:
    """Weights are in place before the engine is ready, or not of this start."""
    late = line(200, "Loading weights took 5.50 seconds")

    assert seconds(*whole()) == seconds(*whole(), late)


@pytest.mark.parametrize(
    "beginning",
    [
        line(0, BANNER, by=FRONT),
        line(0, "vLLM server version 0.20.2, serving model m", by=FRONT),
        line(0, " \u2588\u2588 version 0.20.2", by=FRONT),
        line(0, "args: Namespace()", by=FRONT),
        line(0, "With `vllm serve`, you should provide the model", by=FRONT),
    ],
)
def test_a_total_needs_the_front_ends_beginning(beginning: str) -> None:
    """Any line that only the beginning has."""
    assert 60 == total(one(beginning, *whole()[2:]))


@pytest.mark.parametrize(
    "beginning",
    [
        line(0, "Automatically detected platform cuda.", by=""),
        line(0, ENGINE, by=CORE),
        line(0, "Resolved architecture: LlamaForCausalLM", by=FRONT),
        line(0, "x", by=FRONT),
        line(0, "Waiting for init message from front-end.", by=CORE),
    ],
)
def test_a_file_that_begins_in_the_middle_has_no_total(beginning: str) -> None:
    """Its first line is the first that somebody kept: before 0.11 every process detects."""
    start = one(beginning, *whole()[3:])

    assert (None, "ready") == (total(start), start.outcome.value)


def test_a_file_that_ends_early_has_no_total() -> None:
    """Phases whose both ends are there stay."""
    start = one(*whole()[:6])

    assert None is total(start)
    assert ["process_init", "weight_load"] == [p.name for p in start.phases]


def test_the_first_line_counts_not_the_banner() -> None:
    """A warning stood before it."""
    early = line(0, "Using pin_memory=False as WSL is detected.", by="", level="WARNING")

    assert 65 == total(one(early, *whole(5)))


def test_without_stamps_there_is_no_total() -> None:
    """What was printed remains."""
    start = one(BANNER, LOADS, WEIGHTS, READY, ROUTE, UP)

    assert (None, False, ["19.80"]) == (
        total(start),
        start.timed,
        [f.printed for f in start.facts["weights_s"]],
    )


def test_the_web_servers_own_line_ends_a_start_where_it_has_a_time() -> None:
    """Under a runtime's stamps every line has one."""
    seconds = (0, 1, 10, 14, 34, 35, 58, 60, 62)
    lines = [
        f"2026-03-04T10:{second // 60:02}:{second % 60:02}Z {text}"
        for second, text in zip(seconds, whole(), strict=True)
    ]

    assert 62 == total(one(*lines))


def test_the_engine_is_ready_where_the_front_end_goes_on() -> None:
    """Its own line was not collected; the front end had waited for it."""
    tasks = line(59, "Supported tasks: ['generate']", by=FRONT)

    assert 59 == seconds(*whole()[:6], tasks, *whole()[7:])["engine_ready"]


def test_somebodys_marks_come_first() -> None:
    """What was measured outside is not read from the log again."""
    (group,) = groups(*whole())
    axis = choose_axis("a.log", [o.line for o in group.observations])
    told = find_moments(group, axis, [], ready=True).marks
    seen = told[MarkKind.SERVER_UP]

    marks = find_moments(group, axis, [seen], ready=True).marks

    assert seen is marks[MarkKind.SERVER_UP]


def test_the_line_that_ends_a_start() -> None:
    """Facts behind it are not the start's."""
    assert (9, None) == (moments(*whole()).ready_line, moments(*whole()[:7]).ready_line)

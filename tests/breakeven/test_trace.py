"""The course over a trace is what playing it through gives, in all ways to draw start times."""

from dataclasses import replace
from itertools import accumulate
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.breakeven.course import DAY_S, Course, Rule
from firstlight.breakeven.trace import Trace, trace
from firstlight.core.errors import BadInput
from tests.breakeven.world import Played, play

gaps_s = st.lists(st.integers(0, 60), min_size=1, max_size=8)
lengths = st.lists(st.sampled_from([1.0, 5.0, 20.0, 47.0]), min_size=1, max_size=2)
rules = st.builds(
    Rule,
    idle_s=st.sampled_from([3.0, 10.0]),
    request_s=st.sampled_from([0.0, 2.0]),
    retention_s=st.sampled_from([0.0, 7.0, 19.0, 30.0, inf]),
)


def came(gaps: list[int], tail_s: int = 1) -> Trace:
    times = list(accumulate(gaps, initial=0))
    return trace(times, end_s=times[-1] + tail_s)


def told(course: Course, days: float) -> dict[str, float]:
    """A course over the whole trace, in the words of a play."""
    return {
        "up_s": course.up_s * days,
        "kept_s": course.kept_s * days,
        "colds": course.cold.per_day * days,
        "warms": course.warm.per_day * days,
        "waiting_s": course.waiting_s * days,
        "waiters": course.waiters * days,
    }


def played(seen: Played) -> dict[str, float]:
    return {
        "up_s": seen.up_s,
        "kept_s": seen.kept_s,
        "colds": seen.colds,
        "warms": seen.warms,
        "waiting_s": seen.waiting_s,
        "waiters": sum(chance for _, chance in seen.waits_s),
    }


@given(gaps=gaps_s, tail_s=st.integers(1, 50), rule=rules, cold=lengths, warm=lengths)
def test_a_course_is_what_playing_gives(
    gaps: list[int], tail_s: int, rule: Rule, cold: list[float], warm: list[float]
) -> None:
    """Every second and every wait, whatever the gaps, starts that swallow gaps among them."""
    one = came(gaps, tail_s)

    seen = play(list(one.times), one.end_s, rule, cold=cold, warm=warm)
    course = one.course(rule, cold=cold, warm=warm)

    assert played(seen) == pytest.approx(told(course, one.days), abs=1e-6)


@given(gaps=gaps_s, rule=rules, cold=lengths, wait_s=st.sampled_from([0.0, 0.5, 4.5, 19.5, 46.0]))
def test_waits_are_spread_as_playing_gives(
    gaps: list[int], rule: Rule, cold: list[float], wait_s: float
) -> None:
    """How many wait longer than so long."""
    one = came(gaps)

    seen = play(list(one.times), one.end_s, rule, cold=cold, warm=[2.0])
    course = one.course(rule, cold=cold, warm=[2.0])

    assert sum(chance for w, chance in seen.waits_s if w > wait_s) == pytest.approx(
        course.waiters_longer(wait_s) * one.days
    )


@given(gaps=gaps_s, idle_s=st.sampled_from([3.0, 10.0]), length_s=st.sampled_from([1.0, 20.0]))
def test_a_longer_window_finds_no_fewer_nodes(
    gaps: list[int], idle_s: float, length_s: float
) -> None:
    """And keeps them no shorter; for starts of one length, warm or cold, so nothing else moves."""
    one = came(gaps)
    courses = [
        one.course(Rule(idle_s=idle_s, retention_s=window_s), cold=[length_s], warm=[length_s])
        for window_s in (0.0, 5.0, 11.0, 28.0, inf)
    ]
    hits = [course.warm.per_day for course in courses]
    kept = [course.kept_s for course in courses]

    assert sorted(hits) == hits
    assert sorted(kept) == kept
    assert [0, 0] == [hits[0], courses[-1].cold.per_day]


@given(gaps=gaps_s, rule=rules, cold=lengths, warm=lengths)
def test_all_time_is_accounted_for(
    gaps: list[int], rule: Rule, cold: list[float], warm: list[float]
) -> None:
    """With a node that is always kept, up and kept are all there is; else no more than that."""
    one = came(gaps)
    kept = one.course(replace(rule, retention_s=inf), cold=cold, warm=warm)
    some = one.course(rule, cold=cold, warm=warm)

    assert DAY_S == pytest.approx(kept.up_s + kept.kept_s)
    assert some.up_s + some.kept_s <= DAY_S * (1 + 1e-9)


def test_users_who_come_during_a_start_wait_for_its_rest() -> None:
    """Three of them: 20 s, 15 s and 1 s; one comes when it is ready."""
    one = trace([0, 100, 105, 119, 120], end_s=130)
    course = one.course(Rule(idle_s=10, retention_s=inf), cold=(), warm=[20.0])

    assert [3, 36] == pytest.approx([course.waiters * one.days, course.waiting_s * one.days])
    assert 20 == pytest.approx(course.wait_s(0.95) or 0, abs=0.01)
    assert 15 == pytest.approx(course.wait_s(0.6) or 0, abs=0.01)


def test_a_start_swallows_the_gap_behind_it() -> None:
    """After 200 s of starting the engine is up until 320; the request at 310 finds it so."""
    one = trace([0, 100, 310], end_s=400)

    course = one.course(Rule(idle_s=20), cold=[200.0], warm=())

    assert 1 == pytest.approx(course.returns * one.days)
    assert 20 + (310 + 20 - 100) == pytest.approx(course.up_s * one.days)


def test_a_quicker_trace_is_the_same_pattern() -> None:
    """In half the time, with twice as many a day."""
    one = came([10, 30, 50])
    twice = one.quicker(2)

    assert [0, 5, 20, 45] == list(twice.times)
    rule = Rule(idle_s=3)
    assert 2 * one.course(rule, cold=[1.0], warm=()).requests == pytest.approx(
        twice.course(rule, cold=[1.0], warm=()).requests
    )


@pytest.mark.parametrize("times", [[], [5.0], [5.0, 5.0]])
def test_requests_over_no_time_are_no_trace(times: list[float]) -> None:
    """A rate needs a length."""
    with pytest.raises(BadInput, match="over no time"):
        trace(times)

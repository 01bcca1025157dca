"""Which clock to believe."""

from firstlight.core.marks import Clock
from firstlight.core.units import NS_PER_S
from firstlight.explain.axis import Axis, choose_axis
from firstlight.readers.log_line import LogLine, read_line

HEAD = "INFO 03-04 {clock} [core.py:12] x"


def lines(*raw: str) -> list[LogLine]:
    return [read_line(number, text) for number, text in enumerate(raw, 1)]


def seconds(axis: Axis, read: list[LogLine]) -> list[float | None]:
    """Each line's moment, counted from the first that has one."""
    moments = [axis.moment(line) for line in read]
    first = next(m.at_ns for m in moments if m)
    return [(m.at_ns - first) / NS_PER_S if m else None for m in moments]


def codes(axis: Axis) -> list[str]:
    return [f.code for f in axis.findings]


def test_the_outer_clock_is_finer() -> None:
    """A runtime's stamps win, and have their own precision."""
    read = lines(
        "2026-03-04T10:00:00.250Z " + HEAD.format(clock="10:00:00"),
        "2026-03-04T10:00:01.500Z a bar",
    )
    axis = choose_axis("a", read)

    assert (Clock.OUTER, [0, 1.25], []) == (axis.clock, seconds(axis, read), codes(axis))
    moment = axis.moment(read[0])
    assert moment is not None
    assert NS_PER_S // 1000 == moment.resolution_ns


def test_vllms_own_clock_where_there_is_no_other() -> None:
    """Lines of other programs then have no moment."""
    read = lines(HEAD.format(clock="10:00:00"), "a bar", HEAD.format(clock="10:00:07"))
    axis = choose_axis("a", read)

    assert (Clock.ENGINE, [0, None, 7]) == (axis.clock, seconds(axis, read))


def test_no_clock_at_all() -> None:
    """Durations are then printed, not timed."""
    assert choose_axis("a", lines("a bar")).clock is None
    assert choose_axis("a", []).clock is None


def test_stamps_that_drift_tell_of_a_flush() -> None:
    """Outer stamps that stand still while vLLM's go on are the log's, not the line's."""
    read = lines(
        "2026-03-04T10:12:00Z " + HEAD.format(clock="10:00:00"),
        "2026-03-04T10:12:00Z " + HEAD.format(clock="10:00:30"),
    )
    axis = choose_axis("a", read)

    assert (Clock.ENGINE, [0, 30], ["outer-stamps-drift"]) == (
        axis.clock,
        seconds(axis, read),
        codes(axis),
    )


def test_a_few_seconds_of_buffering_are_no_drift() -> None:
    """A line may wait a little on its way out."""
    read = lines(
        "2026-03-04T10:00:00Z " + HEAD.format(clock="10:00:00"),
        "2026-03-04T10:00:34Z " + HEAD.format(clock="10:00:30"),
    )

    assert Clock.OUTER is choose_axis("a", read).clock


def test_a_constant_difference_is_a_zone() -> None:
    """Hours apart, always: that is said, and nothing is moved."""
    read = lines(
        "2026-03-04 12:00:00.000 | " + HEAD.format(clock="10:00:00"),
        "2026-03-04 12:00:09.000 | " + HEAD.format(clock="10:00:09"),
    )
    axis = choose_axis("a", read)

    assert (Clock.OUTER, [0, 9], ["stamps-in-two-zones"]) == (
        axis.clock,
        seconds(axis, read),
        codes(axis),
    )


def test_new_years_eve() -> None:
    """No year in the stamps, and one ends: the new one's lie behind it."""
    read = lines("INFO 12-31 23:59:50 [c.py:1] x", "INFO 01-01 00:00:20 [c.py:1] x")

    assert [0, 30] == seconds(choose_axis("a", read), read)


def test_new_years_eve_under_outer_stamps() -> None:
    """A whole year between the two clocks' differences is no drift."""
    read = lines(
        "2026-12-31T23:59:50Z INFO 12-31 23:59:50 [c.py:1] x",
        "2027-01-01T00:00:20Z INFO 01-01 00:00:20 [c.py:1] x",
    )
    axis = choose_axis("a", read)

    assert (Clock.OUTER, [0, 30], []) == (axis.clock, seconds(axis, read), codes(axis))


def test_new_years_eve_in_the_journal() -> None:
    """Syslog's stamps have no year either."""
    read = lines("Dec 31 23:59:50 host vllm[1]: x", "Jan  1 00:00:20 host vllm[1]: x")

    assert [0, 30] == seconds(choose_axis("a", read), read)


def test_a_few_outer_stamps_are_not_the_logs_clock() -> None:
    """One program's own dates between vLLM's records."""
    read = lines(
        "2026-03-04 09:59:00 a library speaks",
        *[HEAD.format(clock=f"10:00:0{n}") for n in range(5)],
    )

    assert Clock.ENGINE is choose_axis("a", read).clock

"""Stamps as text to nanoseconds."""

import pytest

from firstlight.core.units import NS_PER_MS, NS_PER_S
from firstlight.readers.stamps import DAY_NS, YEAR_NS, engine_ns, epoch_ns, month_ns, unix_ns

NOON = 1_767_268_800 * NS_PER_S  # 2026-01-01T12:00:00Z


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-01-01T12:00:00Z", (NOON, NS_PER_S)),
        ("2026-01-01 12:00:00", (NOON, NS_PER_S)),
        ("2026/01/01 12:00:00", (NOON, NS_PER_S)),
        ("2026-01-01 12:00:00 UTC", (NOON, NS_PER_S)),
        ("2026-01-01T14:00:00+02:00", (NOON, NS_PER_S)),
        ("2026-01-01T05:00:00-0700", (NOON, NS_PER_S)),
        ("2026-01-01 12:00:00,250", (NOON + 250 * NS_PER_MS, NS_PER_MS)),
        ("2026-01-01T12:00:00.000000001Z", (NOON + 1, 1)),
        ("2026-02-30T12:00:00Z", None),
        ("2026-01-01T25:00:00Z", None),
        ("yesterday", None),
    ],
)
def test_dates_with_a_year(text: str, expected: tuple[int, int] | None) -> None:
    """Every zone and fraction that a runtime writes; a date that is none is None."""
    assert expected == unix_ns(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1767268800", (NOON, NS_PER_S)),
        ("1767268800.5", (NOON + 500 * NS_PER_MS, NS_PER_S // 10)),
        ("1767268800123", (NOON + 123 * NS_PER_MS, NS_PER_MS)),
        ("1767268800123456", (NOON + 123_456_000, 1000)),
        ("1767268800123456789", (NOON + 123_456_789, 1)),
        ("12", None),
        ("1e9", None),
        ("nan", None),
    ],
)
def test_numbers_since_1970(text: str, expected: tuple[int, int] | None) -> None:
    """Seconds to nanoseconds, told apart by their length."""
    assert expected == epoch_ns(text)


def test_vllms_own_stamp_counts_within_a_year() -> None:
    """No year and no zone: differences are what counts."""
    first, last = engine_ns("01", "01", "00", "00", "00"), engine_ns("12", "31", "23", "59", "59")

    assert (0, YEAR_NS - NS_PER_S) == (first, last)


def test_the_end_of_february_is_one_day_before_march() -> None:
    """In the year that vLLM's stamps are counted in, as in most."""
    assert (engine_ns("03", "01", "0", "0", "0") or 0) - DAY_NS == engine_ns(
        "02", "28", "0", "0", "0"
    )


@pytest.mark.parametrize("stamp", [("13", "01", "0", "0", "0"), ("01", "01", "24", "0", "0")])
def test_what_is_no_moment_is_none(stamp: tuple[str, str, str, str, str]) -> None:
    """Damage in a stamp costs the stamp, not the line."""
    assert engine_ns(*stamp) is None


@pytest.mark.parametrize(
    ("text", "day", "second"), [("Aug  9 00:00:01", 220, 1), ("Jan 19 00:01:00", 18, 60)]
)
def test_syslogs_months_have_names(text: str, day: int, second: int) -> None:
    """A day below ten stands behind two blanks."""
    assert (day * DAY_NS + second * NS_PER_S, NS_PER_S) == month_ns(text)


def test_syslog_may_have_a_fraction() -> None:
    """`journalctl -o short-precise` writes microseconds."""
    assert (NS_PER_S + 250_000_000, 1000) == month_ns("Jan 1 00:00:01.250000")


@pytest.mark.parametrize("text", ["Foo 19 13:16:35", "Aug 19", "Aug 99 13:16:35"])
def test_no_month_is_no_stamp(text: str) -> None:
    """Three letters that are no month begin a sentence."""
    assert month_ns(text) is None

"""Seconds go in as text and come out as floats; in between nothing is lost."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.core.units import NS_PER_S, nanoseconds, seconds

EXACT = 2**53
"""Up to here a float tells every integer from its neighbours."""


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("0", 0),
        ("19.8", 19_800_000_000),
        ("0.1", 100_000_000),
        ("127.60", 127_600_000_000),
        ("0.000000001", 1),
        ("0.0000000019", 1),
        ("007", 7_000_000_000),
        ("-1.5", -1_500_000_000),
    ],
)
def test_printed_seconds_become_the_same_nanoseconds(printed: str, expected: int) -> None:
    """No float takes part: 0.1 is a hundred million nanoseconds, not one more or less."""
    assert expected == nanoseconds(printed)


@given(st.integers(0, 10**60), st.integers(0, NS_PER_S - 1))
def test_any_length_keeps_its_last_nanosecond(whole: int, fraction: int) -> None:
    """However many digits were printed, none is rounded away."""
    assert whole * NS_PER_S + fraction == nanoseconds(f"{whole}.{fraction:09}")


@given(st.integers(-EXACT, EXACT))
def test_seconds_are_the_nearest_float(length_ns: int) -> None:
    """The way out is rounded once."""
    got = seconds(length_ns)

    assert float(Fraction(length_ns, NS_PER_S)) == got
    assert length_ns == round(Decimal(repr(got)) * NS_PER_S) or abs(length_ns) > 10**15

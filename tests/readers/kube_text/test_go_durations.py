"""Durations as Go prints them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.readers.kube.go_durations import go_duration_ns

S = 1_000_000_000


@pytest.mark.parametrize(
    ("text", "ns", "resolution_ns"),
    [
        ("3m44s", 224 * S, S),
        ("4m4.956s", 244_956_000_000, 1_000_000),
        ("146.51335ms", 146_513_350, 10),
        ("1h2m", 3720 * S, 60 * S),
        ("2.606s", 2_606_000_000, 1_000_000),
        ("0s", 0, S),
        ("12.5\u00b5s", 12_500, 100),
        ("12.5\u03bcs", 12_500, 100),
        ("7us", 7000, 1000),
        ("93ns", 93, 1),
        ("1h0m0.000000001s", 3600 * S + 1, 1),
        ("0.1234567891s", 123_456_789, 1),
    ],
)
def test_a_duration_is_exact_and_knows_its_digits(text: str, ns: int, resolution_ns: int) -> None:
    """Every unit Go prints, to the nanosecond; the last digit printed is the resolution."""
    assert (ns, resolution_ns) == go_duration_ns(text)


@pytest.mark.parametrize(
    "text", ["", "s", "5", "1.s", "4m4.956", "-3s", "3 s", "3s4m", "1s1s", "4m13", "1e9s", "٣s"]
)
def test_anything_else_is_no_duration(text: str) -> None:
    """A cut number, a wrong order, foreign digits: nothing is guessed."""
    assert None is go_duration_ns(text)


def printed_by_go(ns: int) -> str:
    """time.Duration's String, for what is at least a second."""
    seconds, below = divmod(ns, S)
    fraction = f".{below:09}".rstrip("0") if below else ""
    hours, rest = divmod(seconds, 3600)
    minutes, left = divmod(rest, 60)
    head = (f"{hours}h" if hours else "") + (f"{minutes}m" if hours or minutes else "")
    return f"{head}{left}{fraction}s"


@given(st.integers(S, 10**6 * S))
def test_what_go_prints_comes_back(ns: int) -> None:
    """Nothing is lost between Go's printing and this reading."""
    read = go_duration_ns(printed_by_go(ns))

    assert read is not None
    assert ns == read[0]

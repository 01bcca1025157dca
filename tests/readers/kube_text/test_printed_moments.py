"""Moments as kubectl prints them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.readers.kube.printed_moments import (
    Occurrences,
    Printed,
    age_ns,
    long_date_ns,
    named_ns,
    occurrences,
)
from tests.readers.kube_text.reading import whole

S = 1_000_000_000
HOUR, DAY = 3600 * S, 86400 * S


@pytest.mark.parametrize(
    ("text", "ns", "resolution_ns"),
    [
        ("0s", 0, S),
        ("108s", 108 * S, S),
        ("4m13s", 253 * S, S),
        ("25m", 1500 * S, 60 * S),
        ("3h", 3 * HOUR, HOUR),
        ("3h5m", 3 * HOUR + 300 * S, 60 * S),
        ("2d", 2 * DAY, DAY),
        ("2d3h", 2 * DAY + 3 * HOUR, HOUR),
        ("2y10d", 740 * DAY, DAY),
    ],
)
def test_an_age_is_as_exact_as_its_last_unit(text: str, ns: int, resolution_ns: int) -> None:
    """kubectl cuts an age, the coarser the older."""
    assert (ns, resolution_ns) == age_ns(text)


@pytest.mark.parametrize("text", ["", "5", "m", "-1s", "3s4m", "<unknown>", "1.5s", "99999999999s"])
def test_anything_else_is_no_age(text: str) -> None:
    """Neither a number alone nor a duration of Go's."""
    assert None is age_ns(text)


def test_a_cell_of_repeats_tells_both_ends() -> None:
    """`25m (x3 over 28m)`: last, count, first."""
    last = Printed(ns=1500 * S, resolution_ns=60 * S, is_age=True)
    first = Printed(ns=1680 * S, resolution_ns=60 * S, is_age=True)

    assert Occurrences(first=first, last=last, count=3) == occurrences("25m (x3 over 28m)")


@pytest.mark.parametrize("text", ["<unknown>", "<invalid>"])
def test_a_moment_kubectl_does_not_know_is_none(text: str) -> None:
    """A cell it is all the same: the row stays a row."""
    assert Occurrences() == occurrences(text)


def test_the_long_date_has_a_zone() -> None:
    """describe prints in the zone of whoever asks."""
    expected = (whole("2025-06-10T10:00:00"), S)

    assert expected == long_date_ns("Tue, 10 Jun 2025 12:00:00 +0200")


@pytest.mark.parametrize(
    "text",
    ["Tue, 10 Jux 2025 12:00:00 +0200", "Tue, 31 Jun 2025 12:00:00 +0200", "10 Jun 2025", ""],
)
def test_a_date_that_is_none_is_none(text: str) -> None:
    """An unknown month, a day that does not exist, no time of day."""
    assert None is long_date_ns(text)


@given(st.integers(1_400_000_000 * S + 1, 4_100_000_000 * S - 1))
def test_an_events_name_ends_in_its_first_moment(ns: int) -> None:
    """To the nanosecond."""
    assert ns == named_ns(f"vllm-0.{ns:x}")


@pytest.mark.parametrize(
    "name", ["", "vllm-0", "vllm-0.abc", "vllm-0.0000000000000001", "a.ffffffffffffffff"]
)
def test_a_name_that_ends_otherwise_has_no_moment(name: str) -> None:
    """Short, absurdly early or late numbers are not client-go's."""
    assert None is named_ns(name)

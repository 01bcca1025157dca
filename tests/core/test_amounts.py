"""Amounts as people read them."""

from math import inf

import pytest

from firstlight.core.amounts import length, money, number, short


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0, "0.00"),
        (1234.5, "1,234.50"),
        (-3.456, "-3.46"),
        (0.5444, "0.544"),
        (0.00012345, "0.000123"),
        (0.0000012345, "1.2e-06"),
    ],
)
def test_money_shows_three_digits_that_mean_something(value: float, said: str) -> None:
    """Cents from one on, and smaller ones as far as they go."""
    assert said == money(value)


@pytest.mark.parametrize(
    ("length_s", "said"),
    [
        (0.97, "0.97 s"),
        (93, "93.0 s"),
        (600, "10.0 min"),
        (7200, "2.0 h"),
        (2e5, "2.3 days"),
        (inf, "always"),
    ],
)
def test_a_length_has_the_unit_that_fits(length_s: float, said: str) -> None:
    """And one that never ends says so."""
    assert said == length(length_s)


def test_numbers_and_starts_are_short() -> None:
    """A start keeps its seconds; how many is whole where it is large."""
    assert ["428.0 s", "0.001 s"] == [short(428), short(0.001)]
    assert ["34.6", "1,234", "0.0012"] == [number(34.61), number(1234.4), number(0.0012)]

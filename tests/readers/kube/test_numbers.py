"""Numbers in foreign objects."""

from fractions import Fraction

import pytest

from firstlight.readers.json_pointer import set_at, value_at
from firstlight.readers.kube.fields import counted
from firstlight.readers.kube.gpus import gpus
from firstlight.readers.kube.label_selectors import fits
from firstlight.readers.kube.quantities import quantity

MANY = "1" * 5000
"""More digits than Python makes a number of."""


def test_quantities() -> None:
    """One number, however it is written."""
    assert [Fraction(1)] * 3 == [quantity(one) for one in ("1", "1000m", 1)]
    assert [1000, 1000] == [quantity("1k"), quantity("1e3")]


@pytest.mark.parametrize("written", [MANY, f"0.{MANY}", f"{MANY}Gi", "1e999", "\u0661", "1_0", "²"])
def test_what_is_no_number_to_the_api_is_none(written: str) -> None:
    """A million digits, or those of another script."""
    assert quantity(written) is None


def test_a_count_may_stand_in_a_text() -> None:
    """Nothing is raised by what is none."""
    given: tuple[object, ...] = (
        "8",
        8,
        "0",
        MANY,
        "²",
        "\u0661",
        "-1",
        "1.0",
        "",
        None,
        [],
        {},
        True,
    )
    assert (8, 8, 0) + (None,) * 10 == tuple(counted(one) for one in given)


def test_longer_digits_than_anybody_counts_are_none_anywhere() -> None:
    """In a pointer, in an expression over labels, in a number of GPUs."""
    assert value_at([1], f"/{MANY}") is None
    assert "/a" == set_at({"a": [0]}, f"/a/{MANY}", 1)
    assert fits({"operator": "Gt", "values": [MANY]}, "1") is False
    assert 1 == gpus({"limits": {"nvidia.com/gpu": MANY}})


def test_gpus_are_counted_by_value() -> None:
    """`2000m` of a whole device are two."""
    assert 2 == gpus({"limits": {"nvidia.com/gpu": "2000m"}})

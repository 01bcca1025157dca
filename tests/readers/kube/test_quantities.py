"""Kubernetes quantities."""

from fractions import Fraction

import pytest

from firstlight.readers.kube.quantities import quantity


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("48Gi", Fraction(48 * 2**30)),
        ("33.5G", Fraction(33_500_000_000)),
        ("500m", Fraction(1, 2)),
        ("1e3", Fraction(1000)),
        (2, Fraction(2)),
        ("1Ti", Fraction(2**40)),
        ("48GB", None),
        ("${MEMORY}", None),
        ("", None),
        (None, None),
        ("1e9999", None),
    ],
)
def test_a_quantity_is_an_exact_number(text: object, expected: Fraction | None) -> None:
    """With binary, decimal and small suffixes, or an exponent; anything else is none."""
    assert expected == quantity(text)

"""
Kubernetes quantities, as exact numbers: `500m`, `16Gi`, `1e3`, `2`.
"""

import re
from fractions import Fraction

_QUANTITY = re.compile(
    r"([+-]?(?:[0-9]{1,30}\.?[0-9]{0,30}|\.[0-9]{1,30}))"
    r"(?:([eE][+-]?[0-9]{1,2})|([numkMGTPE]|[KMGTPE]i)?)"
)
"""More digits than the API keeps are read, and not as many as somebody may write."""
_SUFFIXES = {
    "n": Fraction(1, 10**9),
    "u": Fraction(1, 10**6),
    "m": Fraction(1, 1000),
    "k": Fraction(1000),
    **{unit: Fraction(1000**power) for power, unit in enumerate("MGTPE", start=2)},
    **{f"{unit}i": Fraction(1024**power) for power, unit in enumerate("KMGTPE", start=1)},
}


def quantity(text: object) -> Fraction | None:
    """The number a quantity means; None where it is none."""
    match = _QUANTITY.fullmatch(str(text))
    if match is None:
        return None
    number, exponent, suffix = match.groups()
    if exponent:
        return Fraction(number + exponent)
    return Fraction(number) * _SUFFIXES.get(suffix or "", Fraction(1))

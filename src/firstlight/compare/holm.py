"""
Several questions at once, held to one error together after Holm (1979).

Each has a weight (section 4 of his paper): what was asked beforehand has the larger part of
the error.
"""

from collections.abc import Sequence

_CLAIMED = 0.8
"""The share of the error of all phases that the claimed ones have."""


def shares(claimed: int, others: int) -> tuple[float, float]:
    """
    How much of the error of all phases together one claimed phase has, and one other.

    A change claims one or two phases, and a start has ten: split evenly, four rounds a side
    could not show what the change was made for.
    """
    if not claimed or not others:
        return (1 / claimed if claimed else 0.0), (1 / others if others else 0.0)
    return _CLAIMED / claimed, (1 - _CLAIMED) / others


def holm(values: Sequence[float], weights: Sequence[float]) -> list[float]:
    """
    The probabilities of several tests, adjusted so that one error holds for all together.

    Args:
        values: one for each test.
        weights: what share of the error each has, more than zero.
    """
    order = sorted(range(len(values)), key=lambda at: values[at] / weights[at])
    adjusted, least = [1.0] * len(values), 0.0
    left = sum(weights)
    for at in order:
        least = max(least, min(1.0, values[at] * left / weights[at]))
        adjusted[at] = least
        left -= weights[at]
    return adjusted

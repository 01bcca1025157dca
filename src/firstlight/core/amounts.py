"""
Amounts as people read them: money, lengths of time, numbers.

For estimates, which have no more than three digits that mean something.
"""

import math

_MINUTE_S = 60
_HOUR_S = 3600
_DAY_S = 86_400
_WHOLE_FROM = 100
_SCIENTIFIC_BELOW = 1e-4


def money(value: float) -> str:
    """An amount: two decimals, and for small ones as many as show three digits."""
    if value == 0 or abs(value) >= 1:
        return f"{value:,.2f}"
    return f"{value:.3g}" if abs(value) >= _SCIENTIFIC_BELOW else f"{value:.1e}"


def length(length_s: float) -> str:
    """A length of time."""
    if math.isinf(length_s):
        return "always"
    if length_s >= 2 * _DAY_S:
        return f"{length_s / _DAY_S:,.1f} days"
    if length_s >= 2 * _HOUR_S:
        return f"{length_s / _HOUR_S:.1f} h"
    if length_s >= 2 * _MINUTE_S:
        return f"{length_s / _MINUTE_S:.1f} min"
    return short(length_s)


def short(length_s: float) -> str:
    """A wait or a start, in seconds."""
    return f"{length_s:.1f} s" if abs(length_s) >= 1 else f"{length_s:.2g} s"


def number(value: float) -> str:
    """How many, which need not be whole."""
    return f"{value:,.0f}" if value >= _WHOLE_FROM else f"{value:.3g}"

"""
Student's t distribution: how far out a share of it lies.

The standard library has the normal distribution only, and few rounds are what the other one is
for. That is too little to ask for a library of statistics, so none has to be installed. The
density is added up by Simpson's rule, and the quantile found by halving.
"""

from math import exp, lgamma, log, pi

_STEPS = 400
_FARTHEST = 1e4


def t_quantile(share: float, freedom: int) -> float:
    """
    The value that a share of the distribution lies below.

    Args:
        share: from a half to below one.
        freedom: degrees of freedom, at least one.
    """
    low, high = 0.0, 1.0
    while _below(high, freedom) < share and high < _FARTHEST:
        low, high = high, high * 2
    while high - low > high * 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if _below(middle, freedom) < share else (low, middle)
    return high


def _below(value: float, freedom: int) -> float:
    width = value / _STEPS
    ends = _density(0, freedom) + _density(value, freedom)
    inner = sum((4 if k % 2 else 2) * _density(k * width, freedom) for k in range(1, _STEPS))
    return 0.5 + (ends + inner) * width / 3


def _density(value: float, freedom: int) -> float:
    constant = lgamma((freedom + 1) / 2) - lgamma(freedom / 2) - log(freedom * pi) / 2
    return exp(constant - (freedom + 1) / 2 * log(1 + value * value / freedom))

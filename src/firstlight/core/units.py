"""
Units, so that a number cannot be mistaken for another.

Moments and lengths are integer nanoseconds everywhere inside: a sum of floats
loses what it is supposed to account for. Seconds exist only at the edges, in
what people read and in the JSON contract.
"""

from fractions import Fraction

NS_PER_S = 1_000_000_000
NS_PER_MS = 1_000_000
BYTES_PER_GIB = 1024**3


def seconds(length_ns: int) -> float:
    """Nanoseconds as seconds, for output."""
    return length_ns / NS_PER_S


def nanoseconds(text: str) -> int:
    """A decimal number of seconds, as printed, to whole nanoseconds; what is below one is cut."""
    return int(Fraction(text) * NS_PER_S)

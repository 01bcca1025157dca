"""
Chance for tests, the same every time.
"""

import random
from collections.abc import Callable


def dice(seed: int) -> Callable[[], float]:
    """A source of numbers in [0, 1)."""
    # It guards no secret.
    return random.Random(seed).random  # noqa: S311

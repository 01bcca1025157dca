"""
How the requests of a day are spread over its hours.

24 weights, one an hour, in any unit: only their proportions count. `flat` is what a service
has that is asked by machines. `office` is an assumption, and nobody's measurement: nearly
nothing at night, a rise in the morning, a dip at noon. Every day is like the other, so there is
no weekend in it; a trace of your own has one.
"""

import math

from firstlight.core.errors import BadInput
from firstlight.core.plain_numbers import plain_number

HOURS = 24
FLAT = (1.0,) * HOURS
OFFICE = (
    *(0.05,) * 6,
    *(0.2, 0.6, 1.5, 2.5, 3.0, 3.0, 2.0, 2.5, 3.0, 3.0, 2.5, 1.5),
    *(0.6, 0.4, 0.3, 0.2, 0.1, 0.05),
)
SHAPES = {"flat": FLAT, "office": OFFICE}


def read_shape(text: str) -> tuple[float, ...]:
    """
    A shape by its name, or 24 weights with commas between them; their mean is then one.

    Raises:
        BadInput: it is neither.
    """
    remedy = f"give {' or '.join(SHAPES)}, or 24 numbers with commas, one for each hour"
    weights = SHAPES.get(text.strip().lower())
    if weights is None:
        try:
            weights = tuple(plain_number(part) for part in text.split(","))
        except ValueError as e:
            raise BadInput(f"{text!r} is no shape of a day", remedy=remedy) from e
    if len(weights) != HOURS:
        raise BadInput(f"a day has {HOURS} hours, not {len(weights)} weights", remedy=remedy)
    wrong = [w for w in weights if not math.isfinite(w) or w < 0]
    if wrong:
        raise BadInput(
            f"{wrong[0]:g} is no weight of an hour: it is 0 or more, and finite", remedy=remedy
        )
    if not any(weights):
        raise BadInput("every hour of this day has the weight 0", remedy=remedy)
    mean = sum(weights) / HOURS
    return tuple(w / mean for w in weights)


def is_flat(weights: tuple[float, ...]) -> bool:
    """Whether every hour is like the other."""
    return len(set(weights)) == 1

"""
Start times and questions for tests, near the reference case: 226 s cold, 133 s warm.
"""

from collections.abc import Sequence

from firstlight.breakeven.answer import Answer, Question, answer
from firstlight.breakeven.choices import Scenario
from firstlight.breakeven.course import Arrivals
from firstlight.breakeven.poisson import Poisson
from firstlight.breakeven.prices import Prices
from firstlight.breakeven.sample import Sample
from tests.breakeven.dice import dice

COLD = Sample(seconds=(226.0, 224.0, 229.0, 225.0), measured=True, source="runs/cold")
WARM = Sample(seconds=(133.0, 131.0, 136.0, 132.0), measured=True, source="runs/warm")
WAKE = Sample(seconds=(0.97, 0.95, 1.05, 0.99), measured=True, source="runs/sleep")
ALL = {Scenario.COLD: COLD, Scenario.WARM: WARM, Scenario.WAKE: WAKE}


def stated(*seconds: float) -> Sample:
    return Sample(seconds=seconds, measured=False)


def law(per_hour: float) -> Poisson:
    return Poisson(per_s=per_hour / 3600)


def prices(node_per_hour: float = 3.6, penalty_per_s: float = 0.002, worth: float = 0.0) -> Prices:
    return Prices(
        node_per_hour=node_per_hour, penalty_per_s=penalty_per_s, freed_memory_worth=worth
    )


def question(
    arrivals: Arrivals | None = None,
    *,
    given: dict[Scenario, Sample] | None = None,
    priced_by: Prices | None = None,
    retention_s: float | None = None,
    idle_s: float = 300.0,
) -> Question:
    return Question(
        arrivals=arrivals or law(2),
        idle_s=idle_s,
        request_s=0.0,
        retention_s=retention_s,
        prices=priced_by or prices(),
        given=ALL if given is None else given,
        left_out={},
    )


def answered(one: Question, seed: int = 1) -> Answer:
    return answer(one, uniform=dice(seed))


def names(some: Sequence[object]) -> list[str]:
    return [str(one) for one in some]

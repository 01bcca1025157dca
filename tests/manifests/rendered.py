"""The steps of the example intents, drawn once."""

from functools import cache

from firstlight.manifests.steps import Step, steps
from firstlight.wiring.cards import deck
from tests.manifests.intents import example


@cache
def example_steps(name: str) -> tuple[Step, ...]:
    """Every step of an example."""
    return steps(example(name), deck())

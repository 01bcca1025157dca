"""The steps of the example intents, drawn once."""

from functools import cache

from firstlight.edges.card_files import card_texts
from firstlight.manifests.steps import Step, steps
from firstlight.techniques.deck import Deck, read_deck
from tests.manifests.intents import example


@cache
def deck() -> Deck:
    """The cards that come with firstlight."""
    return read_deck(card_texts())


@cache
def example_steps(name: str) -> tuple[Step, ...]:
    """Every step of an example."""
    return steps(example(name), deck())

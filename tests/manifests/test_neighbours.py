"""What each step has that the one before has not: as it was written out, and nothing else."""

import pytest

from firstlight.techniques.deck import REFERENCE_STEPS
from tests.manifests.intents import NAMES
from tests.manifests.neighbours import found, written


@pytest.mark.parametrize("number", range(len(REFERENCE_STEPS)))
@pytest.mark.parametrize("name", NAMES)
def test_a_step_differs_by_what_its_card_says(name: str, number: int) -> None:
    """Step 0 from the objects that say nothing of weights; nothing beside it, nothing missing."""
    assert written(name)[number] == found(name)[number]


@pytest.mark.parametrize("name", NAMES)
def test_every_step_is_written_out(name: str) -> None:
    """A golden file that ends early would leave the rest unread."""
    assert len(REFERENCE_STEPS) == len(written(name))

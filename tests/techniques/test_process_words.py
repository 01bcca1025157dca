"""A technique's change as words around the engine's command."""

import shlex

import pytest

from firstlight.techniques.card import Card
from firstlight.techniques.process_words import ENGINE, process_command, process_words
from tests.techniques.own_cards import DECK


@pytest.mark.parametrize("card", tuple(DECK), ids=lambda card: card.id)
def test_a_shell_takes_every_card_for_one_command(card: Card) -> None:
    """Environment first, then the engine's command and its arguments; the rest is a comment."""
    change = card.change.process

    words = shlex.split(process_command([card]), comments=True)

    before, after = words[: words.index("vllm")], words[words.index("...") + 1 :]
    model = words[words.index("serve") + 1 : words.index("...")]
    assert list(change.environment) == [word.partition("=")[0] for word in before]
    assert [a for a in change.arguments if a != "--model"] == [
        word for word in after if word.startswith("--")
    ]
    assert ("--model" in change.arguments) == bool(model)
    assert "$" not in "".join(words)


def test_what_only_the_user_knows_is_a_name_in_capitals() -> None:
    """The model stands where vLLM wants it, and a flag stands alone."""
    assert (
        "RUNAI_STREAMER_LOG_TO_STDERR=1",
        "vllm serve MODEL_URI ...",
        "--load-format runai_streamer",
    ) == process_words([DECK.card("stream-weights")])
    assert "--enable-sleep-mode" in process_words([DECK.card("sleep-wake")])


def test_what_comes_first_is_said_of_every_technique_in_the_chain() -> None:
    """In their order, in one comment."""
    chain = [DECK.card("compile-cache-published"), DECK.card("weight-daemon")]

    _, _, comment = process_command(chain).partition("  # ")

    assert "; ".join(str(card.change.process.before) for card in chain) == comment


def test_a_technique_that_is_no_word_of_the_command_leaves_it_as_it_is() -> None:
    """Nothing stands around it."""
    assert (ENGINE,) == process_words([DECK.card("image-prepull")])

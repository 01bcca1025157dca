"""The commands that a report prints are commands that firstlight has."""

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pytest

from firstlight.cli.main import firstlight
from firstlight.core.starts import Placement
from firstlight.edges.card_files import card_texts
from firstlight.explain.stake_commands import prove, show
from firstlight.techniques.card import Card
from firstlight.techniques.deck import read_deck
from tests.cli.console import explained
from tests.explain.telling import one, whole

DECK = read_deck(card_texts())
CASE = Path(__file__).resolve().parents[2] / "examples" / "reference-case"
PLACES = {
    "known": Placement(namespace="inference", workload="deployment/vllm"),
    "named in no object": Placement(),
}


def parsed(command: str) -> dict[str, Any]:
    """The command line, taken apart by our own commands and not carried out."""
    program, name, *words = shlex.split(command)
    assert "firstlight" == program
    group = click.Context(firstlight)
    found = firstlight.get_command(group, name)
    assert found is not None
    return {"command": name, **found.make_context(name, words, parent=group).params}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("card", tuple(DECK), ids=lambda card: card.id)
def test_what_shows_a_change_parses(card: Card, place: str) -> None:
    """For every card, with and without a name for the workload."""
    start = replace(one(*whole()), placement=PLACES[place])
    chain = (*(DECK.card(id_) for id_ in card.builds_on), card)

    told = parsed(show(start, chain))

    assert ("render", tuple(c.id for c in chain)) == (told["command"], told["techniques"])
    assert ("deployment/vllm" if place == "known" else "deployment.yaml") == told["given"]


@pytest.mark.parametrize("place", [*PLACES, "no cluster"])
@pytest.mark.parametrize("cold", [True, False])
def test_what_proves_it_parses(place: str, cold: bool) -> None:
    """In a cluster the kind of start is named; on a host the engine's command follows."""
    start = replace(one(*whole()), placement=PLACES.get(place))

    told = parsed(prove(start, cold=cold))

    assert "measure" == told["command"]
    assert (None if place == "no cluster" else "cold" if cold else "warm") == told.get("scenario")


def test_the_words_for_an_engine_on_a_host_are_no_command_of_ours() -> None:
    """Environment, the engine's command, arguments; a value that only the user knows by name."""
    start = one(*whole())

    assert (
        "RUNAI_STREAMER_LOG_TO_STDERR=1 vllm serve ... --load-format runai_streamer "
        "--model MODEL_URI" == show(start, [DECK.card("stream-weights")])
    )


def test_the_commands_of_the_reference_case_parse() -> None:
    """As printed."""
    (start,) = explained(CASE / "cold-baseline")["starts"]

    assert 3 == len(start["at_stake"])
    for stake in start["at_stake"]:
        assert "render" == parsed(stake["show"])["command"]
        assert "measure" == parsed(stake["prove"])["command"]


def test_a_pull_is_held_against_a_baseline_that_is_named() -> None:
    """`--baseline` and `--prepulled` say what no artefact does."""

    def state(*more: str | Path) -> list[str]:
        (start,) = explained(CASE / "cold-all", *more)["starts"]
        return [t["state"] for t in start["techniques"] if t["technique"] == "image-prepull"]

    assert [["not applied"], ["raced"], ["void"]] == [
        state(),
        state("--baseline", CASE / "cold-baseline"),
        state("--prepulled", "vllm/vllm-openai:v0.25.0"),
    ]


def test_a_command_that_we_do_not_have_is_refused() -> None:
    """So that the tests above can fail."""
    with pytest.raises(click.UsageError):
        parsed("firstlight render deployment/vllm --technik x")

"""The commands that a report prints are commands that firstlight has."""

import shlex
from dataclasses import replace
from pathlib import Path

import click
import pytest

from firstlight.core.starts import Placement
from firstlight.explain.stake_commands import prove, show
from firstlight.techniques.card import Card
from firstlight.wiring.cards import deck
from tests.cli.command_lines import parsed
from tests.cli.console import explained
from tests.cli.console import firstlight as run
from tests.explain.telling import line, log, one, whole

DECK = deck()
CASE = Path(__file__).resolve().parents[2] / "examples" / "reference-case"
PLACES = {
    "known": Placement(namespace="inference", workload="deployment/vllm"),
    "named in no object": Placement(),
}


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


def test_what_comes_first_is_a_comment_to_a_shell() -> None:
    """In a cluster nothing is said of it; on a host it must not run, nor open a subshell."""
    command = show(one(*whole()), [DECK.card("stream-weights"), DECK.card("weight-daemon")])
    words, _, comment = command.partition("  # ")

    assert "start the daemon once" in comment
    assert shlex.split(words) == shlex.split(command, comments=True)
    assert ["--load-format", "ipc_cache"] == shlex.split(words)[-4:-2]


def test_of_two_techniques_on_a_host_the_last_value_holds() -> None:
    """And each argument is said once, with what the user has to fill in as a name."""
    command = show(one(*whole()), [DECK.card("fuse-mount"), DECK.card("stream-weights")])

    assert 1 == command.count("--model ")
    assert "--model MODEL_URI" in command


def test_a_failed_start_says_nothing_of_stakes() -> None:
    """How long it takes to fail is nobody's gain: neither some seconds nor none."""
    why = ("EngineCore failed to start.", "torch.OutOfMemoryError: CUDA out of memory.")
    failed = log(*whole()[:5], *(line(36, said, level="ERROR") for said in why))
    printed = run("explain", "-", stdin=failed)

    assert b"failed" in printed.stdout
    assert b"at stake" not in printed.stdout
    assert [] == explained("-", stdin=failed)["starts"][0]["at_stake"]


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

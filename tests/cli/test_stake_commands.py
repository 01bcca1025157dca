"""The commands that a report prints are commands that firstlight has."""

import shlex
from dataclasses import replace
from pathlib import Path

import click
import pytest

from firstlight.core.starts import Placement
from firstlight.explain.stake_commands import prove, prove_kept_nodes, show
from firstlight.techniques.card import Card, Status
from firstlight.wiring.cards import deck
from tests.cli.command_lines import parsed
from tests.cli.console import explained, said
from tests.cli.console import firstlight as run
from tests.explain.telling import line, log, one, whole
from tests.manifests.intents import EXAMPLES

# A process of its own takes its time to start on a busy machine.
pytestmark = pytest.mark.timeout(30)

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


OFFERED = [
    one_card
    for one_card in DECK
    if one_card.change.kubernetes.operations and one_card.decision.status is not Status.EXCLUDED
]
WORDS = {
    "s3://BUCKET/PREFIX": "s3://example-models/some/prefix",
    "FIRSTLIGHT_IMAGE": "registry.example.com/firstlight:0.1.0",
    "TRUSTED_KEY": f"ed25519:{'a' * 43}=",
    "CUDA_ARCH": "12.0f",
    "MAX_CAPTURE_SIZE": "256",
    "SNAPSHOT_ID": "snap-0123456789abcdef0",
}
"""What somebody writes in place of each placeholder."""


@pytest.fixture(scope="module")
def manifests(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The objects of the reference case's step 0, and of a case on Bottlerocket, by node class."""
    made = {}
    for name, system in (("intent", "al2023"), ("bottlerocket", "bottlerocket")):
        # A volume's snapshot is read where images lie on that volume.
        disks = "nvme: false\n" if system == "bottlerocket" else ""
        intent = (EXAMPLES / f"{name}.yaml").read_text() + disks
        done = run("render", "-", "--step", "0", stdin=intent.encode())
        assert 0 == done.returncode
        made[system] = tmp_path_factory.mktemp(system) / "deployment.yaml"
        made[system].write_bytes(done.stdout)
    return made


@pytest.mark.parametrize("one_card", OFFERED, ids=lambda one_card: one_card.id)
def test_what_shows_a_change_runs(one_card: Card, manifests: dict[str, Path]) -> None:
    """With every placeholder replaced; as printed it runs, or asks for a placeholder."""
    start = replace(one(*whole()), placement=Placement())
    chain = (*(DECK.card(id_) for id_ in one_card.builds_on), one_card)
    nodes = "bottlerocket" if one_card.id == "image-in-volume-snapshot" else "al2023"
    _, command, file, *printed = shlex.split(show(start, chain))
    assert ["render", "deployment.yaml"] == [command, file]
    pairs = [word.split("=", 1) for word in printed if "=" in word]
    said_now = [f"{name}={WORDS[value]}" for name, value in pairs]

    as_printed = run(command, manifests[nodes], *printed)
    filled = run(
        command, manifests[nodes], *(said_now.pop(0) if "=" in word else word for word in printed)
    )

    assert (0, True) == (filled.returncode, filled.stdout.startswith(b"#")), filled.stderr
    if as_printed.returncode:
        assert 2 == as_printed.returncode
        assert any(value in said(as_printed) or name in said(as_printed) for name, value in pairs)


@pytest.mark.parametrize("place", [*PLACES, "no cluster"])
@pytest.mark.parametrize("cold", [True, False])
def test_what_proves_it_parses(place: str, cold: bool) -> None:
    """In a cluster the kind of start is named, and `--yes`, for without it nothing is done."""
    start = replace(one(*whole()), placement=PLACES.get(place))
    command = prove(start, cold=cold)

    told = parsed(command)

    assert "measure" == told["command"]
    assert (None if place == "no cluster" else "cold" if cold else "warm") == told.get("scenario")
    if place != "no cluster":
        assert told["yes"]
        assert command.endswith("--yes  # deletes the pod: a new one starts")


def test_a_kept_node_is_proven_in_words() -> None:
    """Nothing in them runs when they are pasted."""
    assert [] == shlex.split(prove_kept_nodes(), comments=True)


def test_the_words_for_an_engine_on_a_host_are_no_command_of_ours() -> None:
    """Environment, the engine's command, arguments; a value that only the user knows by name."""
    start = one(*whole())

    assert (
        "RUNAI_STREAMER_LOG_TO_STDERR=1 vllm serve MODEL_URI ... --load-format runai_streamer"
        == show(start, [DECK.card("stream-weights")])
    )


def test_what_comes_first_is_a_comment_to_a_shell() -> None:
    """In a cluster nothing is said of it; on a host it must not run, nor open a subshell."""
    command = show(one(*whole()), [DECK.card("stream-weights"), DECK.card("weight-daemon")])
    words, _, comment = command.partition("  # ")

    assert "start the daemon once" in comment
    assert shlex.split(words) == shlex.split(command, comments=True)
    assert ["--load-format", "ipc_cache"] == shlex.split(words)[-2:]


def test_of_two_techniques_on_a_host_the_last_value_holds() -> None:
    """And each argument is said once, with what the user has to fill in as a name."""
    command = show(one(*whole()), [DECK.card("fuse-mount"), DECK.card("stream-weights")])

    assert "vllm serve MODEL_URI ... " in command
    assert "--model" not in command


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
        if stake["technique"] == "node-retention":
            assert [] == shlex.split(stake["prove"], comments=True)
        else:
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

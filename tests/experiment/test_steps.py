"""Every step is the one before and one change, and that is proven."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.core.errors import BadInput
from firstlight.experiment.command_change import CommandChange
from firstlight.experiment.command_difference import command_differences
from firstlight.experiment.command_proof import proven
from firstlight.experiment.command_setup import CommandSetup
from firstlight.experiment.command_words import read_command, with_argument
from firstlight.experiment.declared import declared
from firstlight.experiment.identity import digest
from tests.experiment.plans import CACHE, PLACEBO, STREAM, worked_out

BASE = CommandSetup(command=("vllm", "serve", "m", "--port", "8000"), environment={"A": "1"})


def lines(number: int) -> list[str]:
    _, steps = worked_out()
    return [one.line for one in steps[number].difference]


def test_a_technique_that_takes_anothers_place_leaves_nothing_of_it() -> None:
    """The mount's path is gone from the command, and the bucket stands where it stood."""
    _, (base, streamed, *_) = worked_out()

    assert ("vllm", "serve", "/mnt/m", "--port", "8000") == base.process.command
    assert "s3://bucket/m" == streamed.process.command[2]
    assert ("stream-weights",) == streamed.active
    assert [
        "--model: /mnt/m -> s3://bucket/m",
        "--load-format: runai_streamer (was not there)",
        "environment RUNAI_STREAMER_LOG_TO_STDERR: 1 (was not there)",
    ] == lines(1)


def test_a_cache_moves_from_the_container_to_the_node() -> None:
    """The base has it inside the container, as a container has."""
    assert "environment VLLM_CACHE_ROOT: ${container}/vllm -> ${node}/cache/vllm" in lines(2)


def test_a_change_of_ones_own_is_a_step() -> None:
    """With the phases that it should move."""
    _, steps = worked_out(steps=[{**PLACEBO, "claims": ["engine_init"]}])

    assert ("placebo", None, ("engine_init",)) == (
        steps[1].name,
        steps[1].technique,
        steps[1].claims,
    )
    assert ["environment NOBODY_READS: 1 (was not there)"] == [
        one.line for one in steps[1].difference
    ]


def test_a_card_says_what_it_claims() -> None:
    """The phases are fixed before anything is run."""
    _, steps = worked_out()

    assert [(), ("weight_load",), ("engine_init",), ()] == [step.claims for step in steps]


def test_a_step_that_changes_nothing_is_refused() -> None:
    """It would measure the noise."""
    own = {"change": "port", "process": {"arguments": {"--port": "8000"}}}
    with pytest.raises(BadInput, match="changes nothing"):
        worked_out(steps=[own])


def test_a_step_that_is_more_than_its_change_is_refused() -> None:
    """What else differs is named."""
    change = CommandChange(environment={"B": "2"})
    after = CommandSetup(command=(*BASE.command, "--eager"), environment={"A": "1", "B": "2"})

    with pytest.raises(BadInput, match="beside its own there is --eager"):
        proven(BASE, after, change=change, undone=(), name="b")


def test_a_step_without_its_own_change_is_refused() -> None:
    """What is there is the undoing of another only."""
    change = CommandChange(environment={"B": "2"})
    undone = CommandChange(environment={"A": "1"})
    after = CommandSetup(command=BASE.command, environment={})

    with pytest.raises(BadInput, match="does not have its own change"):
        proven(BASE, after, change=change, undone=[undone], name="b")


def test_a_wrapper_is_one_change() -> None:
    """Words before the command."""
    own = {"change": "nice", "process": {"wrapper": ["nice", "-n", "5"]}}
    _, steps = worked_out(steps=[own])

    assert ("nice", "-n", "5", "vllm", "serve") == steps[1].process.words[:5]
    assert ["the words before the command: nice -n 5 (was not there)"] == [
        one.line for one in steps[1].difference
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("vllm serve m --port=1", "vllm serve m --port 1"),
        ("vllm serve m --max_model_len 5", "vllm serve m --max-model-len 5"),
        ("vllm serve m --a --b 1", "vllm serve m --b 1 --a"),
        ("vllm serve m --port 1 --port 2", "vllm serve m --port 2"),
        ("vllm serve m", "vllm serve --model m"),
    ],
)
def test_two_spellings_of_one_command_do_not_differ(one: str, other: str) -> None:
    """Only what it says counts."""
    setups = [CommandSetup(command=tuple(words.split()), environment={}) for words in (one, other)]

    assert () == command_differences(*setups)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("vllm serve old --port 1", "vllm serve new --port 1"),
        ("vllm serve --port 1", "vllm serve new --port 1"),
        ("vllm serve old --model older", "vllm serve new"),
        ("/opt/my-engine serve old --port 1", "/opt/my-engine serve new --port 1"),
        (
            "python -m vllm.entrypoints.cli.main serve old",
            "python -m vllm.entrypoints.cli.main serve new",
        ),
        (
            "engine --served-model-name serve --model old",
            "engine --served-model-name serve --model new",
        ),
        (
            "python -m vllm.entrypoints.openai.api_server --model old",
            "python -m vllm.entrypoints.openai.api_server --model new",
        ),
    ],
)
def test_the_model_is_where_the_program_has_it(command: str, expected: str) -> None:
    """Behind `serve`, whatever the program is called, or as an option."""
    found = with_argument(command.split(), "--model", "new")

    assert tuple(expected.split()) == found
    assert "new" == read_command(found).options["--model"]


NAMES = st.sampled_from(["--a", "--b", "--load-format", "--port"])


@given(
    name=NAMES, value=st.none() | st.from_regex(r"[a-z0-9]{1,5}", fullmatch=True), data=st.data()
)
def test_an_argument_that_was_set_is_there_once(
    name: str, value: str | None, data: st.DataObject
) -> None:
    """Whatever was there before; all others are as they were."""
    words = data.draw(st.lists(st.tuples(NAMES, st.sampled_from([None, "1", "x"])), max_size=4))
    command = ["vllm", "serve", "m"]
    for option, given_value in words:
        command += [option] if given_value is None else [f"{option}={given_value}"]

    found = with_argument(command, name, value)

    assert 1 == sum(word.partition("=")[0] == name for word in found)
    assert value == read_command(found).options[name]
    before = {n: v for n, v in read_command(command).options.items() if n != name}
    assert before == {n: v for n, v in read_command(found).options.items() if n != name}


def test_what_may_differ_is_what_was_proven_to_differ() -> None:
    """In the names of a fingerprint."""
    _, steps = worked_out()

    assert {
        "argument:--model",
        "argument:--load-format",
        "environment:RUNAI_STREAMER_LOG_TO_STDERR",
        "model",
        "volumes",
    } == set(declared(steps[1]))
    assert "compile cache" in declared(steps[2])
    assert ("environment:NOBODY_READS",) == declared(steps[3])


def test_a_plan_is_the_same_while_its_steps_are() -> None:
    """A name or a price may change, a value may not."""
    plan, steps = worked_out()
    renamed, same = worked_out(name="another", price={"per_hour": 1})
    changed, others = worked_out(steps=[STREAM, CACHE])

    assert digest(plan, steps) == digest(renamed, same)
    assert digest(plan, steps) != digest(changed, others)

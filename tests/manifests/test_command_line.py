"""The engine's arguments, in every form that people write them in."""

import shutil
import subprocess
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.core.errors import BadInput
from firstlight.manifests.command_line import CommandLine, Edit, command_line, edited
from firstlight.readers.engine_program import Program

BASH = shutil.which("bash")


def read(container: dict[str, Any]) -> CommandLine:
    return command_line(container, lambda pointer: f"the container{pointer}")


def value(line: CommandLine, argument: str) -> str | None:
    option = line.last(argument)
    return option.value if option else None


def model(line: CommandLine) -> str | None:
    return None if line.model is None else line.arguments.words[line.model].text


@pytest.mark.parametrize(
    "words",
    [
        ["--load-format", "x"],
        ["--load-format=x"],
        ["--load_format", "x"],
        ["--load_format=x"],
        ["--load-format", "y", "--load-format=x"],
        ["--load-form", "x"],
        ["--enforce-eager", "--load-format", "x"],
        ["--served-model-name", "a", "b", "--load-format", "x"],
    ],
)
def test_an_argument_is_read_as_the_engine_reads_it(words: list[str]) -> None:
    """Dashes or underscores, in one word or two, shortened; the last one counts."""
    assert "x" == value(read({"args": words}), "--load-format")


@pytest.mark.parametrize(
    "words",
    [
        ["--load-format-extra", "x"],
        ["--model-loader", "--load-format.x", "1"],
        ["--json", "--load-format"],
    ],
)
def test_another_argument_is_not_taken_for_it(words: list[str]) -> None:
    """Nor is a flag's name that begins alike, or has a dotted part."""
    assert "x" != value(read({"args": words}), "--load-format")


def test_short_forms_and_other_names_are_the_long_ones() -> None:
    """`-tp 2` is `--tensor-parallel-size 2`."""
    line = read({"args": ["-tp", "2", "-O3", "--device-memory-utilization", "0.8"]})

    assert "2" == value(line, "--tensor-parallel-size")
    assert "0.8" == value(line, "--gpu-memory-utilization")


def test_a_flag_that_is_taken_back_is_not_given() -> None:
    """`--no-enable-lora` behind `--enable-lora`."""
    line = read({"args": ["--enable-lora", "--no-enable-lora"]})
    last = line.last("--enable-lora")

    assert last is not None
    assert last.negated


@pytest.mark.parametrize(
    ("container", "program", "expected"),
    [
        ({"args": ["--model", "m"]}, Program.IMAGE, "m"),
        ({"args": ["m", "--port", "1"]}, Program.IMAGE, "m"),
        ({"args": ["serve", "m"]}, Program.SERVE, "m"),
        ({"command": ["vllm", "serve"], "args": ["m"]}, Program.SERVE, "m"),
        ({"command": ["/opt/venv/bin/vllm", "serve", "m"]}, Program.SERVE, "m"),
        ({"command": ["vllm", "serve", "--enforce-eager", "m"]}, Program.SERVE, "m"),
        ({"command": ["env", "A=1", "vllm", "serve", "--port", "1", "m"]}, Program.SERVE, "m"),
        (
            {"command": ["python3", "-m", "vllm.entrypoints.openai.api_server", "--model=m"]},
            Program.API_SERVER,
            "--model=m",
        ),
        ({"command": ["sh", "-c", "vllm serve m"]}, Program.SERVE, "m"),
        ({"command": ["bash"], "args": ["-lc", "exec vllm serve 'm' | tee x"]}, Program.SERVE, "m"),
        ({"args": ["bash", "-ec", "cd /x && vllm serve \\\n m\n"]}, Program.SERVE, "m"),
        ({"command": ["sh", "-c", "vllm serve $MODEL"]}, Program.SERVE, "$MODEL"),
        ({"command": ["bash", "-euo", "pipefail", "-c", "vllm serve m"]}, Program.SERVE, "m"),
        ({"command": ["bash", "-o", "pipefail", "-ec", "vllm serve m"]}, Program.SERVE, "m"),
        ({"command": ["bash", "-c", "-e", "vllm serve m"]}, Program.SERVE, "m"),
        ({"command": ["bash", "--norc", "-c", "--", "vllm serve m"]}, Program.SERVE, "m"),
        ({"command": ["bash", "--rcfile", "x", "-c", "vllm serve m"]}, Program.SERVE, "m"),
        ({"command": ["tini", "--", "sh", "-c", "vllm serve m"]}, Program.SERVE, "m"),
        ({"command": ["vllm", "serve", "--model", "a", "--model", "b"]}, Program.SERVE, "a"),
        (
            {
                "command": ["python3", "-m", "vllm.entrypoints.openai.api_server"],
                "args": ["--model", "a", "--model", "b"],
            },
            Program.API_SERVER,
            "b",
        ),
    ],
)
def test_the_engine_is_found_with_its_model(
    container: dict[str, Any], program: Program, expected: str
) -> None:
    """However it is started."""
    line = read(container)

    assert (program, expected) == (line.program, model(line))


@pytest.mark.parametrize(
    ("container", "why"),
    [
        ({}, "neither command nor args"),
        ({"command": ["/start.sh"]}, "it starts /start.sh"),
        ({"command": ["/start.sh"], "args": ["--model", "m"]}, "it starts /start.sh"),
        ({"command": ["bash", "/start.sh"]}, "it starts bash"),
        ({"command": ["sh", "-c", "./start.sh"]}, "does not start the engine"),
        ({"command": ["sh", "-c", "su x -c 'vllm serve m'"]}, "does not start the engine"),
        ({"command": ["sh", "-c", "vllm serve a || vllm serve b"]}, "starts the engine 2 times"),
        ({"command": ["sh", "-c", "vllm serve 'a"]}, "ends inside a quote"),
        ({"args": ["--model m --port 1"]}, "several words in one item"),
        ({"command": ["sh", "-c", "set -e\r\nvllm serve m\r\n"]}, "Windows line ends"),
        ({"command": ["sh", "-c", "vllm serve " + '"$(' * 2000]}, "nests too many"),
    ],
)
def test_arguments_that_cannot_be_told_are_refused(container: dict[str, Any], why: str) -> None:
    """A patch of a guess would be wrong in silence."""
    with pytest.raises(BadInput, match=why):
        read(container)


@pytest.mark.parametrize(
    ("words", "argument", "expected", "hidden"),
    [
        ("--api-key $KEY $EXTRA", "--api-key", "$KEY", ["$EXTRA"]),
        ("--served-model-name foo $EXTRA", "--served-model-name", "foo", ["$EXTRA"]),
        ("--load-format $LF --port 1", "--load-format", "$LF", []),
        ("--load-format $LF_ARGS --port 1", "--load-format", None, ["$LF_ARGS"]),
        ("--served-model-name $A $B $C", "--served-model-name", "$A", ["$B", "$C"]),
    ],
)
def test_a_variable_behind_a_value_may_be_arguments(
    words: str, argument: str, expected: str | None, hidden: list[str]
) -> None:
    """Also where the argument takes several values."""
    line = read({"command": ["sh", "-c", f"vllm serve m {words}"]})

    assert expected == value(line, argument)
    assert hidden == [line.arguments.words[at].text for at in line.arguments.open]


def changed(container: dict[str, Any], *edits: Edit) -> dict[str, Any]:
    new = deepcopy(container)
    edited(new, read(new), edits)
    return new


def test_a_word_goes_behind_the_last_item() -> None:
    """Of args where there are any, else of the command that holds the engine's words."""
    both = {"command": ["vllm", "serve"], "args": ["m"]}
    only_command = {"command": ["vllm", "serve", "m"]}

    assert {"command": ["vllm", "serve"], "args": ["m", "--x"]} == changed(
        both, Edit(at=1, words=("--x",))
    )
    assert {"command": ["vllm", "serve", "m", "--x"]} == changed(
        only_command, Edit(at=1, words=("--x",))
    )


SCRIPT = """\
# vllm serve of the chat model
export A=1   # keep
exec vllm serve /m  \\
   --port  8000 \\
   --seed 1 > "/tmp/a b" 2>&1 || { echo 'failed'; sleep 5; }
"""


def test_an_edit_of_a_script_leaves_every_other_character() -> None:
    """Comments, spaces, continued lines, redirections, and what comes after."""
    container = {"command": ["bash", "-c", SCRIPT]}

    new = changed(
        container,
        Edit(at=0, removed=1, words=("s3://b/m",)),
        Edit(at=1, removed=2),
        Edit(at=5, words=("--x", "y")),
    )

    expected = SCRIPT.replace("/m  \\\n   --port  8000", "s3://b/m")
    expected = expected.replace("--seed 1", "--seed 1 \\\n   --x y")
    assert expected == new["command"][2]


words = st.text("abc-/=.:'\" $\\#", min_size=1, max_size=6)


@pytest.mark.skipif(BASH is None, reason="no bash here")
@given(st.lists(words, max_size=4), words.filter(lambda w: not w.startswith("-")))
def test_what_is_written_into_a_script_is_what_the_engine_gets(given: list[str], new: str) -> None:
    """Quoted where it has to be, whatever it is, by the shell's own account."""
    container: dict[str, Any] = {"command": ["bash", "-c", "vllm serve m"]}
    line = read(container)
    added = tuple(line.written(word) for word in [*given, new])

    edited(container, line, [Edit(at=1, words=added)])
    function = "vllm() { for word; do printf '%s\\0' \"$word\"; done; }\n"
    done = subprocess.run(
        [str(BASH), "-c", function + container["command"][2]],
        capture_output=True,
        check=True,
        text=True,
    )

    assert ["serve", "m", *given, new] == done.stdout.split("\0")[:-1]


@given(st.lists(st.sampled_from(["--a", "--b=1", "x", "--served-model-name", "-tp", "2"])))
def test_every_word_belongs_to_one_thing(given: list[str]) -> None:
    """Options, the rest, and nothing twice or left over."""
    parsed = read({"command": ["vllm", "serve"], "args": given}).arguments
    covered = [at + k for o in parsed.options for at in [o.at] for k in range(o.length)]

    assert list(range(len(given))) == sorted([*covered, *parsed.positionals, *parsed.open])

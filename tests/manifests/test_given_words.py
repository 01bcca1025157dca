"""One start, spelled in many ways, is one start."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.manifests.given_words import given_words

WORDS = [
    *("vllm", "serve", "m", "--port", "80", "--model=x", "--seed", "--no-a", "$(B)", "${C}"),
    *("sh", "-c", "vllm serve m --port 1", 'exec vllm serve "$M', "env", "A=b", "-O3", "-tp"),
]


@pytest.mark.parametrize(
    "command",
    [
        "vllm serve org/m --max-model-len 4096 --enforce-eager --port 8000",
        "/opt/venv/bin/vllm serve org/m --port=9001 --enforce_eager --max_model_len=4096",
        "env A=1 vllm serve --model=org/m --enforce-eager --max-model-len 1 --max-model-len 4096",
    ],
)
def test_spellings_and_ports_change_nothing(command: str) -> None:
    """Dashes or underscores, an equals sign or not, the last one counts, wherever it listens."""
    assert {
        "command": "vllm serve",
        "model": "org/m",
        "argument:--max-model-len": "4096",
        "argument:--enforce-eager": "",
    } == given_words(command.split()).values


def test_what_stands_before_the_engine_is_told() -> None:
    """A program around it may change its seconds; an argument that is denied is one."""
    found = given_words(["taskset", "-c", "0", "vllm", "serve", "m", "--no-enable-prefix-caching"])

    assert "taskset -c 0 vllm serve" == found.values["command"]
    assert "false" == found.values["argument:--enable-prefix-caching"]


def test_a_script_is_read_as_its_shell_would() -> None:
    """The engine's arguments are in it, and what it does beside them is the command."""
    script = "pip install x\nexec vllm serve $MODEL --seed 1 \\\n  --dtype half"
    found = given_words(["sh", "-c"], [script], environment={"MODEL": "org/m"})

    assert {
        "command": "sh -c pip install x exec vllm serve",
        "model": "org/m",
        "argument:--seed": "1",
        "argument:--dtype": "half",
    } == found.values


def test_arguments_of_an_image_need_no_command() -> None:
    """Kubernetes puts in variables; one whose value is elsewhere stays as it is written."""
    words = ["--model=$(MODEL)", "--revision", "$(REVISION)", '--hf-overrides={"b":1, "a":2}']
    found = given_words([], words, environment={"MODEL": "org/m", "REVISION": None})

    assert {
        "model": "org/m",
        "argument:--revision": "$(REVISION)",
        "argument:--hf-overrides": '{"a": 2, "b": 1}',
    } == found.values


def test_a_script_of_somebodys_is_cut_at_its_options() -> None:
    """What it does with them is not known, but two starts with the same are the same."""
    found = given_words(["python", "serve.py", "--delay", "3", "--port", "80", "--model", "m"])

    assert {"command": "python serve.py", "model": "m", "argument:--delay": "3"} == found.values
    assert found.knows("argument:")


def test_a_script_without_options_tells_nothing_of_the_engines_arguments() -> None:
    """They are inside of it: the log may tell them."""
    found = given_words(["./run.sh", "fast"])

    assert {"command": "./run.sh fast"} == found.values
    assert not found.knows("argument:")


@pytest.mark.parametrize("command", [["vllm", "serve", "m"], ["./start.sh", "--dtype", "half"]])
def test_a_key_is_blacked_out(command: list[str]) -> None:
    """By its option, and by its form."""
    found = given_words([*command, "--api-key", "correct-horse", "--hf-token=hf_" + "a" * 34])

    assert "***" == found.values["argument:--api-key"]
    assert "***" == found.values["argument:--hf-token"]


@given(words=st.lists(st.one_of(st.sampled_from(WORDS), st.text(max_size=12)), max_size=8))
def test_any_words_tell_something_or_nothing(words: list[str]) -> None:
    """A record may have been edited by hand: whatever it holds is no error."""
    first = given_words(words)

    assert {} == first.differences(given_words(words))
    assert "argument:--port" not in first.values


def test_what_is_appended_is_all_there() -> None:
    """A list is given entry by entry; another order is another list."""
    one = given_words(["vllm", "serve", "m", "--x.y+", "a", "--x.y+", "b"]).values
    other = given_words(["vllm", "serve", "m", "--x.y+", "b"]).values

    assert ("a,b", "b") == (one["argument:--x.y+"], other["argument:--x.y+"])

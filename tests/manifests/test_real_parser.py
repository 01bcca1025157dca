"""What is known of vLLM's arguments, held against its own parser."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from firstlight.manifests import arguments as known
from firstlight.readers.words import Word

pytestmark = [pytest.mark.engine, pytest.mark.timeout(300)]

ASK = """
import importlib, json
from vllm.utils.argparse_utils import FlexibleArgumentParser
for name in ("vllm.entrypoints.launchers.cli_args", "vllm.entrypoints.openai.cli_args"):
    try:
        module = importlib.import_module(name)
        break
    except ModuleNotFoundError:
        continue
parser = module.make_arg_parser(FlexibleArgumentParser())
print(json.dumps([[a.option_strings, a.nargs] for a in parser._actions]))
"""


@pytest.fixture(scope="module")
def options(engine_folder: Path) -> list[tuple[list[str], Any]]:
    """Each argument's spellings, and how many values it takes."""
    done = subprocess.run(
        [engine_folder / "venv" / "bin" / "python", "-c", ASK],
        capture_output=True,
        check=True,
        text=True,
        env={"HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1", "PATH": "/usr/bin:/bin"},
    )
    return [(spelled, nargs) for spelled, nargs in json.loads(done.stdout.splitlines()[-1])]


def length(*words: str) -> int:
    """How many of the words its first argument is."""
    cut = known.arguments([Word(text=word, source=word) for word in words])
    return cut.options[0].length


def test_each_argument_takes_what_it_takes(options: list[tuple[list[str], Any]]) -> None:
    """None, one value, or several; a mistake would make the model of a value, or hide it."""
    wrong: dict[str, tuple[int, int]] = {}
    for spelled, nargs in options:
        expected = 1 if nargs == 0 else 3 if nargs in {"+", "*"} else 2
        wrong |= {
            s: (expected, length(s, "a", "b"))
            for s in spelled
            if s.startswith("--") and length(s, "a", "b") != expected
        }

    assert {} == wrong


def test_each_short_form_is_the_long_one(options: list[tuple[list[str], Any]]) -> None:
    """As far as we read it at all."""
    long = {
        short: next(s for s in spelled if s.startswith("--"))
        for spelled, _ in options
        for short in spelled
        if not short.startswith("--")
    }

    assert known.SHORT == {short: long[short] for short in known.SHORT}


def test_no_argument_is_taken_for_the_beginning_of_another(
    options: list[tuple[list[str], Any]],
) -> None:
    """`--model` is not short for `--model-impl`."""
    names = [s for spelled, _ in options for s in spelled if s.startswith("--")]
    cut = {name: known.arguments([Word(text=name, source=name)]) for name in names}

    assert [] == [
        (name, longer)
        for name in names
        for longer in names
        if name != longer and longer.startswith(name) and cut[name].last(longer) is not None
    ]

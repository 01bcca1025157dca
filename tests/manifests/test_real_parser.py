"""What is known of vLLM's arguments, held against its own parser."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from firstlight.manifests import arguments as known
from firstlight.readers.words import Word
from tests.manifests.operating import on_engine

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


PARSE = """
import contextlib, importlib, io, json, os, sys
sys.stdout, out = sys.stderr, sys.stdout
from vllm.utils.argparse_utils import FlexibleArgumentParser
for name in ("vllm.entrypoints.launchers.cli_args", "vllm.entrypoints.openai.cli_args"):
    try:
        module = importlib.import_module(name)
        break
    except ModuleNotFoundError:
        continue
top = FlexibleArgumentParser()
module.make_arg_parser(top.add_subparsers().add_parser("serve"))
api = module.make_arg_parser(FlexibleArgumentParser())
for words in json.load(sys.stdin):
    sys.argv = ["vllm", *words]
    try:
        found = (top if words[0] == "serve" else api).parse_args(words)
        model = getattr(found, "model_tag", None) or found.model
        said = [model, found.served_model_name, found.load_format]
    except (SystemExit, ValueError):
        said = None
    print(json.dumps(said), file=out)
"""
MODEL = {"do": "set-model", "value": "s3://b/m"}
LOAD = {"do": "set-argument", "argument": "--load-format", "value": "x"}
SERVE = ["vllm", "serve"]
API = ["python3", "-m", "vllm.entrypoints.openai.api_server"]
WORDS = [
    (SERVE, ["--model", "/a", "--model", "/b"], "/a"),
    (SERVE, ["--model=/a", "--port=9000", "--model=/b"], "/a"),
    (SERVE, ["--port", "9000", "/m"], "/m"),
    (SERVE, ["/m", "--load-format", "auto"], "/m"),
    (API, ["--model", "/a", "--model", "/b"], "/b"),
    ([], ["--port", "9000", "/m"], "/m"),
]


def given_to(container: dict[str, Any]) -> list[str]:
    """The words that vLLM's parser gets; the image's entrypoint is `vllm serve`."""
    command = container.get("command") or SERVE
    return [*(command[1:] if command[:1] == ["vllm"] else command[3:]), *container["args"]]


def test_the_model_is_the_one_that_vllm_takes(engine_folder: Path) -> None:
    """Of several, and in front of or behind other words; so is the one that is put in its place."""
    before = [{"command": command, "args": words} for command, words, _ in WORDS]
    after = [on_engine(container, MODEL, LOAD) for container in before]
    asked = [given_to(container) for container in (*before, *after)]
    asked.append(["serve", "/m", "--config=/no/such/file.yaml"])
    done = subprocess.run(
        [engine_folder / "venv" / "bin" / "python", "-c", PARSE],
        input=json.dumps(asked),
        capture_output=True,
        check=True,
        text=True,
        env={"HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1", "PATH": "/usr/bin:/bin"},
    )
    *said, with_file = [json.loads(line) for line in done.stdout.splitlines()]
    models = [model for _, _, model in WORDS]

    assert models == [one[0] for one in said[: len(WORDS)]]
    assert [["s3://b/m", [model], "x"] for model in models] == said[len(WORDS) :]
    # A file in the same word is not read: nobody misses it.
    assert "/m" == with_file[0]

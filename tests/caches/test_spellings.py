"""One engine, spelled in several ways, has one key; two engines have two."""

import json
import subprocess
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from firstlight.caches.hashed import hashed_arguments
from firstlight.core.fingerprints import ARGUMENT
from firstlight.manifests.given_words import given_words

SAME = [
    [
        "--max_num_seqs 8",
        "--max-num-seqs=8",
        "--max-num-seqs 8",
        "--max-num-seqs 4 --max_num_seqs=8",
    ],
    ["--max-num-seqs 8 --dtype half", "--dtype=half --max-num-seqs=8"],
    ["-tp 2", "--tensor-parallel-size 2", "--tensor_parallel_size=2", "-tp=2"],
    ["-O3", "-O 3", "-O=3", "--optimization-level 3", "--optimization_level=3"],
    ["--optimization-level 2", "-O2"],
    ["--enforce-eager", "--enforce_eager"],
    ["--no-enforce-eager", "--no_enforce_eager"],
    [
        '--compilation-config {"mode":3,"custom_ops":["all"]}',
        '--compilation-config={"custom_ops":["all"],"mode":3}',
        '-cc {"mode":3,"custom_ops":["all"]}',
        "--compilation-config.mode 3 --compilation-config.custom_ops+ all",
        "--compilation_config.custom_ops+=all --compilation_config.mode=3",
        "-cc.mode 3 -cc.custom_ops+ all",
        '-cc.mode=3 -cc.custom_ops ["all"]',
        '-cc {"mode":0} -cc.mode 3 -cc.custom_ops+ all',
    ],
    ['-cc {"mode":3}', "-cc.mode 3"],
    [
        '-cc {"custom_ops":["none","+silu_and_mul"]}',
        '-cc.custom_ops ["none"] -cc.custom_ops+ +silu_and_mul',
        "-cc.custom_ops+ none,+silu_and_mul",
    ],
    [
        '-cc {"pass_config":{"fuse_norm_quant":true,"fuse_act_quant":false}}',
        "-cc.pass_config.fuse_norm_quant true -cc.pass_config.fuse_act_quant false",
        '-cc.pass_config.fuse_norm_quant true -cc.pass_config {"fuse_act_quant":false}',
    ],
]
"""Of each row all are one engine; of two rows never."""
PARSE = """
import json, sys
from dataclasses import asdict, is_dataclass
from vllm.entrypoints.launchers.cli_args import make_arg_parser
from vllm.utils.argparse_utils import FlexibleArgumentParser
top = FlexibleArgumentParser()
make_arg_parser(top.add_subparsers().add_parser("serve"))
plain = lambda value: asdict(value) if is_dataclass(value) else value
for words in json.load(sys.stdin):
    found = vars(top.parse_args(["serve", "m", *words]))
    print(json.dumps({n: plain(v) for n, v in found.items()}, default=str, sort_keys=True))
"""


def hashed(spelling: str) -> dict[str, str | None]:
    """What decides the key of an engine that is started so."""
    told = given_words(["vllm", "serve", "m", *spelling.split()]).values
    return hashed_arguments(
        {n.removeprefix(ARGUMENT): v for n, v in told.items() if n.startswith(ARGUMENT)}
    )


@pytest.mark.parametrize("spellings", SAME)
def test_one_engine_has_one_key(spellings: list[str]) -> None:
    """However its arguments are written."""
    assert [hashed(spellings[0])] * len(spellings) == [hashed(one) for one in spellings]


def test_two_engines_have_two() -> None:
    """No spelling hides a difference."""
    firsts = [row[0] for row in SAME]

    assert [] == [pair for pair in combinations(firsts, 2) if hashed(pair[0]) == hashed(pair[1])]


def test_entries_of_what_is_not_hashed_are_not_hashed() -> None:
    """Given one by one they are it."""
    assert {} == hashed("--structured-outputs-config.backend guidance")


@pytest.mark.parametrize(
    "arguments",
    [
        {"--a": "[" * 100_000},
        {"--a": '{"b":' * 100_000},
        {"--a.b": "[" * 100_000},
        {"--a." + "b." * 5_000: "1"},
        {"--a.": "", "--a.+": "x", ".": "", "": ""},
        {"--a.b": "1", "--a.b.c": "2", "--a.b+": "3"},
    ],
)
def test_whatever_was_given_is_no_error(arguments: dict[str, str]) -> None:
    """A record may have been edited by hand; two with the same words are the same."""
    assert hashed_arguments(arguments) == hashed_arguments(arguments)


@pytest.mark.engine
@pytest.mark.timeout(300)
def test_the_real_parser_makes_the_same_of_each_row(engine_folder: Path) -> None:
    """And something else of each other."""
    asked = [(row, one.split()) for row, spellings in enumerate(SAME) for one in spellings]
    done = subprocess.run(
        [engine_folder / "venv" / "bin" / "python", "-c", PARSE],
        input=json.dumps([words for _, words in asked]),
        capture_output=True,
        check=True,
        text=True,
        env={"HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1", "PATH": "/usr/bin:/bin"},
    )
    parsed: list[dict[str, Any]] = [json.loads(x) for x in done.stdout.splitlines()[-len(asked) :]]
    rows: list[list[str]] = [[] for _ in SAME]
    for (row, _), namespace in zip(asked, parsed, strict=True):
        rows[row].append(json.dumps(namespace))

    assert [1] * len(SAME) == [len(set(row)) for row in rows]
    assert len(SAME) == len({row[0] for row in rows})

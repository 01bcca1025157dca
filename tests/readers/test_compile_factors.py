"""What a start said of the key of its compile cache, and what is left of it when it is damaged."""

import json
import pprint
from typing import Any

import pytest

from firstlight.readers.compile_factors import CompileFactors, of_file, of_log

HEAD = "(EngineCore_DP0 pid=7) DEBUG 11-30 10:00:01 [backends.py:1116] "
SAID = f"{HEAD}torch.compile cache factors: env=0e cfg=0c comp=12 code=34 dir=/cache/vllm/a"
HASHES = {"env": "0e", "cfg": "0c", "comp": "12", "code": "34"}
ENV: dict[str, Any] = {
    "VLLM_A": None,
    "VLLM_B": "text with } and 'quotes'",
    "VLLM_C": True,
    "VLLM_D": ["x", 1],
    "VLLM_E": {"inner": {"deep": "y" * 90, "more": "z" * 90}},
    "VLLM_F": "long " * 60,
}
VARIABLES = {
    "VLLM_A": None,
    "VLLM_B": "text with } and 'quotes'",
    "VLLM_C": "True",
    "VLLM_D": "['x', 1]",
    "VLLM_E": repr(ENV["VLLM_E"]),
    "VLLM_F": "long " * 60,
}


def raw(text: str) -> list[str]:
    """As the engine prints its variables: each line with a head of its own."""
    message = f"Compile env factors (raw):\n{text}\nVllm config hash: 0c"
    return [f"{HEAD}{line}" for line in message.split("\n")]


WHOLE = raw(pprint.pformat(ENV, width=120))
BROKEN = [*WHOLE[:3], f"{HEAD}a line of somebody else", *WHOLE[3:]]


def test_the_variables_are_read_as_python_wrote_them() -> None:
    """Over many lines, nested and long ones too."""
    assert len(WHOLE) > 10
    assert CompileFactors(hashes=HASHES, variables=VARIABLES) == of_log([SAID, *WHOLE])
    assert CompileFactors(variables=VARIABLES) == of_log(WHOLE)


def test_in_one_line_they_are_the_same() -> None:
    """As a collector of logs may have joined them."""
    assert CompileFactors(variables={"A": "x"}) == of_log(
        [f"{HEAD}Compile env factors (raw): {{'A': 'x'}}"]
    )


def test_the_first_that_can_be_read_counts() -> None:
    """A worker's may stand between another's; each prints the same."""
    found = of_log([SAID, *BROKEN, SAID.replace("0e", "ff"), *WHOLE, *raw("{'A': 'x'}")])

    assert CompileFactors(hashes=HASHES, variables=VARIABLES) == found


@pytest.mark.parametrize(
    "lines",
    [
        BROKEN,
        WHOLE[:-3],
        raw("{'A': open('/etc/passwd')}"),
        raw("{'A': " + "[" * 5_000 + "}"),
        raw("{'A'}"),
        raw("{[]: 1}"),
        raw("}"),
        raw(pprint.pformat({f"A{number}": number for number in range(2_500)})),
    ],
)
def test_of_broken_variables_nothing_is_told(lines: list[str]) -> None:
    """The hashes are, before them and behind."""
    assert CompileFactors(hashes=HASHES) == of_log([SAID, *lines])
    assert CompileFactors(hashes=HASHES) == of_log([*lines, SAID])
    assert CompileFactors(hashes=HASHES, variables=VARIABLES) == of_log([*lines, SAID, *WHOLE])


def test_a_log_without_factors_tells_none() -> None:
    """Nor does one that speaks of them otherwise."""
    assert of_log([]) is None
    assert of_log([f"{HEAD}torch.compile cache factors: env=0e", f"{HEAD}noise"]) is None


def test_a_file_says_the_same() -> None:
    """With what is no text as Python writes it."""
    data = {"env": ENV, "config_hash": "0c", "compiler_hash": "12", "code_hash": "34"}
    hashes = {part: HASHES[part] for part in ("cfg", "comp", "code")}

    found = of_file(json.dumps(data).encode())

    assert CompileFactors(hashes=hashes, variables=VARIABLES) == found


def test_a_hash_that_is_no_text_is_none() -> None:
    """The others are."""
    found = of_file(b'{"env": {"A": 1}, "config_hash": 3, "code_hash": "34"}')

    assert CompileFactors(hashes={"code": "34"}, variables={"A": "1"}) == found


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"env"',
        b"{}",
        b'{"env": []}',
        b'{"env": null}',
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"env": {"A": ' * 50_000,
    ],
)
def test_what_is_no_such_file_is_none(data: bytes) -> None:
    """And no error."""
    assert of_file(data) is None

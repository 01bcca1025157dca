"""
What a start said of the key of its compile cache.

vLLM makes one hash of four: of its environment, its configuration, its compiler, the code that it
traced. At DEBUG it prints all four, and each variable of the first as Python writes it;
`cache_key_factors.json`, which lies beside a cache that is not ahead of time, has the same.
Of the other three nobody can see more than whether they are the same.
"""

import ast
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from firstlight.readers.log_line import read_line

PARTS = {"env": "environment", "cfg": "configuration", "comp": "compiler", "code": "traced code"}
"""What vLLM calls each of the four, and what it is of."""
_SAID = re.compile(
    r"torch\.compile cache factors: env=(?P<env>\w+) cfg=(?P<cfg>\w+) comp=(?P<comp>\w+) "
    r"code=(?P<code>\w+)"
)
_RAW = "Compile env factors (raw):"
_MOST_LINES = 2_000
_IN_FILE = {"cfg": "config_hash", "comp": "compiler_hash", "code": "code_hash"}


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileFactors:
    """The four hashes, and the variables of the first."""

    hashes: Mapping[str, str] = field(default_factory=dict)
    """By a name of `PARTS`."""
    variables: Mapping[str, str | None] | None = None
    """As vLLM took them, defaults included; None where nothing says them."""


def of_log(lines: Iterable[str]) -> CompileFactors | None:
    """The factors that a log tells first; None where it tells none."""
    hashes: dict[str, str] = {}
    variables: dict[str, str | None] | None = None
    raw: list[str] | None = None
    for number, line in enumerate(lines, start=1):
        text = read_line(number, line).message
        if (said := _SAID.search(text)) is not None:
            hashes = hashes or {name: said[name] for name in PARTS}
        elif variables is None and _RAW in text:
            raw, text = [], text.partition(_RAW)[2]
        if raw is None:
            continue
        raw.append(text)
        if text.rstrip().endswith("}") or len(raw) > _MOST_LINES:
            variables, raw = _variables(" ".join(raw)), None
    if not hashes and variables is None:
        return None
    return CompileFactors(hashes=hashes, variables=variables)


def of_file(data: bytes) -> CompileFactors | None:
    """The factors of a `cache_key_factors.json`; None where these bytes are none."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return None
    env = found.get("env") if isinstance(found, dict) else None
    if not isinstance(env, dict):
        return None
    told = {part: found.get(name) for part, name in _IN_FILE.items()}
    hashes = {part: value for part, value in told.items() if isinstance(value, str)}
    return CompileFactors(hashes=hashes, variables={str(k): _text(v) for k, v in env.items()})


def _variables(text: str) -> dict[str, str | None] | None:
    try:
        found = ast.literal_eval(text.strip())
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    return {str(name): _text(value) for name, value in found.items()}


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else repr(value)

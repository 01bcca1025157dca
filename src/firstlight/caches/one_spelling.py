"""
The arguments of an engine in one spelling, whichever they were given in.

Whoever cuts the words sees to dashes, short names and equals signs. What is left is what vLLM's
parser makes of some of them: `-O3` is a level, the entries of a dictionary that are given one by
one (`--compilation-config.mode 3`) are the dictionary, and JSON says the same in any order.
Numbers for people (`4k`) stay as they are: which arguments take them is not known here, and two
spellings of one engine cost one compilation.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

_LEVEL = re.compile(r"-O(\d?)")


def one_spelling(arguments: Mapping[str, str]) -> dict[str, str]:
    """
    The same arguments, or as they are where they are nested too deeply to be read.

    Args:
        arguments: by long name, with dashes; empty for a flag.
    """
    try:
        return _spelled(arguments)
    except RecursionError:
        return dict(arguments)


def _spelled(arguments: Mapping[str, str]) -> dict[str, str]:
    found: dict[str, str] = {}
    entries: dict[str, Any] = {}
    for name, value in arguments.items():
        head, dot, path = name.partition(".")
        if level := _LEVEL.fullmatch(name):
            found["--optimization-level"] = level[1] or value
        elif dot:
            _merge(entries, head, _nested(path, value))
        else:
            found[name] = _dumped(_loaded(value)) if value[:1] in {"{", "["} else value
    # The parser puts these behind all others, and takes what comes last: a dictionary that is
    # given whole as well counts for nothing.
    return found | {head: _dumped(whole) for head, whole in entries.items()}


def _nested(path: str, text: str) -> Any:
    value = text.split(",") if path.endswith("+") else _loaded(text)
    for name in reversed(path.removesuffix("+").split(".")):
        value = {name: value}
    return value


def _merge(into: dict[str, Any], name: str, value: Any) -> None:
    before = into.get(name)
    if isinstance(before, dict) and isinstance(value, dict):
        for inner, its_value in value.items():
            _merge(before, inner, its_value)
    elif isinstance(before, list) and isinstance(value, list):
        before.extend(value)
    else:
        into[name] = value


def _loaded(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _dumped(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)

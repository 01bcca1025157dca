"""
The arguments that vLLM prints when it starts, and the settings it made of them.

Up to 0.9.1 the server prints all of them (`args: Namespace(port=8000, model='m')`), since then
those that are not the default (`non-default args: {'model': 'm'}`). The engine prints its
configuration (`model='m', load_format=auto, ...`) in every version, defaults included, as
whatever each value's `repr` gives: names without quotes, enums, whole objects. All of it is
Python's notation, so it is cut at commas that stand in no bracket and no quote. A line that was
cut short tells nothing: what is missing in it cannot be told from what was not given.
"""

import ast
import json
import re
from collections.abc import Iterator, Mapping

_LONGEST = 60_000
_BRACKETS = {")": "(", "]": "[", "}": "{"}
_NAMED = re.compile(r"""\s*(?:(?P<quote>['"])(?P<key>\w+)(?P=quote)\s*:|(?P<name>\w+)\s*=)\s*""")
_ENUM = re.compile(r"<\w+\.\w+: (.*)>", re.DOTALL)
_MEMBER = re.compile(r"[A-Z]\w*\.([A-Z]\w*)")
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_OF_THE_PARSER = frozenset({"subparser", "dispatch_function"})
"""Of an old `Namespace`: how the parser found its function."""
_SETTINGS = (
    *("model", "revision", "dtype", "max_seq_len", "load_format", "quantization", "seed"),
    *("tensor_parallel_size", "pipeline_parallel_size", "data_parallel_size", "enforce_eager"),
    *("kv_cache_dtype", "enable_prefix_caching", "disable_custom_all_reduce"),
)
"""Those with one plain value that have stayed; what compiling means is a text of its own form in
every version."""


def printed_arguments(text: str) -> dict[str, str] | None:
    """
    The arguments by their names on a command line; None where the line is no such list, or cut.

    A flag is empty, a denied one `false`, a list its words, an object its JSON.
    """
    told = text.strip()
    if len(told) > _LONGEST:
        return None
    everything = told.startswith("Namespace(") and told.endswith(")")
    if not everything and not (told.startswith("{") and told.endswith("}")):
        return None
    pairs = _pairs(told[told.index("(" if everything else "{") + 1 : -1])
    if pairs is None:
        return None
    return {
        f"--{name.replace('_', '-')}": _written(value)
        for name, value in pairs.items()
        if value != "None"
        and name not in _OF_THE_PARSER
        # In a list of everything a flag that is not given is there, as False.
        and not (everything and value == "False")
    }


def printed_settings(text: str) -> dict[str, str]:
    """Some settings of the engine, by the engine's names; None and others left out."""
    pairs = _pairs(text[:_LONGEST], whole=False) or {}
    return {n: _plain(pairs[n]) for n in _SETTINGS if n in pairs and pairs[n] != "None"}


def _pairs(text: str, *, whole: bool = True) -> Mapping[str, str] | None:
    """Names and values as they are written; None where it should be whole and does not fit."""
    pairs: dict[str, str] = {}
    for part in _parts(text, whole=whole):
        found = _NAMED.match(part) if part is not None else None
        if part is not None and found is not None:
            pairs[found["key"] or found["name"]] = part[found.end() :].strip()
        elif whole and (part is None or part.strip()):
            return None
    return pairs


def _parts(text: str, *, whole: bool) -> Iterator[str | None]:
    """What stands between the outer commas; None where it should be whole and is not."""
    opened: list[str] = []
    quote, begins, at = "", 0, 0
    while at < len(text):
        letter = text[at]
        if quote:
            at += letter == "\\"
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter in "([{":
            opened.append(letter)
        elif letter in _BRACKETS:
            if not opened or opened.pop() != _BRACKETS[letter]:
                break
        elif letter == "," and not opened:
            yield text[begins:at]
            begins = at + 1
        at += 1
    # What ends with the line and not with a comma may be cut.
    if whole:
        yield None if at < len(text) or opened or quote else text[begins:]


def _written(value: str) -> str:
    """A value as it would stand on a command line."""
    if value in {"True", "False"}:
        return "" if value == "True" else "false"
    plain = _plain(value)
    try:
        read = ast.literal_eval(value)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return plain
    if isinstance(read, (list, tuple)) and all(isinstance(one, (str, int, float)) for one in read):
        return " ".join(map(str, read))
    if isinstance(read, (dict, list, tuple)):
        return json.dumps(read, sort_keys=True, default=str)
    return plain


def _plain(value: str) -> str:
    """A text without its quotes, an enum's value, anything else as it is written."""
    enum, member = _ENUM.fullmatch(value), _MEMBER.fullmatch(value)
    if enum:
        value = enum[1]
    elif member:
        value = member[1].lower()
    try:
        read = ast.literal_eval(value) if value[:1] in {"'", '"'} else value
    except (ValueError, SyntaxError):
        read = value
    return _ADDRESS.sub("", str(read))

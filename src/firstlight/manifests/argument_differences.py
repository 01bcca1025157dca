"""
What differs between two containers' command lines.

By flag, where the engine's arguments can be read in both, because `--port 8000` moved to
another place in the list is no change, and one long script of which a word is new is not
new as a whole. Whatever the flags do not cover is shown as it stands, so nothing that
differs goes unsaid.
"""

from collections.abc import Iterator
from typing import Any

from firstlight.core.errors import BadInput
from firstlight.manifests.command_line import CommandLine, command_line, item_pointer
from firstlight.manifests.json_values import same
from firstlight.manifests.pod_templates import COMMAND_FIELDS, command_items

_Found = Iterator[tuple[str, Any, Any]]
_Words = dict[str, tuple[str | None, ...]]


def command_differences(path: str, old: dict[str, Any], new: dict[str, Any]) -> _Found:
    """Path, what was, what is, for each difference in command and args."""
    if all(same(old.get(f), new.get(f)) for f in COMMAND_FIELDS):
        return
    before, after = _line(old), _line(new)
    if before is None or after is None or _frame(old, before) != _frame(new, after):
        yield from _whole(path, old, new)
        return
    olds, news = _by_flag(before), _by_flag(after)
    field = item_pointer(new, after.first if after.script is None else after.script).split("/")[1]
    found = False
    for flag in dict.fromkeys([*olds, *news]):
        if olds.get(flag) != news.get(flag):
            found = True
            yield f"{path}.{field}[{flag}]", _plain(olds.get(flag)), _plain(news.get(flag))
    if not found and not _is_order_only(before, after):
        yield from _whole(path, old, new)


def _whole(path: str, old: dict[str, Any], new: dict[str, Any]) -> _Found:
    for field in COMMAND_FIELDS:
        if not same(old.get(field), new.get(field)):
            yield f"{path}.{field}", old.get(field), new.get(field)


def _line(container: dict[str, Any]) -> CommandLine | None:
    try:
        return command_line(container, str)
    except BadInput:
        return None


def _frame(container: dict[str, Any], line: CommandLine) -> list[str]:
    """All that is not the engine's arguments: the program, the rest of a script."""
    items = command_items(container)
    if line.script is None:
        return items[: line.first]
    words = line.arguments.words
    script = items[line.script]
    rest = script[: line.first] + script[words[-1].end if words else line.first :]
    return [*items[: line.script], rest, *items[line.script + 1 :]]


def _by_flag(line: CommandLine) -> _Words:
    found: dict[str, tuple[str | None, ...]] = {}
    for option in line.arguments.options:
        name = f"--no-{option.name[2:]}" if option.negated else option.name
        values: tuple[str | None, ...] = () if option.joined is None else (option.joined,)
        values += tuple(word.text for word in option.values)
        found[name] = (*found.get(name, ()), *(values or (None,)))
    for number, at in enumerate(line.arguments.positionals):
        found[str(number)] = (line.arguments.words[at].text,)
    for at in line.arguments.open:
        text = line.arguments.words[at].text
        found[text] = (text,)
    return found


def _is_order_only(before: CommandLine, after: CommandLine) -> bool:
    """Whether the same words stand there, in another order of flags."""
    return sorted(w.text for w in before.arguments.words) == sorted(
        w.text for w in after.arguments.words
    )


def _plain(values: tuple[str | None, ...] | None) -> Any:
    """None where the flag is not given; True for one without a value."""
    if values is None:
        return None
    one = values[0] if len(values) == 1 else list(values)
    return True if one is None else one

"""
`${NAME}` in a plan, and what stands for it on this machine.

Where a bucket is mounted and which port a store has differ from one machine to the next, so
a plan leaves them open and whoever runs it fills them in. Two names stand for folders that
the tool makes itself, and stay as they are until a round begins: `${container}`, what a
container writes and loses with itself, and `${node}`, what the node's disk keeps.
"""

import difflib
import re
from collections.abc import Mapping
from typing import Any

from firstlight.core.errors import BadInput
from firstlight.readers.own_yaml import OwnYaml

CONTAINER, NODE = "container", "node"
_OURS = "${{{}}} is a folder that firstlight makes, and {} cannot say another"
_LEAVE = "leave it out"
_REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


def settled(value: Any, settings: Mapping[str, str]) -> Any:
    """
    Every text of a value with its names filled in, however deep.

    Args:
        value: as read from YAML.
        settings: by name.

    Raises:
        BadInput: a name has no value.
    """
    match value:
        case str():
            return _REFERENCE.sub(lambda found: _setting(found[1], settings), value)
        case dict():
            return {key: settled(inner, settings) for key, inner in value.items()}
        case list() | tuple():
            return type(value)(settled(inner, settings) for inner in value)
        case _:
            return value


def check_settings(file: OwnYaml, settings: Mapping[str, str]) -> None:
    """
    See that a plan has a use for every name that somebody gives a value.

    Args:
        file: the plan's text.
        settings: by name, from beside the plan.

    Raises:
        BadInput: it has none for one of them, or one is a folder's that nobody may give.
    """
    own = {CONTAINER, NODE}
    for name in own & (file.value.get("settings") or {}).keys():
        raise file.refusal(f"/settings/{name}", _OURS.format(name, "settings"), remedy=_LEAVE)
    used = _names(file.value)
    for name in settings:
        if name in own:
            raise BadInput(_OURS.format(name, "--set"), remedy=_LEAVE)
        if name not in used:
            near = difflib.get_close_matches(name, used - own, n=1)
            raise BadInput(
                f"{file.artefact} has no ${{{name}}}, and --set gives it a value",
                remedy=f"did you mean {near[0]}?" if near else _LEAVE,
            )


def in_layers(text: str, *, container: str, node: str) -> str:
    """A text with the two folders' paths put in."""
    return text.replace(f"${{{CONTAINER}}}", container).replace(f"${{{NODE}}}", node)


def _names(value: Any) -> set[str]:
    """All names in a value, however deep."""
    match value:
        case str():
            return set(_REFERENCE.findall(value))
        case dict():
            return set().union(*map(_names, value.values()))
        case list() | tuple():
            return set().union(*map(_names, value))
        case _:
            return set()


def _setting(name: str, settings: Mapping[str, str]) -> str:
    if name in {CONTAINER, NODE}:
        return f"${{{name}}}"
    if name not in settings:
        raise BadInput(
            f"nothing says what ${{{name}}} is on this machine",
            remedy=f"give it: --set {name}=VALUE",
        )
    return settings[name]

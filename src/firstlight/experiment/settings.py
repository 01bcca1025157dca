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

CONTAINER, NODE = "container", "node"
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


def check_settings(artefact: str, value: Any, settings: Mapping[str, str]) -> None:
    """
    See that a plan has a use for every name that somebody gives a value.

    Args:
        artefact: what to call the plan in an error.
        value: the plan, as read from YAML.
        settings: by name.

    Raises:
        BadInput: it has none for one of them.
    """
    used = _names(value)
    for name in settings:
        if name in {CONTAINER, NODE}:
            raise BadInput(
                f"${{{name}}} is a folder that firstlight makes, and --set cannot say another",
                remedy="leave it out",
            )
        if name not in used:
            near = difflib.get_close_matches(name, used - {CONTAINER, NODE}, n=1)
            raise BadInput(
                f"{artefact} has no ${{{name}}}, and --set gives it a value",
                remedy=f"did you mean {near[0]}?" if near else "leave it out",
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

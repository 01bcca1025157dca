"""
`${NAME}` in a plan, and what stands for it on this machine.

Where a bucket is mounted and which port a store has differ from one machine to the next, so
a plan leaves them open and whoever runs it fills them in. Two names stand for folders that
the tool makes itself, and stay as they are until a round begins: `${container}`, what a
container writes and loses with itself, and `${node}`, what the node's disk keeps.
"""

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


def in_layers(text: str, *, container: str, node: str) -> str:
    """A text with the two folders' paths put in."""
    return text.replace(f"${{{CONTAINER}}}", container).replace(f"${{{NODE}}}", node)


def _setting(name: str, settings: Mapping[str, str]) -> str:
    if name in {CONTAINER, NODE}:
        return f"${{{name}}}"
    if name not in settings:
        raise BadInput(
            f"nothing says what ${{{name}}} is on this machine",
            remedy=f"give it: --set {name}=VALUE",
        )
    return settings[name]

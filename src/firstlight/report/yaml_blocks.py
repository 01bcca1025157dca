"""
Values as YAML for people to read on a page: blocks, and a script as the lines it has.

Not for manifests, which other programs read: those have a writer of their own.
"""

from typing import Any

import yaml


class _Blocks(yaml.SafeDumper):
    """A text of several lines stands as a block."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - PyYAML's own signature
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Blocks.add_representer(str, _text)


def block_yaml(value: Any) -> str:
    """The value in blocks, in the order that it has."""
    return str(yaml.dump(value, Dumper=_Blocks, sort_keys=False, width=100, allow_unicode=True))

"""
YAML that people keep by hand, read so that a mistake can be pointed at.

A register is edited years after it was written, by somebody else. What is wrong in it is said
in one sentence with the line: broken YAML, a key twice (YAML keeps the last and says nothing),
a field that does not exist, a value of the wrong type. Anchors are refused: the file is to be
read, not assembled.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn, TypeVar

import msgspec
import yaml

from firstlight.core.errors import BadInput

_Kind = TypeVar("_Kind")
# The wheels have libyaml, ten times as fast; a build without it has the same loader in Python.
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_LONGEST = 1_000_000
_WHERE = re.compile(r" - at (?:`key` in )?`(?P<path>\$[^`]*)`")
_UNKNOWN = re.compile(r"unknown field `(?P<name>[^`]*)`")


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnYaml:
    """A document and where everything in it stands."""

    artefact: str
    value: Any
    remedy: str
    """What to do about whatever is wrong in such a file."""
    lines: Mapping[str, int] = field(default_factory=dict)
    """By path, `$.decisions[2].status`; from 1."""

    def as_kind(self, kind: type[_Kind]) -> _Kind:
        """
        The document as a value of this type.

        Raises:
            BadInput: it is none; the sentence says the line.
        """
        try:
            return msgspec.convert(self.value, kind)
        except msgspec.ValidationError as e:
            said = str(e)
            found = _WHERE.search(said)
            path = found["path"] if found else "$"
            if unknown := _UNKNOWN.search(said):
                path = f"{path}.{unknown['name']}"
            what = _WHERE.sub("", said)
            self.refuse(path, what[:1].lower() + what[1:], cause=e)

    def refuse(self, path: str, why: str, *, cause: Exception | None = None) -> NoReturn:
        """
        Say what is wrong at a path.

        Raises:
            BadInput: always.
        """
        raise BadInput(f"{self.place(path)}: {why}", remedy=self.remedy) from cause

    def place(self, path: str) -> str:
        """The file and the line of what is nearest to a path."""
        while path and path not in self.lines:
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
        return f"{self.artefact} line {self.lines.get(path, 1)}"


def read_own_yaml(text: str, *, artefact: str, remedy: str) -> OwnYaml:
    """
    The one document of a text.

    Raises:
        BadInput: it is not YAML, not one document, not a map, or more than a person keeps.
    """
    if len(text) > _LONGEST:
        raise BadInput(
            f"{artefact} has {len(text)} characters, more than {_LONGEST}", remedy=remedy
        )
    lines: dict[str, int] = {}
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            if isinstance(event, yaml.AliasEvent):
                line = event.start_mark.line if event.start_mark else 0
                raise _wrong(artefact, line, "anchors are not taken here", remedy)
        node = yaml.compose(text, Loader=_LOADER)
        for path, inner in _parts("$", node):
            if path in lines:
                name = path.rpartition(".")[2]
                raise _wrong(artefact, inner.start_mark.line, f"{name} is here twice", remedy)
            lines[path] = inner.start_mark.line + 1
        value = yaml.load(text, Loader=_LOADER)  # noqa: S506  # a safe loader either way
    except (yaml.YAMLError, ValueError, RecursionError) as e:
        mark = getattr(e, "problem_mark", None)
        why = getattr(e, "problem", None) or "it cannot be read as YAML"
        raise _wrong(artefact, mark.line if mark else 0, why, remedy) from e
    if not isinstance(value, dict):
        raise _wrong(artefact, 0, "it holds no map of keys and values", remedy)
    return OwnYaml(artefact=artefact, value=value, remedy=remedy, lines=lines)


def _parts(path: str, node: yaml.Node | None) -> Iterator[tuple[str, yaml.Node]]:
    """Every part with its path; a value of a map stands where its key does."""
    if path == "$" and node is not None:
        yield path, node
    match node:
        case yaml.MappingNode(value=pairs):
            for key, value in pairs:
                inner = f"{path}.{key.value}"
                yield inner, key
                yield from _parts(inner, value)
        case yaml.SequenceNode(value=items):
            for number, item in enumerate(items):
                inner = f"{path}[{number}]"
                yield inner, item
                yield from _parts(inner, item)


def _wrong(artefact: str, line: int, why: str, remedy: str) -> BadInput:
    return BadInput(f"{artefact} line {line + 1}: {why}", remedy=remedy)

"""
YAML and JSON with the line that each value begins in.

What is wrong in a manifest must be said with its line, and what is right in it must be the
value that kubectl sees: a document here is what kubectl would send, or it is refused. That
makes this stricter than what reads objects out of prose (`kube.yaml_documents`): a file that
somebody means to apply is whole or it is wrong. What people write for firstlight itself is
read by the same rules (`own_yaml`), so that a word means the same wherever it stands.

JSON is read as the YAML that it is. Anchors and merge keys are followed, as far as they make
no large thing of a small one. A key that stands twice is refused, though kubectl takes the
last one: of two values that somebody wrote, one is not meant. What the values are to
Kubernetes is for `manifests`; templates are told apart in `helm_text`.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from firstlight.core.errors import BadInput
from firstlight.readers.helm_text import first_template_line, template_refusal
from firstlight.readers.json_pointer import nearest, token
from firstlight.readers.manifest_text import decoded
from firstlight.readers.yaml_scalars import NoJsonNumber, plain_value

_MOST_REPEATED = 20_000
"""Values that stand in a text once and in the result again, by aliases."""
_CORE = "tag:yaml.org,2002:"
_MERGE = "<<"
_WORD, _TEXT = "word", f"{_CORE}str"
_READ_AS_WORD = frozenset({_WORD, *(f"{_CORE}{kind}" for kind in ("int", "float", "bool", "null"))})
_KINDS = {yaml.SequenceNode: f"{_CORE}seq", yaml.MappingNode: f"{_CORE}map"}
_SURROGATES = re.compile(
    r"(?<!\\)((?:\\\\)*)\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})", re.IGNORECASE
)

# The wheels have libyaml, ten times as fast; a build without it has the same loader in Python.
_PARSER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_PARSER):  # type: ignore[misc]
    """One that only tells words without quotes from the rest: how they are read is said here."""

    def resolve(self, kind: Any, value: Any, implicit: Any) -> str:  # noqa: ARG002
        """The tag of a node that says none."""
        is_word = kind is yaml.ScalarNode and implicit[0]
        return _WORD if is_word else _KINDS.get(kind, _TEXT)


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedDocument:
    """One document of a text."""

    value: Any
    """Maps, lists, texts, numbers, true, false and None, as in JSON."""
    lines: Mapping[str, int]
    """The line that a JSON pointer's value begins in, from 1."""

    @property
    def line(self) -> int:
        """The line that it begins in."""
        return self.lines[""]

    def line_of(self, pointer: str) -> int:
        """The line of the value there, or of the nearest that holds it."""
        return self.lines[nearest(pointer, self.lines)]


def marked_documents(
    artefact: str, data: bytes, *, what: str = "YAML that Kubernetes takes"
) -> tuple[MarkedDocument, ...]:
    """
    The documents of a text; those with nothing in them are left out.

    Args:
        artefact: what to call it in an error.
        data: as it was stored or came in.
        what: what it should be, for an error: "it is no ...".

    Raises:
        BadInput: it is no text, is too large, is a template, or is no YAML; with the line.
    """
    text = decoded(artefact, data)
    found: list[MarkedDocument] = []
    for piece, first_line in _pieces(text):
        found += _documents(
            _Reading(
                artefact=artefact,
                what=what,
                text=piece,
                breaks=_breaks(piece),
                first_line=first_line,
            )
        )
    return tuple(found)


def _pieces(text: str) -> Iterator[tuple[str, int]]:
    """Each with the line before it: YAML in one, JSON documents one by one, as YAML allows none.

    What is no JSON after all is left to YAML, which knows where it breaks.
    """
    if not text.lstrip().startswith("{"):
        yield text, 0
        return
    at, decoder = 0, json.JSONDecoder()
    while rest := text[at:].lstrip():
        begins = len(text) - len(rest)
        try:
            _, length = decoder.raw_decode(rest)
        except (ValueError, RecursionError):
            length = len(rest)
        piece = rest[:length]
        yield _SURROGATES.sub(_joined, piece), text.count("\n", 0, begins)
        at = begins + length


def _joined(pair: re.Match[str]) -> str:
    """Two escapes of JSON as the one of YAML."""
    high, low = int(pair[2], 16), int(pair[3], 16)
    return f"{pair[1]}\\U{0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00):08X}"


def _documents(reading: "_Reading") -> Iterator[MarkedDocument]:
    try:
        for node in yaml.compose_all(reading.text, Loader=_Loader):
            reading.begin()
            value = reading.value(node, "")
            if value is not None:
                yield MarkedDocument(value=value, lines=reading.lines)
    except (yaml.YAMLError, RecursionError) as e:
        if line := first_template_line(reading.text):
            raise template_refusal(reading.artefact, reading.first_line + line) from e
        raise reading.damage(e) from e


def _breaks(text: str) -> list[int]:
    return [found.start() for found in re.finditer("\n", text)]


@dataclass(slots=True, kw_only=True)
class _Reading:
    """A document's values and lines, while they are made."""

    artefact: str
    what: str
    text: str
    breaks: list[int]
    """Where lines end: YAML's own count takes some letters for a line's end, and people don't."""
    first_line: int
    lines: dict[str, int] = field(default_factory=dict)
    _seen: set[int] = field(default_factory=set)
    _open: set[int] = field(default_factory=set)
    _repeated: int = 0

    def begin(self) -> None:
        self.lines = {}
        self._seen = set()
        self._repeated = 0

    def value(self, node: Any, pointer: str) -> Any:
        """The value of a node, whose place is written down."""
        self.lines.setdefault(pointer, self._line(node.start_mark))
        self._count(node)
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node)
        pairs = self._pairs(node) if isinstance(node, yaml.MappingNode) else {}
        if id(node) in self._open:
            raise self._wrong(node, "a value holds itself, by an alias")
        self._open.add(id(node))
        made: Any
        if isinstance(node, yaml.SequenceNode):
            made = [self.value(item, f"{pointer}/{i}") for i, item in enumerate(node.value)]
        else:
            made = {key: self.value(one, f"{pointer}/{token(key)}") for key, one in pairs.items()}
        self._open.discard(id(node))
        return made

    def damage(self, error: Exception) -> BadInput:
        """What the parser complained of."""
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        if mark is None:
            return self._bad(self.first_line + 1, "it is nested too deeply")
        last = self.first_line + self.text.rstrip("\n").count("\n") + 1
        line = min(self._line(mark), last)
        of_line = self._text_of(line)
        words = str(getattr(error, "problem", None) or error)
        if "\t" in of_line[: len(of_line) - len(of_line.lstrip())]:
            words = "it is indented with a tab, and YAML takes only blanks"
        return self._bad(line, words)

    def _pairs(self, node: Any) -> dict[str, Any]:
        """The nodes of a map by key: its own, then what it merges and has not."""
        if id(node) in self._open:
            raise self._wrong(node, "a value holds itself, by an alias")
        self._open.add(id(node))
        made: dict[str, Any] = {}
        merges = []
        for key_node, value_node in node.value:
            if key_node.value == _MERGE and key_node.tag == _WORD:
                merges.append((value_node, key_node, frozenset(made)))
                continue
            key = self._key(key_node)
            if key in made:
                raise self._wrong(key_node, f"{key} stands there a second time")
            made[key] = value_node
        for one, key_node, before in merges:
            for merged in one.value if isinstance(one, yaml.SequenceNode) else [one]:
                if not isinstance(merged, yaml.MappingNode):
                    raise self._wrong(merged, "only maps can be merged with <<")
                self._count(merged)
                brought = self._pairs(merged)
                for key in brought.keys() & before:
                    # kubectl takes the merged value then, and kustomize the map's own.
                    raise self._wrong(key_node, f"{key} stands before << brings it again")
                made = {**brought, **made}
        self._open.discard(id(node))
        return made

    def _key(self, node: Any) -> str:
        if not isinstance(node, yaml.ScalarNode):
            if "{{" in self._text_of(self._line(node.start_mark)):
                raise template_refusal(self.artefact, self._line(node.start_mark))
            raise self._wrong(node, "a key is a list or a map")
        match self._scalar(node):
            case None:
                raise self._wrong(node, "a key is empty")
            case bool() as value:
                return str(value).lower()
            case value:
                return str(value)

    def _scalar(self, node: Any) -> Any:
        tag = str(node.tag)
        if tag in _READ_AS_WORD:
            try:
                return plain_value(node.value)
            except NoJsonNumber as e:
                raise self._wrong(node, f"{node.value} is no number that JSON has") from e
        if tag != _TEXT:
            shown = tag.replace(_CORE, "!!")
            raise self._wrong(node, f"the tag {shown} means nothing to Kubernetes")
        return str(node.value)

    def _count(self, node: Any) -> None:
        if id(node) in self._seen:
            self._repeated += 1
        self._seen.add(id(node))
        if self._repeated > _MOST_REPEATED:
            raise self._wrong(node, f"aliases repeat more than {_MOST_REPEATED} values")

    def _line(self, mark: Any) -> int:
        return self._line_at(int(mark.index))

    def _line_at(self, index: int) -> int:
        return self.first_line + bisect_right(self.breaks, index - 1) + 1

    def _text_of(self, line: int) -> str:
        lines = self.text.split("\n")
        return lines[min(line - self.first_line, len(lines)) - 1]

    def _wrong(self, node: Any, words: str) -> BadInput:
        return self._bad(self._line(node.start_mark), words)

    def _bad(self, line: int, words: str) -> BadInput:
        return BadInput(
            f"{self.artefact} is no {self.what}, line {line}: {words}",
            remedy="put that line right",
        )

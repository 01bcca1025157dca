"""
YAML that people write for firstlight itself, read so that a mistake can be pointed at.

A card, an intent, a register, a file of facts: each is edited years after it was written, by
somebody else. What is wrong in it is said in one sentence with the line, whether YAML is
broken, a field does not exist, or a value has the wrong type. The words are read as in
manifests (`marked_yaml`), msgspec holds the values against a type and says where in them
something is wrong (`$.gpu.count`); this turns that place into a line, once for all of them.
"""

import re
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec

from firstlight.core.errors import BadInput
from firstlight.readers.json_pointer import pointer
from firstlight.readers.marked_yaml import MarkedDocument, marked_documents

_Kind = TypeVar("_Kind")
_UNQUOTED = ("int", "float", "bool")
_SHAPE = re.compile(r"expected (object|array|str)(?: \| null)?, got (\w+)")
_WANTED = {
    "object": "a map is wanted ({NAME: VALUE})",
    "array": "a list is wanted ([ONE, OTHER])",
}
_GIVEN = {"array": "a list", "object": "a map", "str": "one text", "null": "empty"}
"""What msgspec calls a value, in the words of whoever wrote one."""
_WHERE = re.compile(r" - at `\$([^`]*)`$")
_STEP = re.compile(r"\.([^.\[\]]+)|\[([0-9]+)\]")
_UNNAMED = "[...]"
"""How msgspec speaks of a key that is no field: what is wrong lies behind one of them."""
_UNKNOWN = re.compile(r"unknown field `([^`]*)`")


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnYaml:
    """A document, and how to speak of what is wrong in it."""

    artefact: str
    document: MarkedDocument
    remedy: str
    """What to do about whatever is wrong in such a file."""

    @property
    def value(self) -> Any:
        """As in JSON."""
        return self.document.value

    def typed(self, kind: type[_Kind]) -> _Kind:
        """
        The document as a value of this type.

        Raises:
            BadInput: it is none; the sentence says the line and the field.
        """
        try:
            return msgspec.convert(self.value, kind)
        except msgspec.ValidationError as e:
            raise self._not_typed(str(e)) from e

    def place(self, of: str) -> str:
        """The file and the line of what is nearest to a JSON pointer."""
        return f"{self.artefact} line {self.document.line_of(of)}"

    def refusal(self, of: str, why: str, *, remedy: str | None = None) -> BadInput:
        """What to raise for a mistake at a JSON pointer; no remedy: that of all such files."""
        return BadInput(f"{self.place(of)}: {why}", remedy=remedy or self.remedy)

    def _not_typed(self, said: str) -> BadInput:
        found = _WHERE.search(said)
        what, path = (said[: found.start()], found[1]) if found else (said, "")
        field, unnamed, _ = path.partition(_UNNAMED)
        steps = [key or index for key, index in _STEP.findall(field)]
        unknown = None if unnamed else _UNKNOWN.search(what)
        words = (what[:1].lower() + what[1:]).replace("`", "")
        words = words.replace("object missing", "it is missing").replace("object con", "it con")
        words = _SHAPE.sub(_shape, words)
        where = f"{'.'.join(steps)}: " if steps else ""
        return self.refusal(pointer(*steps, *(unknown.groups() if unknown else ())), where + words)


def _shape(said: re.Match[str]) -> str:
    wanted, given = said.groups()
    if wanted in _WANTED:
        return f"{_WANTED[wanted]}, and this is {_GIVEN.get(given, 'one value')}"
    text = said[0].replace(" | null", "")
    if given == "bool" and text != said[0]:
        return f"{text}; put it in quotes, or leave it empty"
    return f"{text}; put it in quotes" if given in _UNQUOTED else text


def read_own_yaml(artefact: str, data: bytes, *, what: str, remedy: str) -> OwnYaml:
    """
    The one document of a file, which is a map.

    Args:
        artefact: what to call it in an error.
        data: as it was stored.
        what: what it should be, for an error: "it is no ...".
        remedy: what to do about whatever is wrong in it.

    Raises:
        BadInput: it is no YAML, not one document, or no map; with the line.
    """
    documents = marked_documents(artefact, data, what=what)
    if not documents:
        raise BadInput(f"{artefact} is no {what}: it is empty", remedy=remedy)
    read = OwnYaml(artefact=artefact, document=documents[0], remedy=remedy)
    if len(documents) > 1:
        second = documents[1].line
        raise BadInput(
            f"{artefact} line {second}: a second document begins, and one is read", remedy=remedy
        )
    if not isinstance(read.value, dict):
        raise read.refusal("", "it holds no map of keys and values")
    return read

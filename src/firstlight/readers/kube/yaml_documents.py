"""
YAML in whatever people save it in.

Objects stand behind one another with or without `---`, between prompts, tables and
prose. A document begins at a key that Kubernetes objects begin with and ends at the
first line that can be no part of it, so that the rest is left for other readers.

Dates stay text: YAML would turn a stamp into a date without its words. So does
everything but true, false, null and whole numbers. kubectl writes no aliases; a few are
taken, many are an attempt to make a small file a large one.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

import yaml

from firstlight.core.errors import BadInput
from firstlight.readers.kube.json_documents import Document

_BEGINS = re.compile(
    r"(?:- )?(?:apiVersion|kind|items|metadata|status|conditions|containerStatuses):(?:\s|$)"
)
_GOES_ON = re.compile(r"\s|#|- |-$|[a-z]\w*:(?:\s|$)")
_BEGINS_ANEW = "apiVersion:"
_ITEM = re.compile(r"^- ", re.MULTILINE)
_MOST_ALIASES = 32
_TWO = 2
"""Of two items the first is whole."""
_ANCHOR = re.compile(r"(?:^|[\s\[{,:-])&[\w-]", re.MULTILINE)
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,18})")
_REMEDY = "save it again, with `kubectl get ... -o json > FILE`"

# The wheels have libyaml, ten times as fast; a build without it has the same loader in Python.
_PARSER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_PARSER):  # type: ignore[misc]
    """Maps, lists, texts, true, false, null and whole numbers."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012
    yaml_constructors: dict[str, Any] = {}  # noqa: RUF012


def _integer(loader: Any, node: Any) -> int | str:
    digits = str(loader.construct_scalar(node))
    return int(digits) if _INTEGER.fullmatch(digits) else digits


def _boolean(loader: Any, node: Any) -> bool:
    return bool(loader.construct_scalar(node) == "true")


_Loader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"(?:~|null)?$"), ["~", "n", ""])
_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"(?:true|false)$"), ["t", "f"])
_Loader.add_implicit_resolver("tag:yaml.org,2002:int", _INTEGER, list("-0123456789"))
for _tag, _constructor in {
    "null": _Loader.construct_yaml_null,
    "bool": _boolean,
    "int": _integer,
    "str": _Loader.construct_yaml_str,
    "seq": _Loader.construct_yaml_seq,
    "map": _Loader.construct_yaml_map,
}.items():
    _Loader.add_constructor(f"tag:yaml.org,2002:{_tag}", _constructor)


def yaml_documents(
    artefact: str, text: str, is_claimed: Callable[[str, int], bool]
) -> Iterator[Document]:
    """Every YAML document that begins like a Kubernetes object.

    Args:
        artefact: what to call the text in an error.
        text: all of it, with plain line ends.
        is_claimed: whether what begins at a place is a cluster's object, by its looks:
            then it must be readable.

    Raises:
        BadInput: such a one is damaged.
    """
    for begins, ends, line in blocks(text):
        block = text[begins:ends]
        try:
            value = _loaded(artefact, block)
        except (yaml.YAMLError, RecursionError) as e:
            if not is_claimed(block, 0):
                continue
            _refuse_damage(artefact, block, line, e)
            value = _whole_items(artefact, block, line)
        if _is_cut(value) and ends == len(text):
            value = _whole_items(artefact, block, line)
        yield Document(value=value, begins=begins, ends=ends, line=line)


def blocks(text: str) -> Iterator[tuple[int, int, int]]:
    """Where documents begin and end, and the line that each begins in."""
    begins: int | None = None
    first_line = at = 0
    has_version = False
    for number, line in enumerate(text.split("\n"), start=1):
        anew = line.startswith(_BEGINS_ANEW)
        if begins is not None and ((anew and has_version) or (line and not _GOES_ON.match(line))):
            yield begins, at, first_line
            begins, has_version = None, False
        if begins is None and _BEGINS.match(line):
            begins, first_line = at, number
        has_version = has_version or anew
        at += len(line) + 1
    if begins is not None:
        yield begins, len(text), first_line


def _loaded(artefact: str, block: str) -> Any:
    if _ANCHOR.search(block):
        aliases = sum(isinstance(e, yaml.AliasEvent) for e in yaml.parse(block, Loader=_PARSER))
        if aliases > _MOST_ALIASES:
            raise BadInput(
                f"{artefact} has {aliases} YAML aliases in one document, more than {_MOST_ALIASES}",
                remedy=_REMEDY,
            )
    return yaml.load(block, Loader=_Loader)  # noqa: S506  # it makes plain values only


def _refuse_damage(artefact: str, block: str, line: int, error: Exception) -> None:
    """Nothing, where the block only ends too early.

    Raises:
        BadInput: it is damaged somewhere else.
    """
    mark = getattr(error, "problem_mark", None)
    at_line = mark.line if mark else 0
    if mark is None or at_line < block.rstrip().count("\n"):
        why = getattr(error, "problem", None) or "it is nested too deeply"
        raise BadInput(
            f"{artefact} is damaged in line {line + at_line}: {why}", remedy=_REMEDY
        ) from error


def _is_cut(value: object) -> bool:
    """Whether a list lacks what kubectl writes behind its items: its kind."""
    return isinstance(value, dict) and {*value} == {"apiVersion", "items"}


def _whole_items(artefact: str, block: str, line: int) -> Any:
    """The items before the last, which is the one that was cut.

    Raises:
        BadInput: there is none before it.
    """
    cuts = [found.start() for found in _ITEM.finditer(block)]
    if len(cuts) < _TWO:
        raise BadInput(
            f"{artefact} ends in the middle of the object that begins in line {line}",
            remedy=_REMEDY,
        )
    return _loaded(artefact, block[: cuts[-1]])

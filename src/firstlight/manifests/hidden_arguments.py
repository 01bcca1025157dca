"""
Arguments of the engine that its command line does not show.

`$EXTRA_ARGS` in a script is any number of arguments, `--config FILE` a file of them. Where
the set holds what is behind them it is read; where it does not, that is said, because an
argument that seems to be absent may be there. A file is weaker than the command line; a
variable is as strong as the place where it stands.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from firstlight.core.errors import BadInput
from firstlight.manifests.arguments import Arguments, Option, arguments
from firstlight.manifests.command_line import CommandLine, item_pointer
from firstlight.manifests.objects import ObjectSet
from firstlight.manifests.pod_templates import command_items
from firstlight.manifests.variables import (
    KUBERNETES_VARIABLE,
    LONGEST_MADE,
    config_map,
    names,
    variables,
)
from firstlight.manifests.workload import Workload
from firstlight.readers.marked_yaml import marked_documents
from firstlight.readers.shell_words import UnclosedQuote, pieces
from firstlight.readers.words import Word

ARGUMENTS_OF_A_SCRIPT = re.compile(r"\$[@*]|\$\{[@*]")
_WHOLE_ARGUMENTS = frozenset({'"$@"', '"${@}"'})
_CUT_ARGUMENTS = frozenset({"$@", "$*", "${@}", "${*}"})


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenArguments:
    """One source of arguments."""

    name: str
    """As a sentence names it."""
    place: str
    pointer: str
    """Where the container brings it in: the variable, or the word, as a pointer into it."""
    known: Arguments | None
    """None where what is behind it is not among the objects."""
    weaker: bool
    """The command line wins over it."""

    def last(self, argument: str) -> Option | None:
        """The argument as it is given there; None where it is not, or nothing is known."""
        return self.known.last(argument) if self.known else None


def hidden_arguments(
    workload: Workload, line: CommandLine, objects: ObjectSet
) -> tuple[HiddenArguments, ...]:
    """Every source of arguments beside the words themselves."""
    return (*_of_words(workload, line, objects), *_of_file(workload, line, objects))


def _of_words(
    workload: Workload, line: CommandLine, objects: ObjectSet
) -> Iterator[HiddenArguments]:
    container = workload.container
    environment = variables(container, objects, workload.namespace)
    pointers = _variable_pointers(container)
    left = LONGEST_MADE
    for at in line.arguments.open:
        word = line.arguments.words[at]
        if ARGUMENTS_OF_A_SCRIPT.search(word.text):
            yield _behind_script(workload, line, word)
            continue
        text = line.resolved(word.text, environment)
        left -= len(text or "")
        pointer = next((pointers[n] for n in names(word.text) if n in pointers), None)
        pointer = pointer or line.pointer(container, at)
        yield HiddenArguments(
            name=word.text,
            place=workload.place(pointer),
            pointer=pointer,
            known=_expanded(word, text, line) if text is not None and left >= 0 else None,
            weaker=False,
        )


def _behind_script(workload: Workload, line: CommandLine, word: Word) -> HiddenArguments:
    # What follows a script in a shell's words is $0, then $1 and on.
    container = workload.container
    items = command_items(container)
    first = (line.script or 0) + 2
    given = items[first:]
    cut = word.source in _CUT_ARGUMENTS and line.assignments.splits_plainly
    if cut:
        given = [piece for item in given for piece in _cut(item)]
    known = word.source in _WHOLE_ARGUMENTS or cut
    # Kubernetes puts its variables into the items, and what those are is not looked up here.
    known = known and not line.assignments.own_arguments and not any("$(" in i for i in given)
    pointer = item_pointer(container, first)
    return HiddenArguments(
        name=word.text,
        place=workload.place(pointer),
        pointer=pointer,
        known=arguments([_plain(item) for item in given]) if known else None,
        weaker=False,
    )


def _expanded(word: Word, text: str, line: CommandLine) -> Arguments | None:
    """What an open word with this text in it turns out to be; None where that is not known."""
    if line.script is None:
        return arguments([_plain(text)])
    if not KUBERNETES_VARIABLE.search(word.text):
        # A shell looks for no quotes in what comes out of a variable.
        cut = line.assignments.splits_plainly
        return arguments([_plain(piece) for piece in _cut(text)]) if cut else None
    if word.text.count("$") != len(KUBERNETES_VARIABLE.findall(word.text)):
        return None
    try:
        # Kubernetes puts it into the script, and the shell reads it as if it stood there.
        pieces_of_it = pieces(text)
    except UnclosedQuote:
        return None
    plain = all(not isinstance(p, str) and all(w.static for w in p) for p in pieces_of_it)
    return arguments(pieces_of_it[0] if pieces_of_it else ()) if plain else None  # type: ignore[arg-type]


def _cut(text: str) -> list[str]:
    return [piece for piece in re.split(r"[ \t\n]+", text) if piece]


def _plain(text: str) -> Word:
    return Word(text=text, source=text)


def _variable_pointers(container: dict[str, Any]) -> dict[str, str]:
    """Where the container says each variable that it says itself, by its name: the first."""
    entries = list(enumerate(container.get("env") or []))
    return {str(entry.get("name")): f"/env/{at}" for at, entry in reversed(entries)}


def _of_file(
    workload: Workload, line: CommandLine, objects: ObjectSet
) -> Iterator[HiddenArguments]:
    option = line.last("--config")
    if option is None or option.value is None or option.joined is not None:
        # `--config=FILE`, in one word, is passed over by vLLM's parser (0.32).
        return
    pointer = line.pointer(workload.container, option.at)
    known, place = _config_file(workload, option.value, objects)
    yield HiddenArguments(
        name=f"the file {option.value}",
        place=place or workload.place(pointer),
        pointer=pointer,
        known=known,
        weaker=True,
    )


def _config_file(
    workload: Workload, path: str, objects: ObjectSet
) -> tuple[Arguments | None, str | None]:
    mount = mount_of(workload.container, path)
    volumes = {v.get("name"): v for v in workload.pod.get("volumes") or []}
    source = (volumes.get(mount.get("name")) if mount else None) or {}
    mapped = source.get("configMap") or {}
    manifest = config_map(objects, mapped.get("name"), workload.namespace)
    if mount is None or manifest is None:
        return None, None
    inside = mount.get("subPath") or path[len(str(mount["mountPath"])) :].strip("/")
    key = next((i["key"] for i in mapped.get("items") or [] if i.get("path") == inside), inside)
    place = manifest.place(f"/data/{key}")
    text = (manifest.value.get("data") or {}).get(key)
    if text is None:
        return None, place
    try:
        documents = marked_documents(f"{manifest.identity} {key}", str(text).encode())
    except BadInput:
        return None, place
    content = documents[0].value if len(documents) == 1 else None
    return (arguments(_words(content)) if isinstance(content, dict) else None), place


def mount_of(container: dict[str, Any], path: str) -> dict[str, Any] | None:
    """The mount that a path lies in, the innermost; None where it lies in the image."""
    holding = [
        m
        for m in container.get("volumeMounts") or []
        if (at := str(m.get("mountPath")).rstrip("/")) == path.rstrip("/")
        or path.startswith(f"{at}/")
    ]
    return max(holding, key=lambda m: len(str(m["mountPath"])), default=None)


def _words(content: dict[Any, Any]) -> list[Word]:
    """A file of arguments as the words that vLLM makes of it."""
    words = list[str]()
    for name, value in content.items():
        match value:
            case True:
                words.append(f"--{name}")
            case False:
                words.append(f"--no-{name}")
            case []:
                pass
            case list():
                words += [f"--{name}", *map(str, value)]
            case dict():
                words += [f"--{name}", json.dumps(value)]
            case _:
                words += [f"--{name}", str(value)]
    return [_plain(word) for word in words]

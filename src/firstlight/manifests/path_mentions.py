"""
Whether anything in a pod still speaks of a mounted path.

A volume that held the model may hold more: adapters, a chat template, a draft model, what a
probe looks for. It is asked by text: a path stands in arguments, in JSON, in lists of paths,
in a file of arguments, and each is text somewhere. What is not known may speak of it too.
Taking a volume away that is read makes a pod that does not start; leaving one that is not
read costs a mount. So a doubt keeps it.
"""

import re
from collections.abc import Iterator
from typing import Any

from firstlight.manifests.command_line import CommandLine
from firstlight.manifests.draft import Draft
from firstlight.manifests.variables import names, variables
from firstlight.readers.words import Word

_OTHER_SCHEME = re.compile(r"(?<![\w/.-])(?!file:)[a-z][a-z0-9+.-]*://[^\s'\",]*")
_NUMBERS_OF_THE_SHELL = re.compile(r"\$[?$!#0-9]|\$\{[?$!#0-9]\}")
_NAMES_NO_FILE = frozenset({"--served-model-name", "--api-key", "--port", "--host"})
_IMAGE_FOLDER = "/vllm-workspace"
"""Where a container of vLLM's image works that does not say another folder."""


def mentions(text: str, path: str) -> bool:
    """Whether a text has the path in it, or one below it."""
    plain = re.sub(r"/(?:\\?/)+", "/", _OTHER_SCHEME.sub("", text.replace("\\/", "/")))
    return re.search(rf"(?<![\w./-]){re.escape(path)}(?![\w.-])", plain) is not None


def also_speaks_of(draft: Draft, path: str, model_word: str | None) -> str | None:
    """
    What in the pod speaks of a path, or may; None where nothing does.

    Args:
        draft: the pod as it has become, the model taken from elsewhere.
        path: where the volume is mounted, without a slash at its end.
        model_word: how the model was named before, as it was written; None where it was not.
    """
    line = draft.line()
    named_model = frozenset(names(model_word or ""))
    paths = _spellings(draft, path)
    said = (
        *_arguments(draft, line, paths),
        *_hidden(draft, line, paths),
        *_script(draft, line, paths, named_model),
        *_variables(draft, paths, named_model),
        *_elsewhere(draft, paths),
    )
    return next(iter(said), None)


def _spellings(draft: Draft, path: str) -> tuple[str, ...]:
    """The path, and how it is written from the folder that the engine works in."""
    folder = str(draft.container.get("workingDir") or _IMAGE_FOLDER).rstrip("/")
    below = path.removeprefix(f"{folder}/")
    return (path,) if below == path else (path, below)


def _arguments(draft: Draft, line: CommandLine, paths: tuple[str, ...]) -> Iterator[str]:
    environment = variables(draft.container, draft.objects, draft.before.namespace)
    for option in line.arguments.options:
        if option.name in _NAMES_NO_FILE:
            continue
        for text in (option.joined, *(word.text for word in option.values)):
            if text is not None and _may(text, line.resolved(text, environment), paths):
                yield option.name
        if option.behind is not None:
            yield option.name


def _hidden(draft: Draft, line: CommandLine, paths: tuple[str, ...]) -> Iterator[str]:
    for source in draft.hidden(line):
        if source.known is None:
            yield f"{source.name}, of which nothing is known ({source.place}), perhaps"
        elif any(_says(word.text, paths) for word in source.known.words):
            yield f"{source.name} ({source.place})"


def _script(
    draft: Draft, line: CommandLine, paths: tuple[str, ...], named_model: frozenset[str]
) -> Iterator[str]:
    """The commands around the engine, but the one that only says what the model is."""
    environment = variables(draft.container, draft.objects, draft.before.namespace)
    engines = frozenset(line.arguments.words)
    for words in line.commands:
        if words[0].text in {"cd", "pushd"}:
            # From then on, paths may be written otherwise.
            yield "the script around the engine"
        for word in words:
            if word in engines or word.text.partition("=")[0] in named_model:
                continue
            of_model = named_model & set(names(word.text))
            if of_model or _may(word.text, _of_script(word, line, environment), paths):
                yield "the script around the engine"


def _of_script(word: Word, line: CommandLine, environment: Any) -> str | None:
    bare = _NUMBERS_OF_THE_SHELL.sub("0", word.text)
    return bare if word.static else line.resolved(bare, environment)


def _variables(draft: Draft, paths: tuple[str, ...], named_model: frozenset[str]) -> Iterator[str]:
    """Variables by their values; of those that only named the model, none."""
    for entry in draft.container.get("env") or []:
        if entry["name"] not in named_model and _says(str(entry.get("value") or ""), paths):
            yield f"the variable {entry['name']}"
    known = variables(draft.container, draft.objects, draft.before.namespace)
    for name, value in known.items():
        if name not in named_model and value is not None and _says(value, paths):
            yield f"the variable {name}"
    for source in draft.container.get("envFrom") or []:
        reference = source.get("configMapRef")
        if reference and not any(
            m.identity.name == reference.get("name") for m in draft.objects.of_kind("ConfigMap")
        ):
            yield f"the ConfigMap {reference.get('name')}, which is not among the objects, perhaps"


def _elsewhere(draft: Draft, paths: tuple[str, ...]) -> Iterator[str]:
    """Texts of the pod that are neither the engine's words nor its variables, nor mounts."""
    for field, value in draft.pod.items():
        if field not in {"containers", "initContainers", "volumes"}:
            yield from _texts(value, paths, f"the pod's {field}")
    for container in (*(draft.pod.get("initContainers") or []), *draft.pod["containers"]):
        own = container is draft.container
        skipped = {"command", "args", "env"} if own else set()
        for field, value in container.items():
            if field not in skipped | {"volumeMounts"}:
                yield from _texts(value, paths, f"{field} of {container.get('name')}")


def _texts(value: Any, paths: tuple[str, ...], where: str) -> Iterator[str]:
    match value:
        case str():
            if _says(value, paths):
                yield where
        case dict():
            for inner in value.values():
                yield from _texts(inner, paths, where)
        case list():
            for inner in value:
                yield from _texts(inner, paths, where)
        case _:
            pass


def _may(written: str, known: str | None, paths: tuple[str, ...]) -> bool:
    return known is None or _says(known, paths) or _says(written, paths)


def _says(text: str, paths: tuple[str, ...]) -> bool:
    return any(mentions(text, path) for path in paths)

"""
Objects without what nobody else may read.

A pod's spec holds keys in three places: the environment, the arguments, and the copy of
all of it that `kubectl apply` leaves in an annotation. Variables lose their values
unless their names are known to explain a start; arguments keep their words and lose
what is secret among them; that annotation goes. Every other text is searched for what
looks like a secret, and for the secrets that the specs themselves gave away: an engine
may print them, and an event may quote them.

What went is counted by kind and place. Names of variables, Secrets and volumes stay.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from firstlight.core.objects import Object
from firstlight.core.secrets import (
    HIDDEN,
    is_secret,
    redacted_command,
    scrubbed,
    secret_values,
    secrets_in,
)

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
_EXPLAINING = (
    *("VLLM_", "TORCH", "PYTORCH_", "TRITON_", "NCCL_", "GLOO_", "UCX_", "CUDA_", "NVIDIA_"),
    *("ROCR_", "HIP_", "RAY_", "FLASHINFER_", "DG_", "RUNAI_STREAMER_", "TRANSFORMERS_", "HF_HUB_"),
    *("OMP_", "MKL_", "OPENBLAS_", "NUMBA_", "PYTHON", "LD_", "SAFETENSORS_", "XLA_"),
)
_EXPLAINING_WHOLE = frozenset(
    {
        *("HF_HOME", "HF_ENDPOINT", "HOME", "TMPDIR", "PATH", "XDG_CACHE_HOME"),
        *("TOKENIZERS_PARALLELISM", "AWS_REGION", "AWS_DEFAULT_REGION"),
    }
)
_IDENTIFIERS = frozenset(
    {
        *("name", "generateName", "namespace", "uid", "kind", "apiVersion", "resourceVersion"),
        *("nodeName", "image", "imageID", "containerID", "fieldPath", "providerID", "secretName"),
        *("creationTimestamp", "systemUUID", "bootID", "machineID", "key", "names", "reason"),
    }
)
_LOOKS_RANDOM = re.compile(r"(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9+/=]{24,}")


class Redaction:
    """What is taken out of one bundle: the secrets that are known, and what went so far."""

    def __init__(self) -> None:
        self.removed: Counter[tuple[str, str]] = Counter()
        """By kind and place."""
        self._known: tuple[str, ...] = ()

    @property
    def known(self) -> tuple[str, ...]:
        """The secrets themselves, longest first; they are written nowhere."""
        return self._known

    def learn(self, objects: Iterable[Object]) -> None:
        """Find the secrets that objects give away, before anything is redacted."""
        found = set(self._known)
        for object_ in objects:
            for container in _containers(object_):
                found.update(_secrets_of(container))
        self._known = tuple(sorted(found, key=lambda secret: (-len(secret), secret)))

    def cleaned(self, object_: Object, *, file: str) -> Object:
        """An object without its secrets."""
        return self._map(object_, f"{file}: ")

    def text(self, text: str, *, where: str) -> str:
        """A text without its secrets."""
        clean, removed = scrubbed(text, self._known)
        self.count(removed, where=where)
        return clean

    def count(self, removed: Mapping[str, int], *, where: str) -> None:
        """Note what was taken out of a text."""
        for kind, times in removed.items():
            self._count(kind, where, times)

    def as_json(self) -> list[dict[str, object]]:
        """What went, for bundle.json."""
        return [
            {"kind": kind, "where": where, "times": times}
            for (kind, where), times in sorted(self.removed.items())
        ]

    def _count(self, kind: str, where: str, times: int = 1) -> None:
        self.removed[kind, where] += times

    def _map(self, value: Mapping[str, Any], path: str) -> Object:
        changed = self._command(value, path)
        return changed | {
            key: self._member(key, inner, path)
            for key, inner in value.items()
            if key not in changed
        }

    def _member(self, key: str, value: Any, path: str) -> Any:
        here = f"{path}{key}" if path.endswith(": ") else f"{path}.{key}"
        match key, value:
            case "managedFields", list():
                return [_slim(entry) for entry in value if isinstance(entry, dict)]
            case "annotations", dict():
                return self._annotations(value, here)
            case ("env", list()):
                return [self._variable(one, here) for one in value]
            case ("httpHeaders", list()):
                return [self._header(one, here) for one in value]
            case _ if key in _IDENTIFIERS and isinstance(value, str):
                return value
            case _:
                return self._any(value, here)

    def _any(self, value: Any, path: str) -> Any:
        match value:
            case str():
                return self.text(value, where=path)
            case dict():
                return self._map(value, path)
            case list():
                return [self._any(inner, _item(path, inner)) for inner in value]
            case _:
                return value

    def _annotations(self, annotations: Mapping[str, Any], path: str) -> Object:
        kept: Object = {}
        for name, value in annotations.items():
            where = f"{path}[{name}]"
            if name == LAST_APPLIED:
                self._count("last-applied-configuration", where)
            elif isinstance(value, str) and value and is_secret(name.rpartition("/")[2]):
                self._count("named secret", where)
                kept[name] = HIDDEN
            else:
                kept[name] = self._any(value, where)
        return kept

    def _variable(self, variable: Any, path: str) -> Any:
        if not isinstance(variable, dict):
            return self._any(variable, path)
        name, value = str(variable.get("name", "")), variable.get("value")
        if not isinstance(value, str) or not value:
            return self._any(variable, f"{path}[{name}]")
        where = f"{path}[{name}]"
        if _explains(name):
            return self._with(variable, self.text(value, where=where), where)
        self._count("environment value", where)
        return self._with(variable, HIDDEN, where)

    def _header(self, header: Any, path: str) -> Any:
        if not isinstance(header, dict) or not header.get("value"):
            return self._any(header, path)
        where = f"{path}[{header.get('name')}]"
        self._count("header value", where)
        return self._with(header, HIDDEN, where)

    def _with(self, named: Mapping[str, Any], value: str, path: str) -> Object:
        """A variable or header with another value."""
        rest = {key: inner for key, inner in named.items() if key != "value"}
        return self._map(rest, path) | {"value": value}

    def _command(self, container: Mapping[str, Any], path: str) -> Object:
        """A container's command and arguments, which are one command line."""
        lists = {key: _strings(container.get(key)) for key in ("command", "args")}
        words = [word for part in lists.values() for word in part]
        hidden = []
        for before, after in zip(words, redacted_command(words), strict=True):
            if before != after:
                self._count("argument", f"{path}.args")
            hidden.append(self.text(after, where=f"{path}.args"))
        begins = len(lists["command"])
        cleaned = {"command": hidden[:begins], "args": hidden[begins:]}
        return {key: cleaned[key] for key, part in lists.items() if part}


def _containers(value: Any) -> Iterator[Object]:
    """Everything with an environment, a command or headers, wherever it stands."""
    if isinstance(value, dict):
        if any(isinstance(value.get(key), list) for key in ("env", "command", "args")):
            yield value
        for inner in value.values():
            yield from _containers(inner)
        applied = value.get("annotations")
        if isinstance(applied, dict) and isinstance(applied.get(LAST_APPLIED), str):
            try:
                yield from _containers(json.loads(applied[LAST_APPLIED]))
            except (ValueError, RecursionError):
                return
    elif isinstance(value, list):
        for inner in value:
            yield from _containers(inner)


def _secrets_of(container: Mapping[str, Any]) -> Iterator[str]:
    variables = container.get("env")
    environment = {
        str(one.get("name")): one["value"]
        for one in (variables if isinstance(variables, list) else [])
        if isinstance(one, dict) and isinstance(one.get("value"), str)
    }
    command = [*_strings(container.get("command")), *_strings(container.get("args"))]
    yield from secret_values(command, environment)
    for name, value in environment.items():
        yield from secrets_in(value)
        if not _explains(name) and _LOOKS_RANDOM.fullmatch(value):
            yield value


def _explains(name: str) -> bool:
    """Whether a variable's value says something about a start, and is no secret."""
    known = name in _EXPLAINING_WHOLE or name.startswith(_EXPLAINING)
    return known and not is_secret(name)


def _slim(entry: Mapping[str, Any]) -> Object:
    """Who wrote when bounds the clocks; which fields is noise."""
    return {key: entry[key] for key in ("manager", "operation", "time") if key in entry}


def _item(path: str, value: Any) -> str:
    """Items of a list by their names, so that the same place of many objects is one place."""
    name = value.get("name") if isinstance(value, dict) else None
    return f"{path}[{name}]" if isinstance(name, str) else f"{path}[]"


def _strings(value: Any) -> list[str]:
    """The words of a command; none where it is something else."""
    is_command = isinstance(value, list) and all(isinstance(word, str) for word in value)
    return list(value) if is_command else []

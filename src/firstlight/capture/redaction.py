"""
Objects without what nobody else may read.

A pod's spec holds keys in three places: the environment, the arguments, and the copy of
all of it that `kubectl apply` leaves in an annotation. Variables lose their values
unless their names are known to explain a start; arguments keep their words and lose
what is secret among them; that annotation goes. A field whose name says secret loses its
value, whoever thought of it: a volume driver's attributes, a label. Every other text is
searched for what looks like a secret, and for all that the specs themselves gave away: an
engine may print it, and an event may quote it.

What went was counted by kind and place. Names of variables, Secrets and volumes stay.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from firstlight.capture.given_away import LAST_APPLIED, GivenAway, applied
from firstlight.core.named_secrets import HIDDEN, says_nothing
from firstlight.core.objects import Object
from firstlight.core.secret_names import is_secret
from firstlight.core.secrets import (
    Known,
    longest_first,
    redacted_command,
    scrubbed,
    secret_values,
    secrets_in,
    without_known,
)

_EXPLAINING = (
    *("VLLM_", "TORCH", "PYTORCH_", "TRITON_", "NCCL_", "GLOO_", "UCX_", "CUDA_", "NVIDIA_"),
    *("ROCR_", "HIP_", "RAY_", "FLASHINFER_", "DG_", "RUNAI_STREAMER_", "TRANSFORMERS_", "HF_HUB_"),
    *("OMP_", "MKL_", "OPENBLAS_", "NUMBA_", "PYTHON", "LD_", "SAFETENSORS_", "XLA_"),
)
_EXPLAINING_WHOLE = frozenset(
    {
        *("HF_HOME", "HF_ENDPOINT", "HOME", "TMPDIR", "PATH", "XDG_CACHE_HOME"),
        *("TOKENIZERS_PARALLELISM", "AWS_REGION", "AWS_DEFAULT_REGION"),
        *("MODEL", "MODEL_ID", "MODEL_NAME", "MODEL_PATH", "SERVED_MODEL_NAME", "DTYPE"),
        *("MAX_MODEL_LEN", "GPU_MEMORY_UTILIZATION", "TENSOR_PARALLEL_SIZE", "LOG_LEVEL"),
        *("HOST", "PORT", "POD_NAME", "POD_NAMESPACE", "NAMESPACE", "NODE_NAME"),
    }
)
_IDENTIFIERS = frozenset(
    {
        *("name", "generateName", "namespace", "uid", "kind", "apiVersion", "resourceVersion"),
        *("nodeName", "image", "imageID", "containerID", "fieldPath", "providerID", "secretName"),
        *("systemUUID", "bootID", "machineID", "key", "topologyKey"),
    }
)
_IDENTIFIER = re.compile(r"(?!.*://)[a-z0-9][a-z0-9._/:-]*(?:@sha256:[0-9a-f]{64})?")
"""What Kubernetes and registries allow as one; objects point at each other by them."""
_STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z")
_REFERENCE = frozenset(
    {
        *("name", "namespace", "key", "optional", "items", "secretName", "defaultMode", "path"),
        *("audience", "expirationSeconds", "apiGroup", "kind"),
    }
)
"""All that a reference to a Secret, or a projected token, can have."""


class Redaction:
    """What is taken out of one bundle: the secrets that are known, and what went so far."""

    def __init__(self) -> None:
        self.removed: Counter[tuple[str, str]] = Counter()
        """By kind and place."""
        self._known = Known()
        self._given_away = GivenAway()

    @property
    def known(self) -> Known:
        """The secrets themselves; they are written nowhere."""
        return self._known

    def learn(self, objects: Iterable[Object]) -> None:
        """Find the secrets that objects give away, before anything is redacted."""
        objects = list(objects)
        rehearsal = Redaction()
        for object_ in objects:
            for copy in (object_, *applied(object_)):
                rehearsal.cleaned(copy, file="")
        found = rehearsal._given_away.known(objects)
        self._known = Known(
            values=longest_first({*self._known.values, *found.values}),
            names=self._known.names | found.names,
        )

    def cleaned(self, object_: Object, *, file: str) -> Object:
        """An object without its secrets."""
        return self._map(object_, f"{file}: ")

    def text(self, text: str, *, where: str) -> str:
        """A text without its secrets."""
        clean, removed = scrubbed(text, self._known)
        if removed:
            self._given_away.add(secrets_in(text))
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
        changed = self._command(value, path) | self._pair(value, path)
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
            case "annotations", dict() if LAST_APPLIED in value:
                self._count("last-applied-configuration", f"{here}[{LAST_APPLIED}]")
                rest = {name: inner for name, inner in value.items() if name != LAST_APPLIED}
                return self._any(rest, here)
            case ("env", list()):
                return [self._variable(one, here) for one in value]
            case ("httpHeaders", list()):
                return [self._header(one, here) for one in value]
            case _ if key in _IDENTIFIERS and isinstance(value, str):
                return self._identifier(value, here)
            case _ if is_secret(key.rpartition("/")[2]):
                return self._secret(value, here)
            case _:
                return self._any(value, here)

    def _any(self, value: Any, path: str) -> Any:
        match value:
            case str():
                return value if _STAMP.fullmatch(value) else self.text(value, where=path)
            case dict():
                return self._map(value, path)
            case list():
                return [self._any(inner, _item(path, inner)) for inner in value]
            case _:
                return value

    def _identifier(self, value: str, path: str) -> str:
        """A name may look like a key, but it may not hold one."""
        if not _IDENTIFIER.fullmatch(value):
            return self.text(value, where=path)
        clean, removed = without_known(value, self._known)
        self.count(removed, where=path)
        return clean

    def _secret(self, value: Any, path: str) -> Any:
        """What a name calls secret: a value, several, or a reference to one that is elsewhere."""
        match value:
            case str() if not says_nothing(value):
                return self._hidden(value, "named secret", path)
            case int() | float() if not isinstance(value, bool):
                return self._hidden(str(value), "named secret", path)
            case list():
                return [self._secret(inner, _item(path, inner)) for inner in value]
            case dict() if not value.keys() <= _REFERENCE:
                return {key: self._secret(inner, f"{path}.{key}") for key, inner in value.items()}
            case _:
                return self._any(value, path)

    def _hidden(self, value: str, kind: str, path: str) -> str:
        self._count(kind, path)
        self._given_away.add([value, *secrets_in(value)])
        return HIDDEN

    def _pair(self, value: Mapping[str, Any], path: str) -> Object:
        """The value of something that has its name beside it."""
        held = value.get("value")
        names = [value.get(key) for key in ("name", "key")]
        if not isinstance(held, str) or says_nothing(held):
            return {}
        if not any(isinstance(name, str) and is_secret(name) for name in names):
            return {}
        return {"value": self._hidden(held, "named secret", f"{path}.value")}

    def _variable(self, variable: Any, path: str) -> Any:
        if not isinstance(variable, dict):
            return self._any(variable, path)
        name, value = str(variable.get("name", "")), variable.get("value")
        if not isinstance(value, str) or not value:
            return self._any(variable, f"{path}[{name}]")
        where = f"{path}[{name}]"
        if _explains(name):
            return self._with(variable, self.text(value, where=where), where)
        self._given_away.add_variable(name, value)
        self._count("environment value", where)
        return self._with(variable, HIDDEN, where)

    def _header(self, header: Any, path: str) -> Any:
        if not isinstance(header, dict) or not header.get("value"):
            return self._any(header, path)
        where = f"{path}[{header.get('name')}]"
        self._hidden(str(header["value"]), "header value", where)
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
        self._given_away.add(secret_values(words, {}))
        for before, after in zip(words, redacted_command(words), strict=True):
            if before != after:
                self._count("argument", f"{path}.args")
            hidden.append(self.text(after, where=f"{path}.args"))
        begins = len(lists["command"])
        cleaned = {"command": hidden[:begins], "args": hidden[begins:]}
        return {key: cleaned[key] for key, part in lists.items() if part}


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

"""
`deployment/NAME` and its like, in the words that kubectl has for them.

kubectl takes a kind in the singular, the plural and one or two short forms, in any case,
and with its API group behind it: `deploy`, `deployments.apps`, `deployment.v1.apps`. What
may be done to a kind differs from command to command and is for each to say; what the
words mean does not.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from firstlight.core.errors import BadInput


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    short: str
    group: str = ""

    def words(self, kind: str) -> tuple[str, ...]:
        plain = (kind, f"{kind}s")
        ends = (f".{self.group}", f".v1.{self.group}") if self.group else ()
        return (*plain, self.short, *(word + end for word in plain for end in ends))


_KINDS = {
    "deployment": _Kind(short="deploy", group="apps"),
    "statefulset": _Kind(short="sts", group="apps"),
    "replicaset": _Kind(short="rs", group="apps"),
    "daemonset": _Kind(short="ds", group="apps"),
    "job": _Kind(short="job", group="batch"),
    "cronjob": _Kind(short="cj", group="batch"),
    "pod": _Kind(short="po"),
}
_SPELLED = {word: kind for kind, one in _KINDS.items() for word in one.words(kind)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One object that has, or is, pods."""

    kind: str
    """deployment, statefulset, replicaset, daemonset, job, cronjob or pod."""
    name: str
    namespace: str = ""
    """Empty for that of the connection."""

    @property
    def resource(self) -> str:
        """The kind as the API's paths have it."""
        return f"{self.kind}s"

    def __str__(self) -> str:
        return f"{self.kind}/{self.name}"


def names_a_workload(text: str) -> bool:
    """Whether a word of the command line means something in a cluster, not a program or a path."""
    word, _, name = text.partition("/")
    return bool(name) and "/" not in name and word.lower() in _SPELLED


def parsed_target(text: str, *, namespace: str = "") -> Target:
    """
    What a `KIND/NAME` means.

    Raises:
        BadInput: it is not of that form, or nothing that has pods.
    """
    word, slash, name = text.partition("/")
    if not slash:
        raise BadInput(
            f"{text} does not say what it is", remedy=f"say deployment/{text} or pod/{text}"
        )
    kind = _SPELLED.get(word.lower())
    if kind is None:
        raise BadInput(f"{word} is no kind that has pods", remedy="say deployment/NAME or pod/NAME")
    if not name or "/" in name:
        raise BadInput(f"{text} names no {kind}", remedy=f"say {kind}/NAME")
    return Target(kind=kind, name=name, namespace=namespace)


def selector_text(selector: Mapping[str, Any]) -> str:
    """A label selector in the form that a query takes."""
    terms = [f"{key}={value}" for key, value in (selector.get("matchLabels") or {}).items()]
    for one in selector.get("matchExpressions") or []:
        key, values = one.get("key"), ",".join(one.get("values") or [])
        match one.get("operator"):
            case "In":
                terms.append(f"{key} in ({values})")
            case "NotIn":
                terms.append(f"{key} notin ({values})")
            case "Exists":
                terms.append(str(key))
            case "DoesNotExist":
                terms.append(f"!{key}")
    return ",".join(terms)

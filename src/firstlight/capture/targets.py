"""
What is to be captured, in the words kubectl has for it.
"""

from dataclasses import dataclass

from firstlight.core.errors import BadInput

_KINDS = {
    "deployment": ("deployment", "deployments", "deploy"),
    "pod": ("pod", "pods", "po"),
    "statefulset": ("statefulset", "statefulsets", "sts"),
    "replicaset": ("replicaset", "replicasets", "rs"),
}
_BY_WORD = {word: kind for kind, words in _KINDS.items() for word in words}


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One object that has, or is, pods."""

    kind: str
    """deployment, pod, statefulset or replicaset."""
    name: str

    @property
    def resource(self) -> str:
        return f"{self.kind}s"

    def __str__(self) -> str:
        return f"{self.kind}/{self.name}"


def parsed_target(text: str) -> Target:
    """
    A target from `KIND/NAME`.

    Raises:
        BadInput: it is not of that form, or of a kind that has no pods of its own.
    """
    word, slash, name = text.partition("/")
    if not slash:
        raise BadInput(
            f"{text} does not say what it is",
            remedy=f"say deployment/{text} or pod/{text}",
        )
    kind = _BY_WORD.get(word.lower().partition(".")[0])
    if kind is None:
        raise BadInput(
            f"{word} is nothing that can be captured",
            remedy=f"say {', '.join(f'{known}/NAME' for known in _KINDS)}",
        )
    if not name or "/" in name:
        raise BadInput(f"{text} names no {kind}", remedy=f"say {kind}/NAME")
    return Target(kind=kind, name=name)

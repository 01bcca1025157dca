"""
What a change to objects speaks of, as patterns for the paths of differences.

A card says in its operations what it changes: this argument, that variable, a volume of that
name. What really differs between two steps is held against that, so that a change which moved
something else beside its own is seen, whoever's fault it is. Parameters of a card may be any
value here: what they are is the plan's to say.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from firstlight.experiment.plan import KubernetesWords
from firstlight.manifests.differences import Difference
from firstlight.manifests.expected_factors import EXPECTED
from firstlight.techniques.card import Card
from firstlight.techniques.operations import (
    AddContainer,
    AddInitContainer,
    AddObject,
    AddVolume,
    NewNodeClass,
    Operation,
    RemoveArgument,
    RemoveModelVolume,
    SetArgument,
    SetEnvironment,
    SetField,
    SetGracePeriod,
    SetModel,
    SetPreStop,
    SetProbe,
)

_PARAMETER = re.compile(r"\\\$\\\{[^}]*\\\}")
_ANY = ".+"
_NODES = ("NodePool", "EC2NodeClass")
_CLAIMS = ("PersistentVolumeClaim", "PersistentVolume")


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """Some differences, told by where they are."""

    path: str = ""
    """A regular expression for the whole path."""
    kinds: tuple[str, ...] = ()
    """Empty for the workload alone."""
    name: str = _ANY
    """A regular expression for the object's name."""
    only_gone: bool = False
    """Whether it only speaks of what is taken away."""

    def covers(self, one: Difference, *, workload: str) -> bool:
        """Whether a difference is one of these."""
        if self.only_gone and one.after is not None:
            return False
        return (
            one.identity.kind in (self.kinds or (workload,))
            and re.fullmatch(self.name, one.identity.name) is not None
            and re.fullmatch(self.path, one.path) is not None
        )


_EXPECTATION = Spoken(path=rf".*annotations.*{re.escape(EXPECTED)}.*")
"""What the pods say of the cache that fits follows from all that a change may change."""


def of_card(card: Card, *, engine: str) -> tuple[Spoken, ...]:
    """
    All that a technique speaks of.

    Args:
        card: the technique.
        engine: the name of the engine's container.
    """
    found = [s for one in card.change.kubernetes.operations for s in _of(one, _container(engine))]
    return (*found, _EXPECTATION)


def of_words(words: KubernetesWords, *, engine: str) -> tuple[Spoken, ...]:
    """All that a change of one's own speaks of."""
    inside = _container(engine)
    return (
        *(s for name in words.arguments for s in _argument(inside, name)),
        *(_variable(inside, name) for name in words.environment),
        _EXPECTATION,
    )


def _of(operation: Operation, inside: str) -> Sequence[Spoken]:
    match operation:
        case SetArgument() | RemoveArgument():
            return _argument(inside, operation.argument)
        case SetModel():
            # The name that clients ask for stays, which has to be said once the model moves.
            return [Spoken(path=rf"{inside}(args|command)(\[(0|--model|--served-model-name)\])?")]
        case SetEnvironment():
            return [_variable(inside, operation.name)]
        case AddVolume():
            return [
                _volume(str(operation.volume.get("name"))),
                Spoken(path=rf"{inside}volumeMounts\[{_fixed(operation.mount_path)}\].*"),
            ]
        case RemoveModelVolume():
            return [
                Spoken(path=r".*\.volumes\[[^\]]+\]", only_gone=True),
                Spoken(path=rf"{inside}volumeMounts\[[^\]]+\]", only_gone=True),
                Spoken(kinds=_CLAIMS, only_gone=True),
            ]
        case AddInitContainer():
            return [_beside("initContainers", str(operation.container.get("name")))]
        case AddContainer():
            return [
                _beside("containers", str(operation.container.get("name"))),
                *(_volume(str(one.get("name"))) for one in operation.volumes),
            ]
        case SetProbe():
            return [Spoken(path=rf"{inside}{_fixed(operation.probe)}(\..*)?")]
        case SetPreStop():
            return [Spoken(path=rf"{inside}lifecycle(\..*)?")]
        case SetGracePeriod():
            return [Spoken(path=r".*\.terminationGracePeriodSeconds")]
        case _:
            return list(_of_objects(operation))


def _of_objects(operation: Operation) -> Iterator[Spoken]:
    match operation:
        case AddObject():
            called = (operation.object.get("metadata") or {}).get("name") or ""
            kind = str(operation.object.get("kind"))
            yield Spoken(kinds=(kind,), name=_fixed(str(called)), path=".*")
        case SetField():
            yield Spoken(kinds=(operation.kind,), path=".*")
        case NewNodeClass():
            yield Spoken(kinds=_NODES, path=".*")
            yield Spoken(path=r".*\.(nodeSelector|tolerations)\b.*")
        case _:
            return


def _container(engine: str) -> str:
    return rf".*\.containers\[{re.escape(engine)}\]\."


def _argument(inside: str, name: str) -> list[Spoken]:
    """By name, or the whole command where its arguments cannot be told one from another."""
    bare = _fixed(name.replace("_", "-").removeprefix("--"))
    return [Spoken(path=rf"{inside}(args|command)(\[--(no-)?{bare}\])?")]


def _variable(inside: str, name: str) -> Spoken:
    return Spoken(path=rf"{inside}env\[{_fixed(name)}\].*")


def _volume(name: str) -> Spoken:
    return Spoken(path=rf".*\.volumes\[{_fixed(name)}\].*")


def _beside(field: str, name: str) -> Spoken:
    return Spoken(path=rf".*\.{field}(\[{_fixed(name)}\].*| order)")


def _fixed(text: str) -> str:
    """A text as a pattern, its parameters open."""
    return _PARAMETER.sub(_ANY, re.escape(text))

"""
The objects while a technique is being drawn on them.

The operations of a card come one after another, each on what the one before left, and
some have to look back: the volume that held the model is found by the model that was read
before. So a draft holds the objects as they were and as they have become, and the change is
what lies between. It is the one thing here that changes while it is used; it does not
outlive `drawing`.
"""

from dataclasses import dataclass, field, replace
from typing import Any

from firstlight.core.errors import BadInput
from firstlight.manifests.change import Change, ObjectPatch
from firstlight.manifests.command_line import CommandLine, command_line
from firstlight.manifests.hidden_arguments import HiddenArguments, hidden_arguments
from firstlight.manifests.json_values import copied
from firstlight.manifests.kinds import kind_of
from firstlight.manifests.objects import Manifest, ObjectSet, Value
from firstlight.manifests.patching import patch
from firstlight.manifests.variables import variables
from firstlight.manifests.workload import Workload
from firstlight.readers.json_pointer import value_at


@dataclass(slots=True, kw_only=True)
class Draft:
    """A technique's change, in the making."""

    technique: str
    objects: ObjectSet
    """As they were given."""
    before: Workload
    """The one that runs the engine, as it was given."""
    values: list[Value]
    """What each object has become, in the set's order."""
    added: list[Value] = field(default_factory=list)
    removed: set[int] = field(default_factory=set)
    """Positions in the set."""
    assumptions: list[str] = field(default_factory=list)

    @staticmethod
    def of(technique: str, objects: ObjectSet, workload: Workload) -> "Draft":
        """A draft in which nothing has changed yet."""
        return Draft(
            technique=technique,
            objects=objects,
            before=workload,
            values=[copied(m.value) for m in objects],
        )

    @property
    def position(self) -> int:
        """Where the workload is in the set."""
        return next(i for i, m in enumerate(self.objects) if m is self.before.manifest)

    @property
    def pod(self) -> dict[str, Any]:
        """The pod's spec as it has become; to be changed in place."""
        found: dict[str, Any] = value_at(self.values[self.position], self.before.pod_pointer)
        return found

    @property
    def container(self) -> dict[str, Any]:
        """The engine's container as it has become; to be changed in place."""
        found: dict[str, Any] = self.pod["containers"][self.before.engine]
        return found

    @property
    def now(self) -> Workload:
        """The workload as it has become, with the lines it was given with."""
        manifest = replace(self.before.manifest, value=self.values[self.position])
        return replace(self.before, manifest=manifest)

    def line(self) -> CommandLine:
        """The engine's arguments as they have become."""
        return command_line(self.container, self.before.place)

    def hidden(self, line: CommandLine) -> tuple[HiddenArguments, ...]:
        """What else may hold arguments."""
        return hidden_arguments(self.now, line, self.objects)

    def others(self, *kinds: str) -> list[tuple[Value, str]]:
        """The objects of a kind as they have become, those added too, with their places."""
        here = [
            (self.values[i], m.place())
            for i, m in enumerate(self.objects)
            if i not in self.removed and kind_of(m.value) in kinds
        ]
        new = [(v, Manifest(value=v).place()) for v in self.added if kind_of(v) in kinds]
        return here + new

    def refusal(self, why: str, *, remedy: str) -> BadInput:
        """The error of a technique that cannot be drawn here."""
        return BadInput(f"{self.technique} cannot be rendered: {why}", remedy=remedy)

    def assume(self, sentence: str) -> None:
        """Say something to whoever applies the change; once."""
        if sentence not in self.assumptions:
            self.assumptions.append(sentence)

    def change(self) -> Change:
        """What lies between the objects as they were and as they have become."""
        patches = [
            ObjectPatch(target=m.identity, operations=operations)
            for i, m in enumerate(self.objects)
            if i not in self.removed and (operations := patch(m.value, self.values[i]))
        ]
        return Change(
            technique=self.technique,
            patches=tuple(patches),
            added=tuple(Manifest(value=v) for v in self.added),
            removed=tuple(m.identity for i, m in enumerate(self.objects) if i in self.removed),
            assumptions=tuple(self.assumptions),
        )


def listed(of: dict[str, Any], field_name: str) -> list[Any]:
    """The list in a field, to be added to; made where it is absent or null."""
    if not of.get(field_name):
        of[field_name] = []
    found: list[Any] = of[field_name]
    return found


def model_of(workload: Workload, objects: ObjectSet) -> str | None:
    """The model that the engine reads, variables replaced; None where that is not known."""
    line = command_line(workload.container, workload.place)
    if line.model is None:
        for hidden in hidden_arguments(workload, line, objects):
            if (named := hidden.last("--model")) is not None:
                return named.value
        return None
    named = line.model_option
    word = line.arguments.words[line.model].text
    if named is not None and named.joined is not None:
        word = named.joined
    return argument_text(word, workload, line, objects)


def argument_text(
    word: str, workload: Workload, line: CommandLine, objects: ObjectSet
) -> str | None:
    """A word with its variables replaced; None where one is not known."""
    return line.resolved(word, variables(workload.container, objects, workload.namespace))

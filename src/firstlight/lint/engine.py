"""
One engine in a set of objects, as rules ask about it.

A rule wants to know what an argument is, and an argument has three answers: given, not
given, not known, because a variable or a file may hold it that is not among the objects. The
third is never taken for the second.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any

from firstlight.core.errors import BadInput
from firstlight.manifests.arguments import Option, is_flag
from firstlight.manifests.command_line import CommandLine, command_line
from firstlight.manifests.draft import model_of
from firstlight.manifests.hidden_arguments import HiddenArguments, hidden_arguments, mount_of
from firstlight.manifests.kserve import lone_engine
from firstlight.manifests.mounts import volume_named
from firstlight.manifests.objects import Manifest, ObjectSet
from firstlight.manifests.pod_templates import likelihood, pod_pointers
from firstlight.manifests.variables import config_data, variables
from firstlight.manifests.workload import Workload
from firstlight.readers.engine_likelihood import Likelihood
from firstlight.readers.json_pointer import value_at


class Known(Enum):
    """Whether something is there."""

    GIVEN = "given"
    ABSENT = "absent"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """What is known of an argument."""

    known: Known
    value: str | None = None
    """None for a flag, and where it is not given."""
    pointer: str = ""
    """Where it stands, in the object; the variable or the `--config` that brings it where it is
    written elsewhere, the container where it is absent or not known."""

    @property
    def number(self) -> float | None:
        """Its value as a number; None where it is none."""
        try:
            return float(self.value or "")
        except ValueError:
            return None


@dataclass(frozen=True, kw_only=True)
class Engine:
    """A container that runs vLLM."""

    workload: Workload
    objects: ObjectSet

    @property
    def manifest(self) -> Manifest:
        return self.workload.manifest

    @cached_property
    def pod(self) -> dict[str, Any]:
        return self.workload.pod

    @cached_property
    def container(self) -> dict[str, Any]:
        return self.workload.container

    @cached_property
    def line(self) -> CommandLine | None:
        """Its arguments; None where they are not in the manifest, or cannot be read."""
        if self.workload.lone:
            # The runtime has others, in front of these.
            return None
        try:
            return command_line(self.container, self.workload.place)
        except BadInput:
            return None

    @cached_property
    def hidden(self) -> tuple[HiddenArguments, ...]:
        """Where else it may get arguments from."""
        return hidden_arguments(self.workload, self.line, self.objects) if self.line else ()

    @cached_property
    def environment(self) -> Mapping[str, str | None]:
        """The container's variables; None for a value that is not in the manifests."""
        return variables(self.container, self.objects, self.workload.namespace)

    @cached_property
    def variables(self) -> Mapping[str, str | None]:
        """Its environment, and what its script sets; None for a value not in the manifests."""
        return self.line.assignments.over(self.environment) if self.line else self.environment

    @cached_property
    def model(self) -> str | None:
        """The model that it reads; None where that is not known."""
        try:
            return (model_of(self.workload, self.objects) if self.line else None) or None
        except BadInput:
            return None

    def variable(self, name: str) -> Argument:
        """
        What is known of a variable.

        A Secret that is read as a whole may hold any name and is taken for what Secrets are
        for: it holds no settings. A ConfigMap that is not among the objects may hold any.
        """
        pointer = self.variable_pointer(name)
        if name in self.variables:
            value = self.variables[name]
            known = Known.UNKNOWN if value is None else Known.GIVEN
            return Argument(known=known, value=value, pointer=pointer)
        return Argument(known=Known.UNKNOWN if self._hides else Known.ABSENT, pointer=pointer)

    def text_of(self, argument: Argument) -> str | None:
        """An argument's value with its variables replaced; None where that is not known."""
        if self.line is None or argument.value is None:
            return None
        return self.line.resolved(argument.value, self.environment)

    def argument(self, *names: str) -> Argument:
        """
        What is known of an argument.

        Args:
            names: its names, each long and with dashes; the first that is given counts.
        """
        if self.line is None:
            return self._at("", Known.UNKNOWN)
        unknown = False
        for name in names:
            if (last := self._last(self.line, name)) is not None:
                return self._given(*last)
            unknown = unknown or any(h.known is None for h in self.hidden)
        return self._at("", Known.UNKNOWN if unknown else Known.ABSENT)

    def has(self, *names: str) -> bool | None:
        """Whether a flag is given; None where that is not known."""
        found = self.argument(*names)
        return None if found.known is Known.UNKNOWN else found.known is Known.GIVEN

    def pointer(self, inside: str = "") -> str:
        """A pointer into the engine's container, as one into the object."""
        return self.workload.container_pointer + inside

    def variable_pointer(self, name: str) -> str:
        """Where a variable is written; the container where it comes from `envFrom`."""
        entries = self.container.get("env") or []
        at = max((i for i, e in enumerate(entries) if e.get("name") == name), default=None)
        return self.pointer("" if at is None else f"/env/{at}")

    def volume_of(self, path: str) -> dict[str, Any] | None:
        """The volume that a path lies on; None where it lies in the container's own layer."""
        mount = mount_of(self.container, path)
        return volume_named(self.pod, mount.get("name")) if mount else None

    def mount_of(self, path: str) -> dict[str, Any] | None:
        """The mount that a path lies in; None where it lies in the container's own layer."""
        return mount_of(self.container, path)

    @cached_property
    def _hides(self) -> bool:
        """Whether a ConfigMap that is not among the objects, or a script, may set any variable."""
        if self.line is not None and self.line.assignments.any_variable:
            return True
        maps = [s.get("configMapRef") for s in self.container.get("envFrom") or []]
        namespace = self.workload.namespace
        return any(
            config_data(self.objects, (m or {}).get("name"), namespace) is None for m in maps if m
        )

    def _last(self, line: CommandLine, name: str) -> tuple[Option, str] | None:
        """The option that the parser takes, and where it stands in the container."""
        # What a variable holds stands where the variable does, and the last one counts.
        strong = (h for h in self.hidden if not h.weaker)
        found = [
            (at, option, source.pointer)
            for at, source in zip(line.arguments.open, strong, strict=True)
            if (option := source.last(name))
        ]
        if option := line.last(name):
            found.append((option.at, option, line.pointer(self.container, option.at)))
        if found:
            _, option, pointer = max(found, key=lambda one: one[0])
            return option, pointer
        weak = (h for h in self.hidden if h.weaker)
        return next(((o, h.pointer) for h in weak if (o := h.last(name))), None)

    def _given(self, option: Option, pointer: str) -> Argument:
        if option.joined is not None and is_flag(option.name):
            # `--enable-sleep-mode=False` ends the start; what was meant by it is not known.
            return self._at(pointer, Known.UNKNOWN)
        if option.negated:
            return self._at(pointer, Known.ABSENT)
        return Argument(known=Known.GIVEN, value=option.value, pointer=self.pointer(pointer))

    def _at(self, pointer: str, known: Known) -> Argument:
        return Argument(known=known, pointer=self.pointer(pointer))


def engines_of(manifest: Manifest, objects: ObjectSet) -> Iterator[Engine]:
    """The engines in the pods that an object makes."""
    for pod_pointer in pod_pointers(manifest.value):
        containers = value_at(manifest.value, pod_pointer)["containers"]
        for at, container in enumerate(containers):
            if likelihood(container) >= Likelihood.LIKELY:
                found = Workload(manifest=manifest, pod_pointer=pod_pointer, engine=at)
                yield Engine(workload=found, objects=objects)
    if lone := lone_engine(manifest, objects):
        yield Engine(workload=lone, objects=objects)

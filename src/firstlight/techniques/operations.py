"""
What a technique may do to Kubernetes objects: a small, closed vocabulary.

A strategic merge patch knows the fields of one Deployment. People's own are of other
shapes: the engine is the second of three containers, its arguments are one string, a
volume of that name is there already. So a card says what is meant ("this argument has this
value"), and `manifests` finds out what that is in the objects at hand and writes the patch.

Values may hold `${parameter}`: see `parameters`. Each operation must be possible to do
twice: what is there already is no change.
"""

from typing import Any

import msgspec

JsonObject = dict[str, Any]


class _Operation(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    tag_field="do",
    omit_defaults=True,
):
    """The common form: `do: NAME` and the operation's own fields."""


class SetArgument(_Operation, frozen=True, kw_only=True, tag="set-argument"):
    """The engine is given this argument, instead of any other value of it."""

    argument: str
    """In its long form with dashes: `--load-format`."""
    value: str | None = None
    """None for a flag."""
    unless: tuple[str, ...] = ()
    """Left alone where one of these arguments is given."""
    at_most: bool = False
    """The value is a bound: a lower one that is given stays."""


class RemoveArgument(_Operation, frozen=True, kw_only=True, tag="remove-argument"):
    """The engine is no longer given this argument."""

    argument: str


class SetModel(_Operation, frozen=True, kw_only=True, tag="set-model"):
    """The engine reads this model, whether that was `--model`, or stood behind `serve`."""

    value: str


class SetEnvironment(_Operation, frozen=True, kw_only=True, tag="set-environment"):
    """The engine's container has this variable."""

    name: str
    value: str


class AddVolume(_Operation, frozen=True, kw_only=True, tag="add-volume"):
    """The pod has a volume, and the engine's container sees it."""

    volume: JsonObject
    """As in `spec.volumes`, with its name."""
    mount_path: str
    read_only: bool = False
    unless_mounted: bool = False
    """Left alone where the path lies on a volume that can be written, whatever kind it is."""


class RemoveModelVolume(_Operation, frozen=True, kw_only=True, tag="remove-model-volume"):
    """What the model was read from is gone: mount, volume, and claims that nobody else uses.

    Meant for after `set-model`; without such a volume it does nothing.
    """


class AddInitContainer(_Operation, frozen=True, kw_only=True, tag="add-init-container"):
    """A container that runs before the engine's; behind those that are there."""

    container: JsonObject
    for_engine: str | None = None
    """A folder that it fills for the engine: it sees it on the same volume at the same path,
    runs as the same user, and finds the object store the same way. None: none of that."""


class ExpectCache(_Operation, frozen=True, kw_only=True, tag="expect-cache"):
    """The pods say what a compile cache must be for; see `manifests.expected_factors`."""


class AddContainer(_Operation, frozen=True, kw_only=True, tag="add-container"):
    """A container beside the engine's."""

    container: JsonObject
    volumes: tuple[JsonObject, ...] = ()
    """Of the pod, as in `spec.volumes`, for this container: the engine's does not see them."""


class SetProbe(_Operation, frozen=True, kw_only=True, tag="set-probe"):
    """A probe of the engine's container asks a path of a port by HTTP, whatever it asked before.

    How often it asks and how long it waits stay.
    """

    probe: str
    """`startupProbe`, `livenessProbe` or `readinessProbe`."""
    path: str
    port: int | str
    otherwise: JsonObject | None = None
    """The other fields of one that is made where there is none; None: none is made."""


class SetPreStop(_Operation, frozen=True, kw_only=True, tag="set-pre-stop"):
    """The engine's container is not told to end before a path of a port has answered."""

    path: str
    port: int | str


class SetGracePeriod(_Operation, frozen=True, kw_only=True, tag="set-grace-period"):
    """The pod's grace period is not shorter than what happens in it, one after the other."""

    seconds: tuple[int | str, ...]
    """Of each."""
    argument: str | None = None
    """An argument of the engine whose value is some more of them; None for none."""


class AddObject(_Operation, frozen=True, kw_only=True, tag="add-object"):
    """One more object in the set."""

    object: JsonObject


class SetField(_Operation, frozen=True, kw_only=True, tag="set-field"):
    """A field of another object has a value; refused where the set has no such object."""

    kind: str
    """`NodePool`; each object of it in the set, unless the workload selects one."""
    path: str
    """A JSON pointer; what is missing on the way is made."""
    value: Any


class NewNodeClass(_Operation, frozen=True, kw_only=True, tag="new-node-class"):
    """Nodes of another class, under another name.

    Changing an EC2NodeClass in place makes Karpenter replace every node of it (drift). So
    the class, and the NodePool that refers to it, are written anew with a suffix to their
    names, and the workload selects the new pool.
    """

    suffix: str
    fields: dict[str, Any]
    """Value by JSON pointer, in the EC2NodeClass."""
    ami_families: tuple[str, ...] = ()
    """Refused for any other family than these; empty for all."""


Operation = (
    SetArgument
    | RemoveArgument
    | SetModel
    | SetEnvironment
    | AddVolume
    | RemoveModelVolume
    | AddInitContainer
    | ExpectCache
    | AddContainer
    | SetProbe
    | SetPreStop
    | SetGracePeriod
    | AddObject
    | SetField
    | NewNodeClass
)

"""
What an intent must not say of nodes and amounts: what Kubernetes would take, and never run.

A pod that asks for more than any node has stays Pending, and nothing says why but an event. So
what is asked for is held against what the listed instances have (`set.gpu_instances`). Where
one of them is not in the table, nothing is concluded.
"""

import re
from collections.abc import Iterator
from fractions import Fraction

from firstlight.core.units import BYTES_PER_GIB
from firstlight.manifests.intent import Intent
from firstlight.manifests.intent_wrong import Wrong
from firstlight.manifests.set.gpu_instances import (
    LEFT_TO_PODS,
    Candidates,
    Instance,
    family_of,
    has_no_gpu,
    listed,
    of_one_kind,
    with_enough_gpus,
)
from firstlight.manifests.set.shared_memory import shared_memory
from firstlight.manifests.sizes import LARGEST_IMAGE_BYTES, quantity_bytes, size_bytes
from firstlight.readers.kube.quantities import quantity

_TYPE = re.compile(r"[a-z0-9-]+\.[a-z0-9-]+")
_FAMILY = re.compile(r"[a-z][a-z0-9-]*")
_GPU = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_DURATION = re.compile(r"(?:[0-9]+[smh])+|Never")
_AMI_VERSION = {
    "al2023": re.compile(r"latest|v[0-9]{8}"),
    "bottlerocket": re.compile(r"latest|v?[0-9]+\.[0-9]+\.[0-9]+"),
}
_MOST_REPLICAS = 5_000
"""As many nodes as Kubernetes itself is made for."""
_LEAST = {"memory": 2**30, "shm": 2**26}
"""Bytes: no engine starts in less memory, and /dev/shm has so much when nobody asks for it."""
_MOST_CPUS = 1_024
_DAY_S = 86_400


def nodes(intent: Intent) -> Iterator[Wrong]:
    """What is wrong with what the nodes are."""
    if not (intent.instance_types or intent.instance_families or intent.gpu.type):
        yield Wrong(
            field="instance_types",
            why="nothing says what the nodes are",
            remedy="give instance_types, instance_families or gpu.type",
        )
        return
    malformed = list(_malformed(intent))
    yield from malformed
    if not malformed:
        yield from _never_made(intent)
    version = _AMI_VERSION[intent.node_system]
    if intent.ami_version is not None and not version.fullmatch(intent.ami_version):
        yield Wrong(
            field="ami_version",
            why=f"{intent.ami_version} is no version of {intent.node_system}'s images",
            remedy="write it as v20260520 for al2023, as 1.40.0 for bottlerocket",
        )
    if not intent.capacity_types:
        yield Wrong(field="capacity", why="capacity is empty", remedy="say spot, on-demand or both")
    zone_name = re.compile(rf"{re.escape(intent.region)}(?:[a-z]|-[a-z]+-[0-9]+[a-z])")
    for number, zone in enumerate(intent.zones):
        if not zone_name.fullmatch(zone):
            yield Wrong(
                field="zones",
                within=str(number),
                why=f"{zone} is not in {intent.region}",
                remedy=f"write zones as {intent.region}a",
            )
    if intent.retention is not None and not _DURATION.fullmatch(intent.retention):
        yield Wrong(
            field="retention",
            why=f"{intent.retention} is no time that Karpenter understands",
            remedy="write it as 30s, 10m, 1h or Never",
        )


def _malformed(intent: Intent) -> Iterator[Wrong]:
    for number, one in enumerate(intent.instance_types):
        if not _TYPE.fullmatch(one):
            yield Wrong(
                field="instance_types",
                within=str(number),
                why=f"{one} is no instance type",
                remedy="write it as g6e.2xlarge; whole families go under instance_families",
            )
    for number, one in enumerate(intent.instance_families):
        if not _FAMILY.fullmatch(one):
            is_type = "." in one
            yield Wrong(
                field="instance_families",
                within=str(number),
                why=f"{one} is an instance type, not a family"
                if is_type
                else f"{one!r} is no instance family",
                remedy="put it under instance_types" if is_type else "write it as g6e",
            )
    if intent.gpu.type is not None and not _GPU.fullmatch(intent.gpu.type):
        yield Wrong(
            field="gpu",
            within="type",
            why=f"{intent.gpu.type!r} is no name of a GPU",
            remedy="write it as Karpenter's label instance-gpu-name has it: l40s, h100",
        )
    if intent.gpu.count < 1:
        yield Wrong(field="gpu", why="a pod without a GPU is not served", remedy="count from 1")


def _never_made(intent: Intent) -> Iterator[Wrong]:
    """Nodes that have no GPU, or that no instance can be."""
    for field in ("instance_types", "instance_families"):
        for number, one in enumerate(getattr(intent, field)):
            if has_no_gpu(family_of(one)):
                yield Wrong(
                    field=field,
                    within=str(number),
                    why=f"{one} has no NVIDIA GPU of its own, and the pod asks for nvidia.com/gpu",
                    remedy="list instances with one, such as g6e or p5",
                )
                return
    everything = listed(intent)
    arches = {one.arch for one in everything.known}
    if len(arches) > 1:
        yield Wrong(
            field="instance_types" if intent.instance_types else "instance_families",
            why="they mix processors of amd64 and arm64, and one image and one compile cache are "
            "of one of them",
            remedy="list instances of one architecture",
        )
        return
    kind = of_one_kind(intent)
    if kind.are_none:
        yield Wrong(
            field="gpu" if intent.gpu.type else "instance_families",
            why="no instance is all of it at once: " + _lists(intent),
            remedy="leave out what is not meant; nodes have to meet each list",
        )
    elif with_enough_gpus(intent).are_none:
        exactly = "" if intent.instance_types else "exactly "
        has = sorted({one.gpus for one in kind.known})
        yield Wrong(
            field="gpu",
            why=f"no listed instance has {exactly}{intent.gpu.count} GPUs; they have "
            + ", ".join(str(number) for number in has),
            remedy="count as many as an instance has, or list others",
        )
    else:
        yield from _too_much(intent)


def _lists(intent: Intent) -> str:
    said = [
        " or ".join(intent.instance_types),
        " or ".join(intent.instance_families),
        f"GPU {intent.gpu.type}" if intent.gpu.type else "",
    ]
    return " and ".join(one for one in said if one)


def _too_much(intent: Intent) -> Iterator[Wrong]:
    """What the pod asks for, against what the instances have that are left."""
    found = with_enough_gpus(intent)
    asked_cpus = quantity(intent.cpu or "0") or Fraction(0)
    shm = quantity_bytes(shared_memory(intent)) or 0
    memory = max(quantity_bytes(intent.memory or "0") or 0, shm)
    enough = found.fitting(lambda one: asked_cpus < one.processors)
    if enough.are_none:
        yield Wrong(
            field="cpu",
            why=f"no listed instance has more than {intent.cpu} processors, of which the node "
            f"itself takes a part: {_largest(found)}",
            remedy="ask for less, or list larger instances",
        )
    elif enough.fitting(lambda one: memory <= _left_bytes(one)).are_none:
        field = "memory" if intent.memory else "shm"
        yield Wrong(
            field=field,
            why=f"no listed instance leaves {intent.memory or shared_memory(intent)} to a pod: "
            f"{_largest(enough)}, of which Karpenter counts {LEFT_TO_PODS:.1%}",
            remedy="ask for less, or list larger instances",
        )


def _left_bytes(one: Instance) -> float:
    return one.memory_gib * BYTES_PER_GIB * LEFT_TO_PODS


def _largest(found: Candidates) -> str:
    return max(found.known, key=lambda one: (one.memory_gib, one.processors)).says


def amounts(intent: Intent) -> Iterator[Wrong]:
    """What is wrong with an amount by itself, or beside another."""
    for field in ("image_size", "image_unpacked_size"):
        value = getattr(intent, field)
        if value is not None and not 0 < (size_bytes(value) or 0) <= LARGEST_IMAGE_BYTES:
            yield Wrong(
                field=field,
                why=f"{value} is no size of an image",
                remedy="write it as 8.9GB or 20GiB",
            )
    yield from _asked(intent)
    if not 0 <= intent.replicas <= _MOST_REPLICAS:
        yield Wrong(
            field="replicas",
            why="replicas are negative"
            if intent.replicas < 0
            else f"{intent.replicas} replicas are more than a cluster has room for",
            remedy=f"count from 0 to {_MOST_REPLICAS}",
        )
    if intent.start_p95_s is not None and not 0 <= intent.start_p95_s <= _DAY_S:
        yield Wrong(
            field="start_p95_s",
            why=f"{intent.start_p95_s:g} s is no time a start takes",
            remedy="give seconds",
        )


def _asked(intent: Intent) -> Iterator[Wrong]:
    for field, least in _LEAST.items():
        value = getattr(intent, field)
        if value is None:
            continue
        bytes_ = quantity_bytes(value)
        if bytes_ is None:
            yield Wrong(
                field=field,
                why=f"{value} is no amount that Kubernetes understands",
                remedy="write it as 48Gi",
            )
        elif bytes_ < least:
            yield Wrong(
                field=field,
                why=f"{value} is {bytes_:,} bytes, too little for an engine",
                remedy="write it with its unit: 48Gi",
            )
    if intent.cpu is not None and not 0 < (quantity(intent.cpu) or 0) <= _MOST_CPUS:
        yield Wrong(
            field="cpu",
            why=f"{intent.cpu} is no number of processors",
            remedy="write it as 6, 0.5 or 500m",
        )
    shm, memory = quantity_bytes(shared_memory(intent)), quantity_bytes(intent.memory or "")
    if shm is not None and memory is not None and shm >= memory:
        yield Wrong(
            field="shm" if intent.shm else "memory",
            why=f"a shm of {shared_memory(intent)} counts as memory of the pod, which has "
            f"{intent.memory}",
            remedy="give more memory, or a smaller shm",
        )

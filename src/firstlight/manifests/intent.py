"""
An intent: what somebody wants to serve, in a few lines of YAML.

It names what only they know (the model, the image, the GPUs, the cluster); every object of
every step follows from it. It is no language: a field that is not known is a mistake, and
what the rendered objects need beyond these fields is edited in them, where `render --against`
finds it. What is left out gets a default; those that nobody sees at a glance in the objects
are said by the part that takes them.

How the file is read stands in `intent_text`, what it must not say in `intent_rules`.
"""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

CapacityType = Literal["spot", "on-demand", "reserved"]
NodeSystem = Literal["al2023", "bottlerocket"]
ONLY_IN_OBJECTS = frozenset({"apiVersion", "kind"})


class _Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every part of an intent is a value, and an unknown field is a mistake."""


class Gpu(_Part, frozen=True, kw_only=True):
    """Which accelerators, by Karpenter's name for them."""

    type: str | None = None
    """`karpenter.k8s.aws/instance-gpu-name`, such as `l40s`; None: the instance types say it."""
    count: int = 1
    """How many a pod gets."""


class PodRole(_Part, frozen=True, kw_only=True):
    """How the pod becomes somebody who may read the bucket: one of the two."""

    irsa: str | None = None
    """The ARN of a role that the ServiceAccount may assume; None for Pod Identity."""
    pod_identity: bool = False


class Intent(_Part, frozen=True, kw_only=True):
    """What to serve, where."""

    model: str
    """`s3://BUCKET/PREFIX`."""
    image: str
    """The engine's, with a tag or a digest."""
    cluster: str
    """The EKS cluster, by which Karpenter finds its subnets, security groups and role."""
    region: str
    name: str = "vllm"
    namespace: str = "vllm"
    served_model_name: str | None = None
    """None: the last part of the model's prefix."""
    image_size: str | None = None
    """As the registry has it, compressed: `8.9GB`; None: as the reference case's."""
    image_unpacked_size: str | None = None
    """None: estimated from the compressed size."""
    gpu: Gpu = Gpu()
    instance_types: tuple[str, ...] = ()
    instance_families: tuple[str, ...] = ()
    capacity: CapacityType | tuple[CapacityType, ...] | None = None
    """None: on-demand."""
    node_class: NodeSystem | None = None
    """What runs on the node; None: AL2023."""
    ami_version: str | None = None
    """The version behind the alias, `v20260520`; None: the latest there is."""
    node_role: str | None = None
    """None: `KarpenterNodeRole-CLUSTER`, as Karpenter's guide calls it."""
    nvme: bool | None = None
    """Whether the nodes have disks of their own; None: known from the instance types."""
    zones: tuple[str, ...] = ()
    """Empty: every zone that has a subnet."""
    retention: str | None = None
    """How long an empty node stays; None: five minutes."""
    identity: PodRole | None = None
    """None: EKS Pod Identity."""
    arguments: tuple[str, ...] = ()
    """More of the engine's arguments, one word each."""
    environment: dict[str, str] = {}
    replicas: int = 1
    shm: str | None = None
    """The size of /dev/shm; None: by the number of GPUs."""
    memory: str | None = None
    """What the pod is given; None: nothing is asked for."""
    cpu: str | None = None
    """What the pod asks for; None: nothing."""
    start_p95_s: float | None = None
    """From the container's start until the server answers, in 95 of 100 starts."""
    cache_uri: str | None = None
    """`s3://BUCKET/PREFIX` of the published compile cache; None: nothing is published."""
    trusted_key: str | None = None
    """`ed25519:...` of whoever publishes that cache; None: nobody is believed."""
    firstlight_image: str | None = None
    """An image of firstlight; None: there is none."""
    experiment: bool = False
    """While starts are measured, Karpenter leaves nodes and pods alone."""

    @property
    def bucket(self) -> str:
        return self.model.removeprefix("s3://").partition("/")[0]

    @property
    def prefix(self) -> str:
        """Without slashes around it."""
        return self.model.removeprefix("s3://").partition("/")[2].strip("/")

    @property
    def model_name(self) -> str:
        """What clients call the model, in every step the same."""
        return self.served_model_name or self.prefix.rpartition("/")[2]

    @property
    def cluster_wide_name(self) -> str:
        """For objects that stand in no namespace."""
        return self.name if self.name == self.namespace else f"{self.namespace}-{self.name}"

    @property
    def node_system(self) -> NodeSystem:
        return self.node_class or "al2023"

    @property
    def capacity_types(self) -> tuple[CapacityType, ...]:
        if self.capacity is None:
            return ("on-demand",)
        return (self.capacity,) if isinstance(self.capacity, str) else self.capacity


def is_intent(value: Any) -> bool:
    """Whether this is meant as an intent, not as a Kubernetes object."""
    return isinstance(value, Mapping) and "model" in value and not ONLY_IN_OBJECTS & value.keys()

"""
Groups of nodes that somebody else than Karpenter makes, as objects.

eksctl's file, and the objects by which ACK, Crossplane and Cluster API make node groups or
pools in a cloud. Each says the labels of its nodes, and whether they are Spot. The clouds
label nodes with their group's name, so pods choose one by that, or by a label of its own.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from firstlight.lint.scene import Scene
from firstlight.manifests.node_labels import NodeLabels, node_labels
from firstlight.manifests.objects import Manifest
from firstlight.readers.kube.fields import mapping, mappings, text, within

_EKS = "eks.amazonaws.com/nodegroup"
_EKSCTL = "alpha.eksctl.io/nodegroup-name"
_GKE = "cloud.google.com/gke-nodepool"
_AKS = "kubernetes.azure.com/agentpool"
NAME_LABELS = frozenset({_EKS, _EKSCTL, _GKE, _AKS})
"""Labels that hold the name of a node's group."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeGroup:
    """One of them."""

    nodes: NodeLabels
    """What labels its nodes have."""
    spot: bool


def node_groups(scene: Scene) -> Iterator[NodeGroup]:
    """Every group among the objects whose form is known."""
    for manifest in scene.of_kind("ClusterConfig", group="eksctl.io"):
        for field, names in (("managedNodeGroups", (_EKS, _EKSCTL)), ("nodeGroups", (_EKSCTL,))):
            for one in mappings(manifest.value.get(field)):
                yield _group(one.get("name"), names, one.get("labels"), spot=_of_eksctl(one))
    for manifest in scene.of_kind("Nodegroup", group="eks.services.k8s.aws"):
        yield _of_eks(manifest, within(manifest.value, "spec"))
    for manifest in scene.of_kind("NodeGroup"):
        if manifest.identity.group.startswith("eks.aws."):
            yield _of_eks(manifest, within(manifest.value, "spec", "forProvider"))
    for manifest in scene.of_kind("AWSManagedMachinePool", group="infrastructure.cluster.x-k8s.io"):
        spec = mapping(within(manifest.value, "spec"))
        yield _of_eks(manifest, {**spec, "name": spec.get("eksNodegroupName")})
    for manifest in scene.of_kind("ContainerNodePool", group="container.cnrm.cloud.google.com"):
        config = within(manifest.value, "spec", "nodeConfig")
        name = within(manifest.value, "spec", "resourceID") or manifest.identity.name
        yield _group(name, (_GKE,), within(config, "labels"), spot=within(config, "spot") is True)
    for manifest in scene.of_kind(
        "AzureManagedMachinePool", group="infrastructure.cluster.x-k8s.io"
    ):
        spec = within(manifest.value, "spec")
        name = within(spec, "name") or manifest.identity.name
        spot = within(spec, "scaleSetPriority") == "Spot"
        yield _group(name, (_AKS,), within(spec, "nodeLabels"), spot=spot)


def _of_eks(manifest: Manifest, spec: Any) -> NodeGroup:
    name = within(spec, "name") or manifest.identity.name
    spot = text(within(spec, "capacityType")).upper() == "SPOT"
    return _group(name, (_EKS,), within(spec, "labels"), spot=spot)


def _of_eksctl(group: Any) -> bool:
    """Whether all of it is Spot; groups that are not managed say the share that is not."""
    share = mapping(group.get("instancesDistribution"))
    above = share.get("onDemandPercentageAboveBaseCapacity")
    return group.get("spot") is True or (above == 0 and not share.get("onDemandBaseCapacity"))


def _group(name: Any, names: tuple[str, ...], labels: Any, *, spot: bool) -> NodeGroup:
    named = dict.fromkeys(names, name) if name else {}
    return NodeGroup(nodes=node_labels({**mapping(labels), **named}), spot=spot)

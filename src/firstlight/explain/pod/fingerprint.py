"""
What a cluster's objects tell of the fingerprint of a pod's start.

The pod says what runs and with what, its node what that runs on, the claim what the node was
made from. A label counts only where everybody gives it the same meaning. The node's own name is
no part: every new node has another.
"""

from firstlight.core.fingerprints import ENVIRONMENT, Fingerprint
from firstlight.core.starts import Placement
from firstlight.explain.pod.subject import Subject
from firstlight.manifests.given_words import given_words
from firstlight.readers.kube.model import ClusterSeen, Container, NodeClaim

_LABELS = {
    "accelerator": (
        "nvidia.com/gpu.product",
        "cloud.google.com/gke-accelerator",
        "karpenter.k8s.aws/instance-gpu-name",
    ),
    "driver": ("nvidia.com/cuda.driver-version.full",),
    "region": ("topology.kubernetes.io/region",),
    "machine image": ("eks.amazonaws.com/nodegroup-image",),
    "capacity type": ("karpenter.sh/capacity-type", "eks.amazonaws.com/capacityType"),
}
"""The first that the node has counts."""
_DRIVER = tuple(f"nvidia.com/cuda.driver.{part}" for part in ("major", "minor", "rev"))
_SOFTWARE = {
    "kubelet": "kubeletVersion",
    "container runtime": "containerRuntimeVersion",
    "kernel": "kernelVersion",
    "architecture": "architecture",
    "machine image": "osImage",
}
_PROVISIONERS = {
    "eks.amazonaws.com/compute-type": "EKS Auto Mode",
    "karpenter.sh/nodepool": "Karpenter",
    "karpenter.sh/provisioner-name": "Karpenter",
    "eks.amazonaws.com/nodegroup": "EKS node group",
    "cloud.google.com/gke-nodepool": "GKE node pool",
    "kubernetes.azure.com/agentpool": "AKS node pool",
}


def pod_fingerprint(subject: Subject, placement: Placement) -> Fingerprint:
    """What is known of a pod's start beside its engine's log."""
    of_container = _of_container(subject.container) if subject.container else Fingerprint()
    claim = next((c for c in subject.cluster.node_claims if _is_its(c, placement)), None)
    values = {
        "node type": placement.instance_type,
        "capacity type": placement.capacity_type,
        "zone": placement.zone,
        "machine image": claim.machine_image if claim else "",
    }
    node = subject.node
    labels = node.labels if node else {}
    known = {name: value for name, value in values.items() if value}
    for name, keys in _LABELS.items():
        if told := next((labels[key] for key in keys if labels.get(key)), ""):
            known.setdefault(name, told)
    if "driver" not in known and labels.get(_DRIVER[0]):
        known["driver"] = ".".join(labels[key] for key in _DRIVER if labels.get(key))
    if "capacity type" in known:
        known["capacity type"] = known["capacity type"].lower().replace("_", "-")
    software = node.software if node else {}
    known = {name: software[key] for name, key in _SOFTWARE.items() if software.get(key)} | known
    made_by = [called for key, called in _PROVISIONERS.items() if labels.get(key)]
    if made_by or claim is not None:
        by = made_by[0] if made_by else "Karpenter"
        version = _karpenter_version(subject.cluster) if by == "Karpenter" else ""
        known["node provisioner"] = f"{by} {version}".strip()
    return of_container.completed_by(Fingerprint(values=known))


def _is_its(claim: NodeClaim, placement: Placement) -> bool:
    by_node = bool(claim.node) and claim.node == placement.node
    return by_node or (bool(claim.name) and claim.name == placement.node_claim)


def _of_container(container: Container) -> Fingerprint:
    """What runs, and with what."""
    variables = container.environment
    told = variables or {}
    # Where a value comes from is not the value.
    known = {name: None if v.startswith("(") else v for name, v in told.items()}
    words = Fingerprint()
    if container.command or container.args:
        words = given_words(container.command, container.args, environment=known)
    values = {
        "image": container.image,
        "image digest": _digest(container.image_id) or _digest(container.image),
        "memory limit": container.memory_limit,
        "processors": container.cpu_limit,
        "accelerators": str(container.gpus) if container.gpus else "",
        "volumes": "; ".join(f"{path}: {what}" for path, what in container.mounts.items()),
    }
    values = {name: value for name, value in values.items() if value} | dict(words.values)
    values |= {f"{ENVIRONMENT}{name}": value for name, value in told.items()}
    whole = words.whole if variables is None else words.whole | {ENVIRONMENT}
    return Fingerprint(values=values, whole=whole)


def _digest(image: str) -> str:
    """`sha256:...` at the end of a reference; empty where there is none."""
    _, sign, digest = image.rpartition("sha256:")
    return f"{sign}{digest}" if sign else ""


def _karpenter_version(cluster: ClusterSeen) -> str:
    """What the controller's own pod says it is; empty where it is not among the objects."""
    for labels in (pod.labels for pod in cluster.pods):
        if labels.get("app.kubernetes.io/name") == "karpenter":
            version = labels.get("app.kubernetes.io/version") or labels.get("helm.sh/chart", "")
            return version.removeprefix("karpenter-")
    return ""

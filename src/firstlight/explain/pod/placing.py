"""
Where in the cluster a start happened.
"""

from firstlight.core.starts import Placement
from firstlight.explain.pod.containers import Arrival
from firstlight.explain.pod.provisioning import Provisioning
from firstlight.explain.pod.skew import Skew
from firstlight.explain.pod.subject import Subject
from firstlight.explain.pod.whose import workload_of


def placement_of(subject: Subject, node: Provisioning, image: Arrival, skew: Skew) -> Placement:
    """The pod's place, as far as it, its node and its claim tell.

    Args:
        subject: the pod.
        node: the node's part of the start.
        image: the container that came first with the engine's image.
        skew: of the two clocks.
    """
    pod, container, where = subject.pod, subject.container, subject.node
    claim = node.claim
    labels = where.labels if where else {}
    state = None
    if image.pull is not None:
        state = "already present" if image.pull.present else "pulled"
    return Placement(
        namespace=pod.namespace,
        workload=workload_of(pod),
        pod=pod.name,
        container=container.name if container else "",
        image=container.image if container else image.pull.image if image.pull else "",
        image_state=state,
        restarts=container.restarts if container else 0,
        node=pod.node,
        node_claim=claim.name if claim else "",
        instance_type=claim.instance_type
        if claim and claim.instance_type
        else labels.get("node.kubernetes.io/instance-type", ""),
        capacity_type=claim.capacity_type
        if claim and claim.capacity_type
        else labels.get("karpenter.sh/capacity-type", ""),
        zone=claim.zone if claim and claim.zone else labels.get("topology.kubernetes.io/zone", ""),
        skew_low_ns=skew.low_ns,
        skew_high_ns=skew.high_ns,
    )

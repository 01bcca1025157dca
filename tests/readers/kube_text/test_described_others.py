"""Descriptions of nodes, NodeClaims and workloads."""

from firstlight.core.marks import Clock
from firstlight.readers.kube.model import Node, NodeClaim, Workload
from tests.readers.kube_text import samples
from tests.readers.kube_text.reading import at, read, whole


def only_claim(text: str) -> NodeClaim:
    (claim,) = read(text).node_claims
    return claim


def only_node(text: str) -> Node:
    (node,) = read(text).nodes
    return node


def only_workload(text: str) -> Workload:
    (workload,) = read(text).workloads
    return workload


def test_a_node() -> None:
    """Created, conditions with stamps, labels."""
    node = only_node(samples.NODE)

    assert "ip-10-0-3-7.ec2.internal" == node.name
    assert {
        "containerRuntimeVersion": "containerd://1.7.27",
        "kubeletVersion": "v1.33.1",
    } == node.software
    assert whole("2025-06-10T09:59:10") == at(node.created)
    ready = node.condition("Ready")
    assert ready is not None
    assert ("KubeletReady", "kubelet is posting ready status") == (ready.reason, ready.message)
    assert whole("2025-06-10T09:59:40") == at(ready.transition)
    assert ready.transition is not None
    assert Clock.NODE == ready.transition.clock
    assert "g6.xlarge" == node.labels["node.kubernetes.io/instance-type"]


def test_a_node_claim() -> None:
    """Steps only where the condition is True; where it runs, and on what."""
    claim = only_claim(samples.NODE_CLAIM)

    assert ("gpu-7xk2m", "ip-10-0-3-7.ec2.internal") == (claim.name, claim.node)
    assert whole("2025-06-10T09:58:40") == at(claim.created)
    assert whole("2025-06-10T09:58:43") == at(claim.launched)
    assert whole("2025-06-10T09:59:12") == at(claim.registered)
    assert ("g6.xlarge", "spot", "us-east-1a") == (
        claim.instance_type,
        claim.capacity_type,
        claim.zone,
    )


def test_a_condition_that_is_not_true_completes_nothing() -> None:
    """Its stamp is when it stopped being something else."""
    claim = only_claim(samples.NODE_CLAIM)
    initialized = claim.condition("Initialized")

    assert None is claim.initialized
    assert initialized is not None
    assert ("False", "ResourceNotRegistered") == (initialized.status, initialized.reason)
    assert whole("2025-06-10T10:00:10") == at(initialized.transition)


def test_evidence_of_a_condition_says_which() -> None:
    """The stamp's line alone does not."""
    launched = only_claim(samples.NODE_CLAIM).launched

    assert launched is not None
    text = "Last Transition Time:  2025-06-10T09:58:43Z (Launched=True)"
    assert text == launched.evidence.text
    line = samples.NODE_CLAIM.splitlines()[(launched.evidence.line or 0) - 1]
    assert "Last Transition Time:  2025-06-10T09:58:43Z" == line.strip()


def test_a_piece_of_a_node_claim() -> None:
    """The first line lost its indentation: the fields below stay readable."""
    lines = samples.NODE_CLAIM.splitlines()
    begin = lines.index("  Conditions:")
    end = next(i for i, line in enumerate(lines) if line.startswith("  Provider ID"))
    piece = "\n".join(["Conditions:", *lines[begin + 1 : end + 1]])
    claim = only_claim(piece)

    assert "" == claim.name
    assert whole("2025-06-10T09:58:43") == at(claim.launched)
    assert 3 == len(claim.conditions)


def test_two_pieces_are_two_claims() -> None:
    """Conditions that come again are another object's."""
    lines = samples.NODE_CLAIM.splitlines()
    begin = lines.index("  Conditions:")
    piece = "\n".join(["Conditions:", *lines[begin + 1 : begin + 19]])
    first, second = read(piece + "\n" + piece.replace("09:58:43", "09:58:44")).node_claims

    assert 1_000_000_000 == at(second.launched) - at(first.launched)


def test_a_deployment() -> None:
    """Who it is, and since when; its template is no pod."""
    workload = only_workload(samples.DEPLOYMENT)

    assert ("Deployment", "qwen", "models") == (workload.kind, workload.name, workload.namespace)
    assert whole("2025-06-09T08:00:00") == at(workload.created)
    assert () == read(samples.DEPLOYMENT).pods


def test_a_replica_set() -> None:
    """It is no Deployment, and its event is about the pod it made."""
    seen = read(samples.REPLICA_SET)
    workload = only_workload(samples.REPLICA_SET)

    assert ("ReplicaSet", "qwen-6c9d7f5b8") == (workload.kind, workload.name)
    (created,) = seen.events
    assert ("ReplicaSet", "qwen-6c9d7f5b8") == (created.kind, created.name)


def test_another_kind_lends_its_name_to_its_events() -> None:
    """What is described is no value of ours; its events are."""
    text = (
        "Name:  gpu\nKind:  NodePool\nMetadata:\n  Generation:  1\nEvents:\n"
        "  Type  Reason  Age  From  Message\n  Warning  Refused  5s  karpenter  no capacity\n"
    )
    (found,) = read(text).events

    assert ("NodePool", "gpu") == (found.kind, found.name)

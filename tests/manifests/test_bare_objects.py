"""The objects of every step: what each says for an intent, and what it takes for granted."""

from typing import Any

import msgspec
import pytest

from firstlight.manifests.intent import Intent
from firstlight.manifests.set.whole import assumptions, bare_objects, prerequisites
from firstlight.manifests.steps import steps
from firstlight.wiring.cards import deck
from tests.manifests.intents import example, one, smallest


def spec(intent: Intent, kind: str) -> Any:
    return one(bare_objects(intent), kind)["spec"]


def pod(intent: Intent) -> Any:
    return spec(intent, "Deployment")["template"]["spec"]


def engine(intent: Intent) -> Any:
    (container,) = pod(intent)["containers"]
    return container


def said(intent: Intent, words: str) -> list[str]:
    """The assumptions with these words."""
    return [sentence for sentence in assumptions(intent) if words in sentence]


def test_the_set_stands_in_the_order_of_need() -> None:
    """What others name comes first, so that one `kubectl apply` is enough."""
    kinds = [manifest.identity.kind for manifest in bare_objects(smallest())]

    assert [
        "Namespace",
        "ServiceAccount",
        "EC2NodeClass",
        "NodePool",
        "Service",
        "Deployment",
    ] == kinds


def test_no_two_objects_share_a_value() -> None:
    """An edit of one must not reach another."""
    objects = bare_objects(smallest())
    one(objects, "Deployment")["metadata"]["labels"]["x"] = "y"

    assert ["app.kubernetes.io/name"] == list(
        one(objects, "Deployment")["spec"]["selector"]["matchLabels"]
    )


def test_the_namespace_allows_a_host_path_and_says_so() -> None:
    """The compile cache of step 2 needs one, and steps differ by their technique only."""
    labels = one(bare_objects(smallest()), "Namespace")["metadata"]["labels"]

    assert "privileged" == labels["pod-security.kubernetes.io/enforce"]
    assert said(smallest(), "Pod Security baseline forbids the hostPath")


def test_irsa_is_an_annotation() -> None:
    """The role stands in the ServiceAccount, which the pod uses."""
    intent = smallest("identity: {irsa: 'arn:aws:iam::111122223333:role/reader'}")
    account = one(bare_objects(intent), "ServiceAccount")["metadata"]

    assert {"eks.amazonaws.com/role-arn": "arn:aws:iam::111122223333:role/reader"} == account[
        "annotations"
    ]
    assert account["name"] == pod(intent)["serviceAccountName"]
    assert any("OIDC" in sentence for sentence in prerequisites(intent))


def test_pod_identity_is_a_prerequisite() -> None:
    """No object in the cluster says it, so words must."""
    intent = smallest("identity: {pod_identity: true}")

    assert "annotations" not in one(bare_objects(intent), "ServiceAccount")["metadata"]
    assert any("Pod Identity Agent" in sentence for sentence in prerequisites(intent))
    assert [] == said(intent, "identity was not stated")
    assert said(smallest(), "identity was not stated")


def test_al2023_has_one_volume_for_everything() -> None:
    """60 GiB: 8.9 GB of layers, 2.2 times as much in files, 30 GiB beside them."""
    (volume,) = spec(smallest("image_size: 8.9GB"), "EC2NodeClass")["blockDeviceMappings"]

    assert ("/dev/xvda", "60Gi") == (volume["deviceName"], volume["ebs"]["volumeSize"])


def test_bottlerocket_has_its_images_on_the_second_volume() -> None:
    """The first one holds the system only."""
    found = spec(smallest("node_class: bottlerocket", "image_unpacked_size: 30GB"), "EC2NodeClass")

    sizes = {one["deviceName"]: one["ebs"]["volumeSize"] for one in found["blockDeviceMappings"]}
    assert {"/dev/xvda": "4Gi", "/dev/xvdb": "80Gi"} == sizes
    assert [{"alias": "bottlerocket@latest"}] == found["amiSelectorTerms"]


@pytest.mark.parametrize(
    ("lines", "policy"),
    [
        (("instance_families: [g5]",), "RAID0"),
        (("instance_families: [p3]",), None),
        (("instance_families: [g99]",), None),
        (("instance_families: [g99]", "nvme: true"), "RAID0"),
        (("nvme: false",), None),
    ],
)
def test_disks_of_the_instance_are_used_where_all_nodes_have_them(
    lines: tuple[str, ...], policy: str | None
) -> None:
    """The table knows some families; the intent knows better."""
    found = spec(smallest(*lines), "EC2NodeClass")

    assert policy == found.get("instanceStorePolicy")
    # Where images lie on EBS, its default rate would be felt.
    assert (policy is None) == ("throughput" in found["blockDeviceMappings"][0]["ebs"])
    assert (policy is None) == bool(said(smallest(*lines), "at extra cost"))


def test_the_pool_selects_what_the_intent_names() -> None:
    """Each requirement is a list that the intent gives, and nothing else."""
    intent = example("bottlerocket")
    wanted = spec(intent, "NodePool")["template"]["spec"]["requirements"]

    assert {
        "kubernetes.io/arch": ["amd64"],
        "kubernetes.io/os": ["linux"],
        "karpenter.sh/capacity-type": ["spot", "on-demand"],
        "karpenter.k8s.aws/instance-family": ["g6e"],
        "karpenter.k8s.aws/instance-gpu-name": ["l40s"],
        "karpenter.k8s.aws/instance-gpu-count": ["4"],
    } == {one["key"]: one["values"] for one in wanted}


@pytest.mark.parametrize(
    ("lines", "most"),
    [
        ((), "2"),
        (("replicas: 0",), "1"),
        (("instance_types: [g6e.12xlarge]", "gpu: {count: 4}", "replicas: 2"), "12"),
        (("instance_types: [g6e.12xlarge, g6e.2xlarge]",), "8"),
        (("instance_types: [g6e.2xlarge, g99.xlarge]",), "16"),
    ],
)
def test_the_limit_never_keeps_the_first_node_away(lines: tuple[str, ...], most: str) -> None:
    """Nor makes ten: by the GPUs that the table has; of what it does not have, up to eight."""
    assert {"nvidia.com/gpu": most} == spec(smallest(*lines), "NodePool")["limits"]


def test_the_limit_is_exact_where_the_gpus_of_a_node_are_asked_for() -> None:
    """Four GPUs a node, one replica, and one node more."""
    assert {"nvidia.com/gpu": "8"} == spec(example("bottlerocket"), "NodePool")["limits"]


@pytest.mark.parametrize(
    ("lines", "arch"),
    [
        ((), "amd64"),
        (("instance_types: [g5g.2xlarge]",), "arm64"),
        (("instance_families: [g5g]",), "arm64"),
        (("instance_types: [g99.xlarge]",), "amd64"),
    ],
)
def test_the_pool_has_the_architecture_of_its_instances(lines: tuple[str, ...], arch: str) -> None:
    """A requirement of another would keep every node away; what needs another image is said."""
    wanted = spec(smallest(*lines), "NodePool")["template"]["spec"]["requirements"]

    assert [[arch]] == [one["values"] for one in wanted if one["key"] == "kubernetes.io/arch"]
    assert (arch == "arm64") == bool(said(smallest(*lines), "must be made for it"))


@pytest.mark.parametrize(
    "lines",
    [("instance_types: [g99.xlarge]",), ("instance_families: [p9]",), ("gpu: {type: l50}",)],
)
def test_what_is_not_in_the_table_is_not_judged_and_said(lines: tuple[str, ...]) -> None:
    """However much the pod asks for."""
    intent = smallest("cpu: 900", "memory: 9000Gi", *lines)

    assert said(intent, "is not judged")
    assert not said(smallest("cpu: 6", "memory: 48Gi"), "is not judged")


def test_the_names_hang_together() -> None:
    """Pod, pool and class; Service and pod."""
    intent = smallest("name: chat", "namespace: serving")
    pool, node_class = (one(bare_objects(intent), k) for k in ("NodePool", "EC2NodeClass"))

    assert {"karpenter.sh/nodepool": pool["metadata"]["name"]} == pod(intent)["nodeSelector"]
    reference = pool["spec"]["template"]["spec"]["nodeClassRef"]
    assert node_class["metadata"]["name"] == reference["name"]
    template = spec(intent, "Deployment")["template"]
    assert spec(intent, "Service")["selector"] == template["metadata"]["labels"]
    assert spec(intent, "Deployment")["selector"]["matchLabels"] == template["metadata"]["labels"]


def test_names_in_the_whole_cluster_hold_the_namespace() -> None:
    """Two models in two namespaces must not fight over one pool."""
    names = {
        one(bare_objects(smallest(f"namespace: {namespace}")), "NodePool")["metadata"]["name"]
        for namespace in ("blue", "green", "vllm")
    }

    assert {"blue-vllm", "green-vllm", "vllm"} == names


def test_the_deployment_waits_for_the_one_before() -> None:
    """Recreate and no service links: a Service called vllm would set the engine's VLLM_PORT."""
    deployment = spec(smallest(), "Deployment")

    assert {"type": "Recreate"} == deployment["strategy"]
    assert pod(smallest())["enableServiceLinks"] is False


@pytest.mark.parametrize(
    ("lines", "said_so"),
    [
        (("instance_families: [g5]",), True),
        (("instance_families: [g5]", "nvme: true"), False),
        (("instance_families: [p3]",), False),
    ],
)
def test_disks_that_only_the_table_knows_are_said(lines: tuple[str, ...], *, said_so: bool) -> None:
    """It was written by hand, and RAID0 on a node without disks leaves images on a small one."""
    assert said_so == bool(said(smallest(*lines), "nvme was not stated"))


@pytest.mark.parametrize(
    ("lines", "allowed_s", "told"),
    [
        ((), 900, ["p95 of a start was not stated: probes allow 900 s"]),
        (("start_p95_s: 200",), 400, []),
        (("start_p95_s: 200.3",), 401, []),
        (("start_p95_s: 1",), 30, []),
    ],
)
def test_the_probes_allow_twice_the_p95(
    lines: tuple[str, ...], allowed_s: int, told: list[str]
) -> None:
    """Asked every second, since Ready is no better known than the period."""
    probe = engine(smallest(*lines))["startupProbe"]

    assert (1, allowed_s) == (probe["periodSeconds"], probe["failureThreshold"])
    assert told == said(smallest(*lines), "p95")
    deadline_s = spec(smallest(*lines), "Deployment")["progressDeadlineSeconds"]
    assert deadline_s > allowed_s


def test_a_liveness_probe_does_not_kill_a_busy_engine() -> None:
    """It gives a minute, and begins after the start only."""
    probe = engine(smallest())["livenessProbe"]

    assert 60 <= probe["periodSeconds"] * probe["failureThreshold"]


@pytest.mark.parametrize(
    ("image", "offline"),
    [("v0.19.1", None), ("v0.20.0", "1"), ("v0.26.0", "1"), ("nightly-abc", "1")],
)
def test_engines_that_cannot_are_not_told_to_stay_offline(image: str, offline: str | None) -> None:
    """Before 0.20 an s3:// model was looked for on the hub when offline, and refused."""
    intent = smallest()
    old = Intent(
        model=intent.model,
        image=f"vllm/vllm-openai:{image}",
        cluster=intent.cluster,
        region=intent.region,
        instance_types=intent.instance_types,
    )
    found = {one["name"]: one["value"] for one in engine(old)["env"]}

    assert offline == found.get("HF_HUB_OFFLINE")
    assert (offline is None) == bool(said(old, "HF_HUB_OFFLINE is not set"))


def test_the_users_own_words_reach_the_engine() -> None:
    """Arguments behind the model, variables after ours, which they may replace."""
    found = engine(
        smallest(
            "arguments: [--max-model-len=8192]",
            "environment: {HF_HUB_OFFLINE: '0', VLLM_LOGGING_LEVEL: DEBUG}",
        )
    )

    assert [
        "s3://example-models/tiny",
        "--served-model-name=tiny",
        "--max-model-len=8192",
    ] == found["args"]
    assert {"AWS_REGION": "us-east-1", "HF_HUB_OFFLINE": "0", "VLLM_LOGGING_LEVEL": "DEBUG"} == {
        one["name"]: one["value"] for one in found["env"]
    }


def test_memory_is_bounded_and_processors_are_not() -> None:
    """A limit on processors would throttle a start; GPUs are equal on both sides."""
    found = engine(smallest("memory: 48Gi", 'cpu: "6"'))["resources"]

    assert {"nvidia.com/gpu": "1", "cpu": "6", "memory": "48Gi"} == found["requests"]
    assert {"nvidia.com/gpu": "1", "memory": "48Gi"} == found["limits"]
    assert said(smallest(), "cpu and memory were not stated")


def test_gpus_that_no_argument_uses_are_noticed() -> None:
    """Four GPUs and an engine on one of them is a mistake that nothing else shows."""
    gpus = ("instance_types: [g6e.12xlarge]", "gpu: {count: 4}")

    assert said(smallest(*gpus), "no argument uses them")
    assert [] == said(smallest(*gpus, "arguments: [-tp, '4']"), "no argument uses them")


def test_an_experiment_is_left_alone() -> None:
    """Neither evicted, nor consolidated, nor expired, which no budget holds back."""
    intent = smallest("experiment: true")
    pool = spec(intent, "NodePool")
    template = spec(intent, "Deployment")["template"]

    assert [{"nodes": "0"}] == pool["disruption"]["budgets"]
    assert "Never" == pool["template"]["spec"]["expireAfter"]
    assert {"karpenter.sh/do-not-disrupt": "true"} == template["metadata"]["annotations"]
    assert said(intent, "they cost money")


def test_without_an_experiment_karpenter_may_work() -> None:
    """No budget, no annotation, an expiry."""
    pool = spec(smallest(), "NodePool")

    assert "budgets" not in pool["disruption"]
    assert "720h" == pool["template"]["spec"]["expireAfter"]
    assert "annotations" not in spec(smallest(), "Deployment")["template"]["metadata"]


_STATED = {
    "capacity": "spot",
    "node_class": "al2023",
    "ami_version": "v20260520",
    "node_role": "NodeRole",
    "retention": "10m",
    "zones": "[us-east-1a]",
    "served_model_name": "tiny",
    "shm": "2Gi",
    "memory": "8Gi",
    "cpu": "'2'",
    "start_p95_s": "100",
    "identity": "{pod_identity: true}",
}


@pytest.mark.parametrize("field", _STATED)
def test_every_default_is_told(field: str) -> None:
    """Left out it is a sentence that names the field; stated it is none."""
    others = [f"{name}: {value}" for name, value in _STATED.items() if name != field]
    word = "p95 of a start" if field == "start_p95_s" else field

    assert said(smallest(*others), f"{word} was not stated")
    assert [] == said(smallest(*others, f"{field}: {_STATED[field]}"), f"{word} was not stated")


def test_prerequisites_follow_the_nodes() -> None:
    """The device plugin comes with Bottlerocket and not with AL2023."""
    on_al2023, on_bottlerocket = (
        " ".join(prerequisites(smallest(f"node_class: {name}")))
        for name in ("al2023", "bottlerocket")
    )

    assert "NVIDIA's device plugin" in on_al2023
    assert "nothing for the GPUs" in on_bottlerocket
    assert "aws-mountpoint-s3-csi-driver" in on_al2023


SHOWN_BY_THE_OBJECTS = {"name", "namespace", "gpu", "replicas", "experiment"}
NOTHING_BY_DEFAULT = {"arguments", "environment", "instance_types", "instance_families"}
"""One of the last two is required, and the smallest intent gives it."""
SAID_OF_ANOTHER = {"image_unpacked_size": "image_size", "start_p95_s": "p95 of a start"}


@pytest.mark.parametrize(
    "field",
    sorted(
        {f.name for f in msgspec.structs.fields(Intent) if not f.required}
        - SHOWN_BY_THE_OBJECTS
        - NOTHING_BY_DEFAULT
    ),
)
def test_every_other_default_is_said(field: str) -> None:
    """As docs/intent.md has it; a step that cannot be had says what it lacks."""
    row = steps(smallest(), deck())
    told = [*row[0].notes, *(step.left_out or "" for step in row)]
    words = SAID_OF_ANOTHER.get(field, field)

    assert [one for one in told if words in one and ("not stated" in one or "not say" in one)]

"""What is said to do where a rule is broken, and what a finding says of the objects."""

from typing import Any

import pytest

from firstlight.lint.rules import node_volume_too_small, rollout_needs_spare_gpu
from firstlight.lint.scene import Stated
from tests.lint.judging import judged
from tests.lint.rules.around import IN_POOL, deployment, linted_by, node_class, pool
from tests.lint.rules.around import engine as container
from tests.lint.rules.engines import CLAIM, EMPTY_DIR, engine, hits, says, written

READ_ONLY = {"readOnlyRootFilesystem": True, "runAsUser": 1000}
SCRIPT = "#!/bin/bash\nmkfs.xfs /dev/nvme1n1\n"


def remedy(code: str, *objects: str, stated: Stated | None = None) -> str:
    [one] = judged("\n---\n".join(objects), [code], stated=stated).findings
    return one.remedy


_ONE_BY_ONE = "strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}"


@pytest.mark.parametrize(
    ("replicas", "said"), [(1, "strategy: {type: Recreate}"), (3, _ONE_BY_ONE)]
)
def test_several_replicas_are_rolled_one_by_one(replicas: int, said: str) -> None:
    """Recreate would take all of them away at once."""
    [one] = linted_by(rollout_needs_spare_gpu.RULE, deployment(replicas=replicas)).findings
    assert f"{said}, or keep 1 GPU spare for rollouts" == one.remedy


def test_a_share_that_is_given_is_to_be_changed() -> None:
    """One that is not is to be added."""
    sleeps = "--enable-sleep-mode"
    code = "sleep-mode-memory-share"
    assert remedy(code, engine(sleeps, "--gpu-memory-utilization=0.95")).startswith("change it")
    assert remedy(code, engine(sleeps)).startswith("add --gpu-memory-utilization 0.85")


def test_a_script_that_formats_disks_has_a_setting_in_its_place() -> None:
    """Bottlerocket sets them up itself."""
    [one] = judged(
        _class(userData=SCRIPT, amiSelectorTerms=[{"alias": "bottlerocket@latest"}]),
        ["shell-user-data-on-bottlerocket"],
    ).findings
    assert "instanceStorePolicy: RAID0" in one.remedy


def _class(**spec: Any) -> str:
    whole = written("EC2NodeClass", "gpu", spec)
    return whole.replace('"apiVersion": "v1"', '"apiVersion": "karpenter.k8s.aws/v1"')


@pytest.mark.parametrize(("device", "is_found"), [("/dev/xvda", True), ("/dev/xvdb", False)])
def test_images_of_bottlerocket_lie_on_its_second_volume(device: str, is_found: bool) -> None:
    """Which has 20 GiB where only the first is written."""
    of = node_class(
        alias="bottlerocket@latest",
        blockDeviceMappings=[{"deviceName": device, "ebs": {"volumeSize": "200Gi"}}],
    )
    found = linted_by(node_volume_too_small.RULE, deployment(pod=IN_POOL), pool(), of).findings
    assert is_found == bool(found)
    assert all("20 GiB by default, as /dev/xvdb is not among" in one.what for one in found)


@pytest.mark.parametrize(
    ("volumes", "is_found"),
    [({}, True), ({"/dev/shm": EMPTY_DIR, "/tmp": EMPTY_DIR}, True), ({"/home/a": CLAIM}, False)],
)
def test_a_read_only_root_without_a_mount_is_found_whoever_runs(
    volumes: dict[str, Any], is_found: bool
) -> None:
    """The home folder of another user is not known, and is nowhere that can be written."""
    text = engine(volumes=volumes, container={"securityContext": READ_ONLY})
    assert is_found == hits("compile-cache-read-only", text)


def test_what_else_of_a_pod_is_forbidden_is_named() -> None:
    """One after the other would be found with each try."""
    label = {"pod-security.kubernetes.io/enforce": "baseline"}
    space = written("Namespace", "serving").replace(
        '"name": "serving"', f'"name": "serving", "labels": {label!s}'.replace("'", '"')
    )
    volumes = {"/cache": {"hostPath": {"path": "/data"}}}
    text = engine(namespace="serving", volumes=volumes, pod={"hostIPC": True})
    [what] = says("host-path-refused", space, text)
    assert what.endswith("which forbids it, as it does hostIPC, which the pod has too")


@pytest.mark.parametrize(
    ("mine", "its", "severity"),
    [("ai", "ai", "error"), ("ai", "", "warning"), ("", "ai", "warning"), ("", "", "error")],
)
def test_a_service_of_no_namespace_may_be_in_another(mine: str, its: str, severity: str) -> None:
    """Where it is, is said."""
    text = "\n---\n".join(
        [engine(namespace=mine), written("Service", "vllm", {"selector": {}}, namespace=its)]
    )
    [found] = judged(text, ["service-named-vllm"]).findings
    assert severity == found.severity
    assert "given.yaml line " in found.what
    assert ("applied to namespace ai, too" in found.what) is (severity == "warning")


def test_the_engines_image_is_named_for_an_init_container() -> None:
    """With the container that is to have it."""
    init = {"name": "fetch", "image": "python:3.12", "command": ["true"]}
    said = remedy("init-image-before-engine", engine(pod={"initContainers": [init]}))
    assert said.startswith("set image: vllm/vllm-openai:v0.26.0 for fetch too")
    assert container()["image"] in said

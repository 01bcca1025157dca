"""A container's variables and mounts, and what its node runs on."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.readers.kube.mounts import read_mounts
from firstlight.readers.kube.variables import read_environment
from tests.readers.kube.cluster_objects import pod, pod_of, seen

ANYTHING = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["name", "env", "value", "valueFrom", "volumeMounts", "hostPath"]),
            inner,
        ),
    ),
)


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ([{"name": "A", "value": "1"}, {"name": "A", "value": "2"}], {"A": "2"}),
        ([{"name": "A"}], {"A": ""}),
        (
            [
                {"name": "A", "value": "1"},
                {"name": "A", "valueFrom": {"configMapKeyRef": {"name": "c", "key": "k"}}},
            ],
            {"A": "(configMapKeyRef c k)"},
        ),
        (
            [
                {"name": "A", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}},
                {"name": "A", "value": "1"},
            ],
            {"A": "1"},
        ),
        ([{"name": "MY_API_KEY", "value": "correct-horse"}], {"MY_API_KEY": "***"}),
    ],
)
def test_variables(entries: list[dict[str, Any]], expected: dict[str, str]) -> None:
    """The last entry counts; a value from elsewhere is where it comes from."""
    assert expected == read_environment({"env": entries})


def test_a_whole_map_of_variables_is_named() -> None:
    """Which there are is not in the spec."""
    sources = [{"configMapRef": {"name": "c"}}, {"prefix": "S3_", "secretRef": {"name": "s"}}]

    assert {
        "*": "(configMapRef c)",
        "S3_*": "(secretRef s)",
    } == read_environment({"envFrom": sources})


@pytest.mark.parametrize(
    ("volume", "expected"),
    [
        ({"hostPath": {"path": "/var/m", "type": "Directory"}}, "hostPath /var/m"),
        ({"emptyDir": {}}, "emptyDir"),
        ({"csi": {"driver": "s3.csi.aws.com", "readOnly": True}}, "csi s3.csi.aws.com"),
        ({"nfs": {"server": "10.0.0.1", "path": "/m"}}, "nfs 10.0.0.1 /m"),
        ({"image": {"reference": "r/m:1"}}, "image r/m:1"),
        ({"ephemeral": {"volumeClaimTemplate": {}}}, "ephemeral"),
    ],
)
def test_a_mount_is_what_its_volume_is(volume: dict[str, Any], expected: str) -> None:
    """The kind, and what tells one of that kind from another."""
    obj = {"spec": {"volumes": [{"name": "v", **volume}]}}

    mount = {"name": "v", "mountPath": "/models"}
    assert {"/models": expected} == read_mounts(obj, {"volumeMounts": [mount]})


@pytest.mark.parametrize("kind", ["configMap", "secret", "projected", "downwardAPI"])
def test_settings_and_keys_are_no_place_for_weights(kind: str) -> None:
    """Nor is a mount of which the volume is not there."""
    obj = {"spec": {"volumes": [{"name": "v", kind: {"name": "x"}}]}}
    mounts = [{"name": "v", "mountPath": "/a"}, {"name": "gone", "mountPath": "/b"}]

    assert {} == read_mounts(obj, {"volumeMounts": mounts})


@given(pod_=ANYTHING, container=ANYTHING)
def test_nothing_that_stands_there_is_an_error(pod_: Any, container: Any) -> None:
    """Objects are edited by hand."""
    spec = container if isinstance(container, dict) else {}
    found = read_mounts({"spec": {"volumes": [pod_]}}, spec)

    assert all(isinstance(v, str) for v in (*found.values(), *read_environment(spec).values()))


def test_a_status_alone_does_not_tell_the_variables() -> None:
    """None is not known; a spec without any has none."""
    alone = pod(containers=None)
    alone["status"]["containerStatuses"] = [{"name": "server"}]

    assert pod_of(alone).containers[0].environment is None
    assert {} == pod_of(pod(containers=[{"name": "server"}])).containers[0].environment


def test_what_a_node_runs_on_and_was_made_from() -> None:
    """A later view that lacks it does not take it away."""
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}}
    claim = {"apiVersion": "karpenter.sh/v1", "kind": "NodeClaim", "metadata": {"name": "c"}}
    told = seen(
        {**node, "status": {"nodeInfo": {"kubeletVersion": "v1.33.1"}}},
        {**claim, "status": {"imageID": "ami-0abc"}},
    )

    assert {"kubeletVersion": "v1.33.1"} == told.nodes[0].software
    assert "ami-0abc" == told.node_claims[0].machine_image

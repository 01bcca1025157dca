"""What measuring relies on, and the rights it is documented to need, on the real API server."""

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from onenode import ControlPlane

from firstlight.edges.kube.api import KubeApi
from tests.measure.pod import contract

from .played import Played
from .serving import SCRIPT

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(300)]

RBAC = Path(__file__).resolve().parents[2] / "docs" / "rbac"
NAMESPACED = ("firstlight-capture", "firstlight-follow", "firstlight-measure")


@pytest.fixture
def played(control_plane: ControlPlane) -> Iterator[Played]:
    """A Ready pod vllm-1 on node a, of a deployment."""
    with (
        KubeApi.open(kubeconfig=str(control_plane.kubeconfig)) as api,
        control_plane.namespace("contract") as namespace,
        Played(api, namespace) as played,
    ):
        yield played


@pytest.mark.parametrize("behaviour", contract.NODE_CONTRACT)
def test_the_real_one_keeps_the_contract(
    played: Played, behaviour: Callable[[KubeApi, str], None]
) -> None:
    """As the fake does, in the tests of the measurement."""
    behaviour(played.api, "b")


def test_the_real_one_deletes_by_uid(played: Played) -> None:
    """As the fake does."""
    contract.another_pod_of_the_name_is_not_deleted(played.api, played.namespace, "vllm-1")
    contract.what_is_not_there_is_absent(played.api)


def test_the_real_one_lists_what_was_asked_for(played: Played) -> None:
    """As the fake does."""
    contract.a_list_is_of_what_was_asked_for(
        played.api, played.namespace, "vllm-1", labels="app=vllm"
    )


def documented() -> dict[str, list[dict[str, Any]]]:
    """The rules of each documented role."""
    roles: dict[str, list[dict[str, Any]]] = {}
    for path in RBAC.glob("*.yaml"):
        for one in yaml.safe_load_all(path.read_text()):
            if one and one["kind"] == "ClusterRole":
                roles[one["metadata"]["name"]] = one["rules"]
    return roles


@pytest.mark.parametrize("cold", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_the_documented_rights_are_enough(
    control_plane: ControlPlane, played: Played, tmp_path: Path, *, cold: bool
) -> None:
    """Warm does without any right on nodes; cold needs those of its own role."""
    roles = documented()
    played.lands_on = "new" if cold else "a"
    before = played.nodes()
    kubeconfig = control_plane.account_kubeconfig(
        "measures",
        played.namespace,
        rules=[rule for name in NAMESPACED for rule in roles[name]],
        cluster_rules=roles["firstlight-measure-cold"] if cold else (),
    )
    done = subprocess.run(
        [
            *(str(SCRIPT), "measure", "deployment/vllm", "--yes", "--output", "json"),
            *("--scenario", "cold" if cold else "warm", "--timeout", "60"),
            *("--kubeconfig", str(kubeconfig), "--into", str(tmp_path)),
        ],
        capture_output=True,
        check=False,
        timeout=90,
    )

    assert 0 == done.returncode, done.stderr
    (measured,) = json.loads(done.stdout)["measured"]
    assert ("cold" if cold else "warm") == measured["scenario"]
    # There is no kubelet here, so nobody listens; that one may ask is what counts.
    assert "may not" not in measured["first_token_problem"]
    assert before == played.nodes()


def test_the_examples_are_taken_by_an_api_server(control_plane: ControlPlane) -> None:
    """The patch adds to the engine what the probe needs, and takes nothing from it."""
    examples = RBAC.parents[1] / "examples" / "kubernetes"
    kubectl = control_plane.kubectl
    served = examples / "serving" / "deployment.yaml"
    patch = yaml.safe_load((examples / "with-probe" / "probe.yaml").read_text())
    # What `apply -k` does, also where kubectl is older than the form of the kustomization.
    patched = kubectl("patch", "--local", "-f", served, "-p", json.dumps(patch), "-o", "json")
    with control_plane.namespace("examples") as namespace:
        made = [
            json.loads(
                kubectl(
                    *("-n", namespace, "apply", "--dry-run=server", "-o", "json", "-f", "-"),
                    input=text,
                )
            )["spec"]["template"]["spec"]
            for text in (served.read_text(), patched)
        ]

    (plain,), (probed,) = (one["containers"] for one in made)
    added = {one["name"]: one["value"] for one in probed["env"] if one not in plain["env"]}
    assert {"PYTHONPATH", "FIRSTLIGHT_PROBE_DIR"} == set(added)
    mounted = {one["mountPath"] for one in probed["volumeMounts"]}
    assert set(added.values()) == mounted - {one["mountPath"] for one in plain["volumeMounts"]}
    for key in ("args", "image", "ports", "readinessProbe", "resources", "startupProbe"):
        assert plain[key] == probed[key]

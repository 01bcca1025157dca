"""
Who may do what: rights as documented, and what is said where there are none.

`docs/rbac` holds the least that each command needs. A user bound to exactly that does
all of it, and each line of it is needed.
"""

import json
import os
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from onenode import Assets, ControlPlane

from firstlight.edges.kube.answers import Refused
from firstlight.edges.kube.api import KubeApi
from tests.cli.console import SCRIPT, firstlight, said
from tests.cluster.fake_kubelet import fake_kubelet
from tests.cluster.karpenter import installed
from tests.cluster.played_start import LOG, NODE, PlayedStart

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(300)]

RBAC = Path(__file__).resolve().parents[2] / "docs" / "rbac"
GROUP = "rbac.authorization.k8s.io"
Rules = list[dict[str, Any]]


def rules(file: str, role: str) -> Rules:
    """The rules of one role in a file of docs/rbac."""
    documents = yaml.safe_load_all((RBAC / file).read_text())
    return next(d["rules"] for d in documents if d["metadata"]["name"] == role)


@pytest.fixture(scope="module")
def plane(assets: Assets, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """Karpenter's NodeClaims are there."""
    folder = tmp_path_factory.mktemp("access")
    with ControlPlane.up(folder, assets=assets) as plane, installed(plane.kubectl):
        yield plane


@pytest.fixture(scope="module")
def start(
    plane: ControlPlane, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[PlayedStart, str]]:
    """One start for all tests: nothing here changes it."""
    with (
        fake_kubelet(tmp_path_factory.mktemp("kubelet")) as kubelet,
        plane.namespace() as namespace,
    ):
        kubelet.says = lambda _: iter([LOG])
        yield PlayedStart(plane, namespace, kubelet), namespace


def account(
    plane: ControlPlane,
    namespace: str,
    name: str,
    *,
    inside: Rules,
    everywhere: Rules,
    nodes: Rules,
) -> Path:
    """A user with these rules in the namespace, cluster-wide, and in `default`."""
    kubeconfig = plane.account_kubeconfig(name, namespace, rules=inside, cluster_rules=everywhere)
    subject = {"kind": "ServiceAccount", "name": name, "namespace": namespace}
    _bind(plane, "default", f"{namespace}-{name}", subject, nodes)
    return kubeconfig


def _bind(
    plane: ControlPlane, namespace: str, name: str, subject: dict[str, str], given: Rules
) -> None:
    metadata = {"name": name, "namespace": namespace}
    reference = {"apiGroup": GROUP, "kind": "Role", "name": name}
    plane.kubectl.apply(
        {"apiVersion": f"{GROUP}/v1", "kind": "Role", "metadata": metadata, "rules": given},
        {
            "apiVersion": f"{GROUP}/v1",
            "kind": "RoleBinding",
            "metadata": metadata,
            "subjects": [subject],
            "roleRef": reference,
        },
    )


def outcome(kubeconfig: Path, target: str, into: Path) -> tuple[int, set[tuple[str, str, str]]]:
    """The exit code, and what was not allowed."""
    done = firstlight(
        *("capture", target, "--kubeconfig", kubeconfig, "--into", into, "--output", "json")
    )
    said(done)
    refused = json.loads(done.stdout)["not_allowed"] if done.returncode == 0 else []
    return done.returncode, {(r["verb"], r["resource"], r["namespace"]) for r in refused}


def singles(given: Rules) -> list[tuple[str, str, str]]:
    """Each group, resource and verb that rules allow."""
    return [
        (group, resource, verb)
        for rule in given
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
    ]


def as_rules(given: list[tuple[str, str, str]]) -> Rules:
    return [{"apiGroups": [g], "resources": [r], "verbs": [v]} for g, r, v in given]


@pytest.mark.slow
def test_the_documented_rights_are_enough_and_none_is_too_many(
    plane: ControlPlane, start: tuple[PlayedStart, str], tmp_path: Path
) -> None:
    """With all of them nothing is refused; without any single one, something is."""
    played, namespace = start
    roles = ("firstlight-capture", "firstlight-capture-nodes", "firstlight-capture-node-events")
    whole = [singles(rules("capture.yaml", role)) for role in roles]
    targets = ("deployment/vllm", f"pod/{played.pod}", "statefulset/none")

    def outcomes(number: int, given: list[list[tuple[str, str, str]]]) -> list[Any]:
        inside, everywhere, nodes = (as_rules(one) for one in given)
        user = account(
            plane, namespace, f"c{number}", inside=inside, everywhere=everywhere, nodes=nodes
        )
        return [outcome(user, t, tmp_path / f"{number}-{n}") for n, t in enumerate(targets)]

    full = outcomes(0, whole)
    assert [(0, set()), (0, set()), (2, set())] == full
    number = 0
    for place, role in enumerate(whole):
        for right in role:
            number += 1
            less = [[r for r in one if (n, r) != (place, right)] for n, one in enumerate(whole)]
            assert full != outcomes(number, less), (roles[place], right)


def test_view_is_enough_for_a_bundle(
    plane: ControlPlane, start: tuple[PlayedStart, str], tmp_path: Path
) -> None:
    """The built-in role, in the namespace alone: what it may not read is said, with the rule.

    A controller that does not run here fills `view` with the rules of those that say they
    are part of it; bound one by one they are the same.
    """
    _, namespace = start
    user = plane.account_kubeconfig("viewer", namespace, rules=[])
    parts = plane.kubectl.get("clusterroles", "-l", f"{GROUP}/aggregate-to-view=true")["items"]
    assert ["system:aggregate-to-view"] == [part["metadata"]["name"] for part in parts]
    plane.kubectl(
        *("create", "rolebinding", "viewer", "-n", namespace),
        *("--clusterrole=system:aggregate-to-view", f"--serviceaccount={namespace}:viewer"),
    )

    done = firstlight("capture", "deploy/vllm", "--kubeconfig", user, "--into", tmp_path / "b")
    text = done.stdout.decode()
    document = json.loads((tmp_path / "b" / "bundle.json").read_text())

    assert 0 == done.returncode, said(done)
    assert {
        ("list", "events.events.k8s.io", namespace),
        ("get", "nodes", ""),
        ("list", "nodeclaims.karpenter.sh", ""),
        ("list", "events", "default"),
    } == {(r["verb"], r["resource"], r["namespace"]) for r in document["not_allowed"]}
    assert 3 == len(document["logs"])
    assert "not allowed: get nodes" in text
    assert '{apiGroups: [""], resources: ["nodes"], verbs: ["get"]}' in text
    assert "node_provisioning cannot be split" in text
    files = {path.name for path in (tmp_path / "b").iterdir()}
    assert {"pods.json", "events.json", "replicasets.json", "deployment.json"} <= files
    assert not {"nodes.json", "nodeclaims.json", "events.v1.json"} & files


def test_what_following_and_measuring_need_is_documented(
    plane: ControlPlane, start: tuple[PlayedStart, str]
) -> None:
    """Exactly that may be done: watch and ask; then delete the pod and close a node, no more."""
    played, namespace = start
    follow = [
        *rules("capture.yaml", "firstlight-capture"),
        *rules("follow.yaml", "firstlight-follow"),
    ]
    measure = [*follow, *rules("measure.yaml", "firstlight-measure")]
    cold = rules("measure.yaml", "firstlight-measure-cold")
    followers = account(plane, namespace, "f", inside=follow, everywhere=[], nodes=[])
    measurers = account(plane, namespace, "m", inside=measure, everywhere=cold, nodes=[])
    closed: dict[str, object] = {"spec": {"unschedulable": True}}

    with KubeApi.open(kubeconfig=str(followers)) as api:
        pod = api.path("pods", namespace=namespace, name=played.pod)
        node = api.path("nodes", name=NODE)
        assert not isinstance(api.watch(api.path("pods", namespace=namespace)), Refused)
        for method in ("GET", "POST"):
            with api.through_pod(
                namespace, played.pod, 8000, "/v1/models", method=method, body=b"{}"
            ) as reply:
                assert isinstance(reply, Refused)
                assert not reply.forbidden
        assert forbidden(api.delete(pod))
        assert forbidden(api.patch(node, closed))
    with KubeApi.open(kubeconfig=str(measurers)) as api:
        assert isinstance(api.items(api.path("nodes")), dict)
        assert isinstance(api.patch(node, closed), dict)
        assert isinstance(api.patch(node, {"spec": {"unschedulable": None}}), dict)
        # A wrong uid: allowed, and refused for another reason, so the pod stays.
        answer = api.delete(pod, uid="00000000-0000-0000-0000-000000000000")
        assert isinstance(answer, Refused)
        assert 409 == answer.status
        assert forbidden(api.delete(node))


def forbidden(answer: object) -> bool:
    return isinstance(answer, Refused) and answer.forbidden


@pytest.fixture
def admin(plane: ControlPlane) -> dict[str, Any]:
    """The administrator's kubeconfig as a document, its files named by whole paths."""
    document: dict[str, Any] = yaml.safe_load(plane.kubeconfig.read_text())
    return document


def written(document: dict[str, Any], path: Path) -> Path:
    path.write_text(json.dumps(document))
    return path


def capture(*arguments: str | Path, env: dict[str, str] | None = None) -> tuple[int, str]:
    """The exit code, and what was said on standard error without its progress."""
    done = firstlight("capture", *arguments, env=env)
    lines = said(done).splitlines()
    return done.returncode, "\n".join(line for line in lines if not line.startswith("["))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["deployment/vlm"], ["there is no deployment/vlm", "did you mean deployment/vllm?"]),
        (["pod/vllm"], ["there is no pod/vllm", "vllm-7b9d6c4f8-abcde"]),
        (["deployment/none"], ["there is no deployment/none", "there are vllm"]),
        (["deployment/vllm", "-n", "default"], ["it is in namespace test-"]),
        (["deployment/vllm", "-n", "tset"], ["there is no namespace tset"]),
        (["deployment/vllm", "--context", "prod"], ["there is no context prod"]),
        (["deployment/vllm", "--kubeconfig", "/none"], ["/none cannot be read"]),
        (["vllm"], ["say deployment/vllm or pod/vllm"]),
        (["job/x"], ["job is nothing that can be captured"]),
        (["deployment/"], ["names no deployment"]),
        (["deployment/vllm", "--into", "/none/b"], ["there is no folder /none"]),
        (["deployment/vllm", "--max-log-mb", "0"], ["max-log-mb"]),
    ],
)
def test_bad_input_is_one_clear_sentence(
    plane: ControlPlane,
    start: tuple[PlayedStart, str],
    tmp_path: Path,
    arguments: list[str],
    words: list[str],
) -> None:
    """What is wrong, and what would be right; near names are offered."""
    _, namespace = start
    usual = {"-n": namespace, "--kubeconfig": str(plane.kubeconfig), "--into": str(tmp_path / "b")}
    more = [
        part for name, value in usual.items() if name not in arguments for part in (name, value)
    ]

    code, text = capture(*arguments, *more)

    assert 2 == code, text
    assert [] == [word for word in words if word not in text]
    assert not (tmp_path / "b").exists()


def test_no_rights_at_all(
    plane: ControlPlane, start: tuple[PlayedStart, str], tmp_path: Path
) -> None:
    """The server's words, and the rule to ask for."""
    _, namespace = start
    user = plane.account_kubeconfig("nobody", namespace, rules=[])

    code, text = capture("deployment/vllm", "--kubeconfig", user, "--into", tmp_path / "b")

    assert 3 == code
    assert "may not be read" in text
    assert 'ask for {apiGroups: ["apps"], resources: ["deployments"], verbs: ["get"]}' in text


def test_a_cluster_that_is_not_there(admin: dict[str, Any], tmp_path: Path) -> None:
    """Nobody listens, the name is unknown, the certificate is another's, the token is old."""
    cluster, user = admin["clusters"][0]["cluster"], admin["users"][0]["user"]
    server, file = cluster["server"], tmp_path / "k"

    def told(**changed: Any) -> str:
        cluster.update(changed)
        code, text = capture("deployment/vllm", "--kubeconfig", written(admin, file))
        assert 3 == code, text
        assert 2 == len(text.splitlines()), text
        return text

    assert "cannot be reached: [Errno 111] Connection refused" in told(server="https://127.0.0.1:1")
    assert "cannot be reached" in told(server="https://none.invalid")
    assert "does not answer like a Kubernetes API server" in told(
        server=server.replace("https", "http")
    )
    authority = {k: cluster.pop(k) for k in list(cluster) if k.startswith("certificate")}
    assert "a certificate that is not to be trusted" in told(server=server)
    cluster.update(authority)
    user.clear()
    user["token"] = "expired"
    assert "does not accept the credentials" in told(server=server)
    user.clear()
    user["exec"] = {"apiVersion": "client.authentication.k8s.io/v1", "command": "/none/plugin"}
    assert "credentials of context" in told(server=server)
    user["exec"]["command"] = "false"
    assert "cannot be had: Exec false returned 1" in told(server=server)


def test_credentials_of_a_plugin(
    plane: ControlPlane, admin: dict[str, Any], start: tuple[PlayedStart, str], tmp_path: Path
) -> None:
    """Of the present interface, which tells the plugin what to answer in."""
    _, namespace = start
    user = plane.account_kubeconfig(
        "plugged", namespace, rules=rules("capture.yaml", "firstlight-capture")
    )
    token = yaml.safe_load(user.read_text())["users"][0]["user"]["token"]
    plugin = tmp_path / "plugin"
    plugin.write_text(
        "#!/bin/sh\n"
        'case "$KUBERNETES_EXEC_INFO" in *authentication.k8s.io/v1\\"*) ;; *) exit 9;; esac\n'
        f"""echo '{{"kind": "ExecCredential", "status": {{"token": "{token}"}}}}'\n"""
    )
    plugin.chmod(plugin.stat().st_mode | stat.S_IXUSR)
    admin["users"][0]["user"] = {
        "exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": str(plugin)}
    }
    kubeconfig = written(admin, tmp_path / "k")

    code, text = capture(
        *("deployment/vllm", "-n", namespace, "--kubeconfig", kubeconfig, "--into", tmp_path / "b")
    )

    assert 0 == code, text


def test_a_kubeconfig_in_pieces(
    plane: ControlPlane, admin: dict[str, Any], start: tuple[PlayedStart, str], tmp_path: Path
) -> None:
    """Several files, one of them missing; the first to say something wins; paths are its own."""
    _, namespace = start
    authority = plane.kubectl.address()["authority"]
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        folder.mkdir()
    (one / "ca.crt").write_bytes(authority)
    admin["clusters"][0]["cluster"] = {
        "server": admin["clusters"][0]["cluster"]["server"],
        "certificate-authority": "ca.crt",
    }
    pieces = {
        one / "k": {"clusters": admin["clusters"], "contexts": [], "users": []},
        two / "k": {
            **admin,
            "clusters": [{"name": admin["clusters"][0]["name"], "cluster": {"server": "no"}}],
        },
    }
    for path, document in pieces.items():
        written(document, path)
    listed = os.pathsep.join([str(one / "k"), str(tmp_path / "missing"), str(two / "k")])

    code, text = capture(
        *("deployment/vllm", "-n", namespace, "--into", tmp_path / "b"), env={"KUBECONFIG": listed}
    )

    assert 0 == code, text


def test_it_is_a_plugin_of_kubectl(
    plane: ControlPlane, start: tuple[PlayedStart, str], tmp_path: Path
) -> None:
    """`kubectl firstlight capture` is the same command."""
    _, namespace = start
    done = subprocess.run(
        [
            *(plane.kubectl.binary, "firstlight", "capture", "deployment/vllm", "-n", namespace),
            *("--into", tmp_path / "b"),
        ],
        env={
            **os.environ,
            "PATH": f"{SCRIPT.parent}{os.pathsep}{os.environ['PATH']}",
            "KUBECONFIG": str(plane.kubeconfig),
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert 0 == done.returncode, done.stderr
    assert (tmp_path / "b" / "bundle.json").exists()

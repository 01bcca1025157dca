"""Which cluster is meant, and as whom."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from firstlight.core.errors import BadInput, OutsideFailed
from firstlight.edges.kube.config import find_access

Config = dict[str, Any]


def config(current: str = "a", user: Config | None = None) -> Config:
    return {
        "current-context": current,
        "clusters": [{"name": "c", "cluster": {"server": "https://c.example:6443"}}],
        "users": [{"name": "u", "user": user or {"token": "t"}}],
        "contexts": [
            {"name": "a", "context": {"cluster": "c", "user": "u", "namespace": "serving"}},
            {"name": "b", "context": {"cluster": "c", "user": "u"}},
            {"name": "torn", "context": {"cluster": "gone", "user": "u"}},
        ],
    }


def written(path: Path, document: Any) -> str:
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    return str(path)


@pytest.fixture(autouse=True)
def _nothing_of_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("KUBECONFIG", raising=False)
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)


@pytest.mark.parametrize(
    ("context", "namespace", "expected"),
    [
        (None, None, ("a", "serving")),
        ("b", None, ("b", "default")),
        (None, "other", ("a", "other")),
    ],
)
def test_context_and_namespace_as_kubectl_takes_them(
    tmp_path: Path, context: str | None, namespace: str | None, expected: tuple[str, str]
) -> None:
    """The option, the context's own, `default`."""
    file = written(tmp_path / "k", config())

    access = find_access(kubeconfig=file, context=context, namespace=namespace)

    assert (*expected, "https://c.example:6443") == (
        access.context,
        access.namespace,
        access.server,
    )


def test_the_default_file_is_in_the_home(tmp_path: Path) -> None:
    """Where nothing else is said."""
    (tmp_path / "home" / ".kube").mkdir(parents=True)
    written(tmp_path / "home" / ".kube" / "config", config())

    assert "a" == find_access(kubeconfig=None, context=None, namespace=None).context


def test_several_files_are_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the first says, stays; paths count from their own file; missing ones do not matter."""
    (tmp_path / "x").mkdir()
    first = {
        "clusters": [
            {
                "name": "c",
                "cluster": {"server": "https://first", "certificate-authority": "ca.crt"},
            }
        ]
    }
    files = [
        written(tmp_path / "x" / "k", first),
        str(tmp_path / "none"),
        written(tmp_path / "k", config(current="b")),
    ]
    monkeypatch.setenv("KUBECONFIG", os.pathsep.join(files))

    access = find_access(kubeconfig=None, context=None, namespace=None)

    assert ("b", "https://first") == (access.context, access.server)
    assert str(tmp_path / "x" / "ca.crt") == access.config.cluster.certificate_auth


def test_what_the_library_does_not_know_is_added(tmp_path: Path) -> None:
    """Impersonation, a proxy, a server name, the present exec interface."""
    plugged = {"apiVersion": "client.authentication.k8s.io/v1", "command": "x", "env": None}
    document = config(user={"as": "jane", "as-groups": ["g"], "exec": plugged})
    more = {"proxy-url": "http://p:1", "tls-server-name": "n"}
    document["clusters"][0]["cluster"] |= more

    access = find_access(kubeconfig=written(tmp_path / "k", document), context=None, namespace=None)

    assert (("Impersonate-User", "jane"), ("Impersonate-Group", "g")) == access.headers
    assert ("http://p:1", "n") == (access.proxy, access.server_name)
    assert access.config.user is not None
    plugin = access.config.user.exec
    assert plugin is not None
    assert plugin.env is not None
    assert "client.authentication.k8s.io/v1" == json.loads(plugin.env[0].value)["apiVersion"]


@pytest.mark.parametrize(
    ("document", "context", "words"),
    [
        (config(), "aa", "there is no context aa"),
        (config(), "torn", "the context torn names cluster gone"),
        (config(current=""), None, "has no current context"),
        ({"contexts": []}, None, "has no context"),
        ("[", None, "is no YAML"),
        ("text", None, "names no cluster"),
        (config(user={"exec": {"command": 1}}), None, "cannot be used"),
    ],
)
def test_a_kubeconfig_that_does_not_do(
    tmp_path: Path, document: Any, context: str | None, words: str
) -> None:
    """One sentence; contexts that are there are offered."""
    with pytest.raises(BadInput, match=words) as raised:
        find_access(kubeconfig=written(tmp_path / "k", document), context=context, namespace=None)

    assert ("give one that is there: a" in raised.value.remedy) == (context == "aa")


def test_without_any_kubeconfig_nothing_is_guessed() -> None:
    """Not localhost:8080, as kubectl would."""
    with pytest.raises(OutsideFailed, match="nothing says where a cluster is"):
        find_access(kubeconfig=None, context=None, namespace=None)


def test_without_the_extra_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Saved artefacts are explained without it."""
    monkeypatch.setitem(sys.modules, "lightkube", None)

    with pytest.raises(BadInput) as raised:
        find_access(kubeconfig=None, context=None, namespace=None)

    assert "pip install 'firstlight[kubernetes]'" == raised.value.remedy

"""Pieces of a cluster that need none."""

import ipaddress
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from onenode import Assets, ClusterFailed, Entry, ExistingCluster, OneNode, engine_pod
from onenode.kubeconfigs import certified, write_kubeconfig
from onenode.network import WIRES, free_wire
from onenode.pki import Pki

# openssl is a process of its own, and a busy machine starts those slowly.
pytestmark = pytest.mark.timeout(20)


def test_a_wire_is_near_no_interface() -> None:
    """Two nodes, or a node and somebody else's network, do not share addresses."""
    first = free_wire("000000", [])
    taken = [ipaddress.IPv4Network(f"{first[0]}/30", strict=False)]

    second = free_wire("000000", taken)

    assert ("10.212.0.1", "10.212.0.2") == first
    assert ("10.212.0.5", "10.212.0.6") == second
    assert free_wire("000000", []) != free_wire("000001", [])


def test_a_machine_whose_addresses_are_all_taken_is_refused() -> None:
    """Rather than given an address that is somebody's."""
    halves = list(WIRES.subnets())

    with pytest.raises(ClusterFailed):
        free_wire("ffffff", halves)


def test_a_server_is_trusted_by_its_authority(tmp_path: Path) -> None:
    """For its addresses; and a client's certificate says who it is."""
    pki = Pki(folder=tmp_path / "pki")
    pki.make("firstlight")
    server = pki.server("api", addresses=["10.0.0.1"], names=["kubernetes"])
    client = pki.client("kubelet", user="system:node:n", group="system:nodes")

    def openssl(*arguments: str | Path) -> str:
        done = subprocess.run(
            [shutil.which("openssl") or "", *arguments], capture_output=True, text=True, check=True
        )
        return done.stdout

    trusted = openssl("verify", "-CAfile", pki.authority, "-verify_ip", "10.0.0.1", server)
    assert trusted.rstrip().endswith("OK")
    subject = openssl("x509", "-noout", "-subject", "-in", client)
    assert "O = system:nodes, CN = system:node:n" in subject


def test_a_kubeconfig_is_its_owners(tmp_path: Path) -> None:
    """It holds keys; everything it needs is in it."""
    certificate = tmp_path / "me.crt"
    certificate.write_bytes(b"certificate")
    certificate.with_suffix(".key").write_bytes(b"key")

    path = write_kubeconfig(
        tmp_path / "users/me.kubeconfig",
        server="https://10.0.0.1:6443",
        authority=b"authority",
        user=certified(certificate),
        namespace="mine",
    )

    assert 0o600 == path.stat().st_mode & 0o777
    said = json.loads(path.read_text())
    assert "https://10.0.0.1:6443" == said["clusters"][0]["cluster"]["server"]
    assert "a2V5" == said["users"][0]["user"]["client-key-data"]
    assert "mine" == said["contexts"][0]["context"]["namespace"]


def test_assets_say_what_they_lack(tmp_path: Path) -> None:
    """With what to do about it; a control plane is less than a node."""
    for name in ("etcd", "kube-apiserver", "kubectl"):
        (tmp_path / name).touch(mode=0o755)
    assets = Assets(bin=tmp_path)

    assets.require("etcd", "kube-apiserver", "kubectl")
    assert not assets.runs_a_node
    with pytest.raises(ClusterFailed) as refused:
        assets.require("kubelet", "runc")

    assert "no kubelet, runc" in refused.value.message
    assert "make cluster" in refused.value.remedy


def test_the_environment_names_a_cluster(tmp_path: Path) -> None:
    """Only when it says so, and the file must be there."""
    kubeconfig = str(tmp_path / "config")

    assert ExistingCluster.given(tmp_path, {"KUBECONFIG": kubeconfig}) is None
    with pytest.raises(ClusterFailed) as refused:
        ExistingCluster.given(tmp_path, {"KUBECONFIG": kubeconfig, "USE_EXISTING_CLUSTER": "true"})

    assert kubeconfig in refused.value.message
    assert Assets.given({}) is None
    assert Assets(bin=tmp_path) == Assets.given({"KUBEBUILDER_ASSETS": str(tmp_path)})


@pytest.mark.parametrize("hidden", ["/var/tmp/node", "/run/node"])
def test_a_node_does_not_lie_where_it_hides_the_machine(
    hidden: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own files would be out of its sight."""
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(Assets, "require", lambda *_: None)
    monkeypatch.setattr("onenode.node.require_tools", lambda _: None)

    with pytest.raises(ClusterFailed) as refused:
        OneNode.up(Path(hidden), assets=Assets(bin=tmp_path))

    assert hidden in refused.value.message
    assert Entry.of(Path(hidden)) is None


def test_a_user_without_rights_is_told_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Before anything is made; a control plane is what this user can have."""
    monkeypatch.setattr(os, "geteuid", lambda: 1000)

    with pytest.raises(ClusterFailed) as refused:
        OneNode.up(tmp_path / "node", assets=Assets(bin=tmp_path))

    assert "control plane" in refused.value.remedy
    assert not (tmp_path / "node").exists()


def test_the_engine_in_a_pod_sees_its_folder_where_it_lies() -> None:
    """At the machine's path, read-only; the image's own Python runs it."""
    spec = engine_pod(Path("/cache/engine"), environment={"VLLM_CACHE_ROOT": "/kept"})

    (container,) = spec["containers"]
    mounts = {mount["name"]: mount for mount in container["volumeMounts"]}
    given = {variable["name"]: variable["value"] for variable in container["env"]}
    assert {"name": "engine", "mountPath": "/cache/engine", "readOnly": True} == mounts["engine"]
    assert "/usr/bin/python3.11" == container["command"][0]
    assert "/cache/engine/venv/lib/python3.11/site-packages" == given["PYTHONPATH"]
    assert "/kept" == given["VLLM_CACHE_ROOT"]

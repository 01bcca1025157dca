"""
The parts of a published cache on a real node: a bucket, an image, keys, pods that take and publish.

The bucket is behind moto's S3 server, which runs in the node's own network: the machine reaches it
by the node's address, and pods, which have no route to that, by the address of their bridge. The
image is what `Containerfile` describes.
"""

import base64
import http.client
import ipaddress
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from onenode import Client, Image, OneNode
from onenode.containerd import POD_ADDRESSES

from firstlight.core.signs import RESTORES_CACHE
from firstlight.edges.cache_keys import PRIVATE as PRIVATE_WORDS
from firstlight.edges.cache_keys import public_words
from tests.caching.small import PRIVATE, PUBLIC

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = "localhost:5000/firstlight:1"
SMALL = "localhost:5000/small:1"
PORT = 9000
MOTO = "import sys; from moto.server import main; main(['-H', '0.0.0.0', '-p', sys.argv[1]])"
CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_REGION": "us-east-1",
}
TRUST = public_words(PUBLIC)
KEY_LINE = f"{PRIVATE_WORDS}{base64.b64encode(PRIVATE).decode()}\n"
CACHE = "/cache/engine"
FACTORS_FOLDER, KEY_FOLDER = "/etc/firstlight", "/etc/firstlight-key"
FACTORS_FILE = f"{FACTORS_FOLDER}/factors.json"
KEY_FILE = f"{KEY_FOLDER}/private.key"
UNKNOWN_USER = 12345
ON_ROOT_ONLY: dict[str, Any] = {}
LOCKED: dict[str, Any] = {
    "runAsUser": UNKNOWN_USER,
    "runAsGroup": UNKNOWN_USER,
    "runAsNonRoot": True,
    "readOnlyRootFilesystem": True,
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
}
"""What a careful cluster asks for: nobody known, nothing to write, no rights."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """A prefix on the node's store."""

    endpoint: str
    """For pods."""
    outside: str
    """For whoever is on the machine."""
    url: str

    def environment(self) -> list[dict[str, Any]]:
        """For a container: where it is, and the credentials of a Secret."""
        named = {"AWS_ENDPOINT_URL": self.endpoint}
        secret = [
            {"name": name, "valueFrom": {"secretKeyRef": {"name": "bucket", "key": name}}}
            for name in CREDENTIALS
        ]
        return [{"name": name, "value": value} for name, value in named.items()] + secret


def bucket(node: OneNode, prefix: str) -> Bucket:
    """A prefix of its own; the store is started with the first."""
    outside = f"http://{node.network.node_address}:{PORT}"
    processes = node.entry.processes
    if processes.find("store") is None:
        command = node.inside(sys.executable, "-c", MOTO, str(PORT))
        processes.start("store", command)
    deadline = time.monotonic() + 60
    while True:
        try:
            asked = http.client.HTTPConnection(node.network.node_address, PORT, timeout=5)
            asked.request("PUT", "/caches")
            asked.getresponse().read()
            break
        except OSError:
            assert time.monotonic() < deadline, processes.log("store").read_text()[-500:]
            time.sleep(0.1)
    bridge = next(ipaddress.IPv4Network(POD_ADDRESSES).hosts())
    return Bucket(endpoint=f"http://{bridge}:{PORT}", outside=outside, url=f"s3://caches/{prefix}")


def firstlight_image(node: OneNode, folder: Path) -> str:
    """The image with this tree's wheel, in the node's registry; its reference."""
    command = [sys.executable, str(ROOT / "cluster" / "own_image.py"), "--into", str(folder)]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    assert 0 == made.returncode, made.stderr
    node.push_prepared("small")
    return node.push(Image.load(folder), REFERENCE)


def secrets(namespace: str) -> list[dict[str, Any]]:
    """The bucket's credentials, and the key that caches are signed with."""
    return [
        _of_kind("Secret", namespace, "bucket", stringData=CREDENTIALS),
        _of_kind("Secret", namespace, "signing", stringData={"private.key": KEY_LINE}),
    ]


def publishing_secret(namespace: str, name: str) -> dict[str, Any]:
    """What a publishing Job is given: the key, and who may write."""
    return _of_kind(
        "Secret", namespace, name, stringData={"FIRSTLIGHT_CACHE_KEY": KEY_LINE, **CREDENTIALS}
    )


def factors_map(namespace: str, factors: str, name: str = "factors") -> dict[str, Any]:
    """The factors of an engine, as a file of pods."""
    return _of_kind("ConfigMap", namespace, name, data={"factors.json": factors})


def _of_kind(kind: str, namespace: str, name: str, **more: Any) -> dict[str, Any]:
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": "v1", "kind": kind, "metadata": metadata, **more}


def volumes(name: str = "factors") -> list[dict[str, Any]]:
    """What the containers here mount."""
    return [
        {"name": "cache", "emptyDir": {}},
        {"name": "factors", "configMap": {"name": name}},
        {"name": "signing", "secret": {"secretName": "signing", "defaultMode": 0o400}},
    ]


def puller(
    image: str, at: Bucket, *more: str, security: Mapping[str, Any] = LOCKED
) -> dict[str, Any]:
    """An initContainer that takes a cache."""
    asked = ["cache", "pull", "--from", at.url, "--into", CACHE]
    known = ["--expect", FACTORS_FILE, "--trust", TRUST]
    told = ["--termination-log", "/dev/termination-log"]
    return {
        "name": RESTORES_CACHE,
        "image": image,
        "args": [*asked, *known, *told, *more],
        "env": at.environment(),
        "securityContext": dict(security),
        "volumeMounts": [
            {"name": "cache", "mountPath": "/cache"},
            {"name": "factors", "mountPath": FACTORS_FOLDER},
        ],
    }


def publisher(image: str, at: Bucket, *, security: Mapping[str, Any]) -> dict[str, Any]:
    """A container that publishes a cache."""
    asked = ["cache", "push", CACHE, "--to", at.url]
    return {
        "name": "publisher",
        "image": image,
        "args": [*asked, "--factors", FACTORS_FILE, "--key", KEY_FILE],
        "env": at.environment(),
        "securityContext": dict(security),
        "volumeMounts": [
            {"name": "cache", "mountPath": "/cache"},
            {"name": "factors", "mountPath": FACTORS_FOLDER},
            {"name": "signing", "mountPath": KEY_FOLDER},
        ],
    }


def lister(*, volume: str = "cache", at: str = "/cache") -> dict[str, Any]:
    """A container that says the digest of every file of the cache, and ends."""
    return {
        "name": "listing",
        "image": SMALL,
        "command": ["sh", "-c", listed(at)],
        "volumeMounts": [{"name": volume, "mountPath": at}],
    }


def listed(folder: str) -> str:
    """For a shell: the digest of every file below a folder."""
    return f"cd {folder} && find . -type f | sort | xargs -r sha256sum"


def pod(namespace: str, name: str, spec: Mapping[str, Any]) -> dict[str, Any]:
    """A pod that runs once."""
    once = {"restartPolicy": "Never", "terminationGracePeriodSeconds": 0}
    return _of_kind("Pod", namespace, name, spec={**once, **spec})


def ended(kubectl: Client, namespace: str, name: str, *, within_s: float = 60) -> dict[str, Any]:
    """A pod when all of it has ended."""
    deadline = time.monotonic() + within_s
    while True:
        one: dict[str, Any] = kubectl.get("pod", name, "-n", namespace)
        if one["status"].get("phase") in ("Succeeded", "Failed"):
            return one
        assert time.monotonic() < deadline, one["status"]
        time.sleep(0.2)


def end_of(one: Mapping[str, Any], container: str) -> dict[str, Any]:
    """How a container of a pod ended."""
    status = one["status"]
    known = [*status.get("initContainerStatuses", []), *status.get("containerStatuses", [])]
    (found,) = (s["state"]["terminated"] for s in known if s["name"] == container)
    ending: dict[str, Any] = found
    return ending


def said(kubectl: Client, namespace: str, name: str, container: str) -> str:
    """The log of a container."""
    return kubectl("logs", name, "-n", namespace, "-c", container)


def listing(text: str) -> dict[str, str]:
    """The digests of files by name, but for the note of a pulled cache."""
    lines = (line.split(maxsplit=1) for line in text.splitlines() if line.strip())
    found = {name.strip(): digest for digest, name in lines}
    return {n: d for n, d in found.items() if not n.endswith(".firstlight-cache.json")}


def exec_in(
    kubectl: Client, namespace: str, name: str, container: str, *command: str, timeout_s: float = 60
) -> str:
    """What a command in a container prints."""
    where = ("exec", name, "-n", namespace, "-c", container, "--")
    return kubectl(*where, *command, timeout_s=timeout_s)


def only_pod(kubectl: Client, namespace: str, labels: str) -> str:
    """The name of the one pod with these labels that is not leaving."""
    found: Sequence[dict[str, Any]] = kubectl.get("pods", "-n", namespace, "-l", labels)["items"]
    (one,) = (p for p in found if "deletionTimestamp" not in p["metadata"])
    name: str = one["metadata"]["name"]
    return name

"""
What a client needs to reach a cluster, in one file.

JSON, which is YAML too, with everything in it: such a file may be copied
anywhere. It holds a password of a kind, so only its owner reads it.
"""

import base64
import json
import os
from collections.abc import Mapping
from pathlib import Path


def write_kubeconfig(
    path: Path,
    *,
    server: str,
    authority: bytes,
    user: Mapping[str, str],
    namespace: str = "default",
) -> Path:
    """Write one cluster, one user and the context that joins them."""
    cluster = {"server": server, "certificate-authority-data": encoded(authority)}
    context = {"cluster": "firstlight", "user": "firstlight", "namespace": namespace}
    whole = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "firstlight", "cluster": cluster}],
        "users": [{"name": "firstlight", "user": dict(user)}],
        "contexts": [{"name": "firstlight", "context": context}],
        "current-context": "firstlight",
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(whole, file, indent=1)
    return path


def certified(certificate: Path) -> dict[str, str]:
    """Give a user who proves itself with a certificate and the key beside it."""
    return {
        "client-certificate-data": encoded(certificate.read_bytes()),
        "client-key-data": encoded(certificate.with_suffix(".key").read_bytes()),
    }


def encoded(data: bytes) -> str:
    """Write bytes the way a kubeconfig holds them."""
    return base64.b64encode(data).decode()

"""
Asking any cluster for anything, through its own `kubectl`.

Tests see what a user sees. Users with fewer rights are service accounts with
tokens that the API server itself gives out, so the same call works on a cluster
that somebody else runs.
"""

import base64
import json
import os
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from onenode.failures import ClusterFailed

READ = ("get", "list", "watch")
VIEW_RULES: tuple[Mapping[str, Sequence[str]], ...] = (
    {"apiGroups": [""], "resources": ["pods", "pods/log", "events"], "verbs": READ},
    {"apiGroups": ["events.k8s.io"], "resources": ["events"], "verbs": READ},
    {"apiGroups": ["apps"], "resources": ["deployments", "replicasets"], "verbs": READ},
)
TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """One kubeconfig and the `kubectl` that reads it."""

    kubeconfig: Path
    binary: Path | str = "kubectl"

    def __call__(
        self,
        *arguments: str | Path,
        input: str | bytes | None = None,  # noqa: A002 - the name subprocess has for it
        check: bool = True,
        timeout_s: float = TIMEOUT_S,
    ) -> str:
        """Run kubectl; gives what it printed, or raises with what it complained."""
        done = self.run(*arguments, input=input, timeout_s=timeout_s)
        if check and done.returncode != 0:
            words = " ".join(str(part) for part in arguments)
            raise ClusterFailed(
                f"kubectl {words}: {done.stderr.strip()[-500:]}",
                remedy=f"try it with KUBECONFIG={self.kubeconfig}",
            )
        return done.stdout

    def run(
        self,
        *arguments: str | Path,
        input: str | bytes | None = None,  # noqa: A002 - as above
        timeout_s: float = TIMEOUT_S,
    ) -> "subprocess.CompletedProcess[str]":
        """Run kubectl and give all of its ending."""
        given = input.decode() if isinstance(input, bytes) else input
        return subprocess.run(
            [str(self.binary), "--kubeconfig", str(self.kubeconfig), *map(str, arguments)],
            input=given,
            capture_output=True,
            text=True,
            check=False,
            timeout=timeout_s,
            env=_surroundings(),
        )

    def get(self, *arguments: str | Path) -> Any:
        """Get objects, as kubectl's JSON says them."""
        return json.loads(self("get", *arguments, "-o", "json"))

    def apply(self, *objects: Mapping[str, Any]) -> None:
        """Apply objects given as JSON would hold them."""
        whole = {"apiVersion": "v1", "kind": "List", "items": list(objects)}
        self("apply", "-f", "-", input=json.dumps(whole))

    def raw(self, path: str) -> Any:
        """Ask the API server for a path."""
        return json.loads(self("get", "--raw", path))

    def address(self) -> dict[str, Any]:
        """Say where the API server is and whom to trust, as `write_kubeconfig` takes it."""
        said = json.loads(self("config", "view", "--raw", "--flatten", "--minify", "-o", "json"))
        cluster = said["clusters"][0]["cluster"]
        authority = base64.b64decode(cluster.get("certificate-authority-data", ""))
        return {"server": cluster["server"], "authority": authority}

    def version(self) -> tuple[int, int]:
        """The API server's version; wordings and features depend on it."""
        said = self.raw("/version")
        return int(said["major"]), int(said["minor"].rstrip("+"))

    def account(
        self,
        name: str,
        namespace: str,
        *,
        rules: Iterable[Mapping[str, Sequence[str]]],
        cluster_rules: Iterable[Mapping[str, Sequence[str]]] = (),
    ) -> str:
        """Make a service account that may do what the rules say; gives a token of it."""
        metadata = {"name": name, "namespace": namespace}
        subject = {"kind": "ServiceAccount", **metadata}
        rbac, group = "rbac.authorization.k8s.io/v1", "rbac.authorization.k8s.io"
        everywhere = {"name": f"{namespace}-{name}"}
        namespace_object = {"apiVersion": "v1", "kind": "Namespace"}
        # `default` and an existing one are left as they are.
        self.apply({**namespace_object, "metadata": {"name": namespace}})
        self.apply({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata})
        for kind, named, given in (
            ("Role", metadata, list(rules)),
            ("ClusterRole", everywhere, list(cluster_rules)),
        ):
            if given:
                reference = {"apiGroup": group, "kind": kind, "name": named["name"]}
                binding = {"subjects": [subject], "roleRef": reference}
                self.apply(
                    {"apiVersion": rbac, "kind": kind, "metadata": named, "rules": given},
                    {"apiVersion": rbac, "kind": f"{kind}Binding", "metadata": named, **binding},
                )
        request = {
            "apiVersion": "authentication.k8s.io/v1",
            "kind": "TokenRequest",
            "spec": {"expirationSeconds": 86400},
        }
        path = f"/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token"
        said = self("create", "--raw", path, "-f", "-", input=json.dumps(request))
        token: str = json.loads(said)["status"]["token"]
        return token


def _surroundings() -> dict[str, str]:
    """Our kubectl must not find another cluster, nor keep what it learned about this one."""
    kept = {name: value for name, value in os.environ.items() if name != "KUBECONFIG"}
    return {**kept, "KUBECACHEDIR": ""}

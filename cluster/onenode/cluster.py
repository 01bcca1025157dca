"""
What every cluster offers to a test, whoever runs it.

An address, a `kubectl`, and users with fewer rights than the administrator's:
the same for a node of ours, a control plane alone, and a cluster that somebody
else made.
"""

import secrets
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from onenode.clients import VIEW_RULES, Client
from onenode.failures import ClusterFailed
from onenode.kubeconfigs import write_kubeconfig
from onenode.patience import until

# Tells a folder that may be emptied from one that somebody chose by mistake.
MARKER = "made-by-onenode"


@dataclass(slots=True, kw_only=True)
class Cluster:
    """What every cluster offers to tests: an address, a kubectl, users with fewer rights."""

    kubeconfig: Path
    kubectl: Client
    users: Path
    has_controllers: bool = True

    def view_kubeconfig(self, namespace: str = "default") -> Path:
        """Give a kubeconfig that may read pods, logs, events and deployments of one namespace."""
        return self.account_kubeconfig("viewer", namespace, rules=VIEW_RULES)

    def account_kubeconfig(
        self,
        name: str,
        namespace: str = "default",
        *,
        rules: Iterable[Mapping[str, Sequence[str]]],
        cluster_rules: Iterable[Mapping[str, Sequence[str]]] = (),
    ) -> Path:
        """Make a service account that may do what the rules say, and give its kubeconfig."""
        token = self.kubectl.account(name, namespace, rules=rules, cluster_rules=cluster_rules)
        return write_kubeconfig(
            self.users / f"{namespace}-{name}.kubeconfig",
            **self.kubectl.address(),
            user={"token": token},
            namespace=namespace,
        )

    @contextmanager
    def namespace(self, prefix: str = "test") -> Iterator[str]:
        """Make a namespace of a name nobody has, and remove it with all that is in it."""
        name = f"{prefix}-{secrets.token_hex(3)}"
        self.kubectl("create", "namespace", name)
        try:
            if self.has_controllers:
                settled_default_account(self.kubectl, name)
            yield name
        finally:
            # Emptying one takes ten seconds, and nobody comes back to this name.
            self.kubectl.run("delete", "namespace", name, "--wait=false")


@dataclass(slots=True, kw_only=True)
class ExistingCluster(Cluster):
    """A cluster that somebody else made and keeps: used, never restarted or taken down."""

    @classmethod
    def given(cls, users: Path, environment: Mapping[str, str]) -> "ExistingCluster | None":
        """Give the one that the environment names; None when it names none."""
        wanted = environment.get("USE_EXISTING_CLUSTER", "").lower() in ("1", "true", "yes")
        if not wanted:
            return None
        kubeconfig = Path(environment.get("KUBECONFIG") or "~/.kube/config").expanduser()
        if not kubeconfig.is_file():
            raise ClusterFailed(
                f"USE_EXISTING_CLUSTER is set and {kubeconfig} is not there",
                remedy="set KUBECONFIG to the file of a cluster that tests may write to",
            )
        kubectl = shutil.which("kubectl")
        if kubectl is None:
            raise ClusterFailed(
                "USE_EXISTING_CLUSTER is set and there is no kubectl", remedy="install kubectl"
            )
        client = Client(kubeconfig=kubeconfig, binary=kubectl)
        return cls(kubeconfig=kubeconfig, kubectl=client, users=users)


def settled_default_account(kubectl: Client, namespace: str = "default") -> None:
    """Wait until pods may be made: the controllers give each namespace an account first."""
    until(
        lambda: kubectl.run("get", "serviceaccount", "default", "-n", namespace).returncode == 0,
        timeout_s=30,
    )


def wipe(state: Path) -> None:
    """Make room for a new cluster where an earlier one lay."""
    if state.exists() and any(state.iterdir()) and not (state / MARKER).exists():
        raise ClusterFailed(
            f"{state} holds files that no cluster put there",
            remedy="choose a folder that is empty or not there yet",
        )
    shutil.rmtree(state, ignore_errors=True)
    state.mkdir(parents=True)
    (state / MARKER).touch()

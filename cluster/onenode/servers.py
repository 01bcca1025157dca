"""
The processes of a control plane: etcd, the API server, the controllers.

The same on loopback for a control plane alone and inside a node's own network;
`enter` and `Reach` say where.
"""

import secrets
import socket
import ssl
import subprocess
import urllib.error
import urllib.request
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from onenode.assets import Assets
from onenode.failures import ClusterFailed
from onenode.kubeconfigs import write_kubeconfig
from onenode.patience import last_line, require
from onenode.pki import Pki
from onenode.processes import Processes

SERVICES = "10.96.0.0/16"
FIRST_SERVICE = "10.96.0.1"
READY_S = 90.0
LAST_INSECURE = 23
NAMES = (
    "localhost",
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """Where the servers listen."""

    address: str
    api_port: int
    etcd_port: int
    etcd_peer_port: int

    @classmethod
    def on_loopback(cls) -> "Reach":
        """Take ports that nobody has at this moment."""
        with ExitStack() as stack:
            ports = []
            for _ in range(3):
                listener = stack.enter_context(socket.socket())
                listener.bind(("127.0.0.1", 0))
                ports.append(listener.getsockname()[1])
        api, etcd, peer = ports
        return cls(address="127.0.0.1", api_port=api, etcd_port=etcd, etcd_peer_port=peer)

    @property
    def server(self) -> str:
        """The API server's URL."""
        return f"https://{self.address}:{self.api_port}"


@dataclass(slots=True, kw_only=True)
class Servers:
    """The processes of a control plane, whoever started them."""

    state: Path
    assets: Assets
    reach: Reach
    processes: Processes
    enter: Sequence[str | Path] = ()
    api_server_flags: Sequence[str] = ()
    etcd_flags: Sequence[str] = ()
    controllers: bool = False
    token: str = field(default_factory=lambda: secrets.token_hex(16))

    @property
    def pki(self) -> Pki:
        return Pki(folder=self.state / "pki")

    @property
    def kubeconfig(self) -> Path:
        return self.state / "admin.kubeconfig"

    def up(self) -> None:
        """Start everything and wait until it answers."""
        self.pki.make("firstlight")
        alternatives = ["127.0.0.1", FIRST_SERVICE, self.reach.address]
        self.pki.server("api-server", addresses=sorted(set(alternatives)), names=NAMES)
        tokens = self.pki.folder / "tokens.csv"
        tokens.write_text(f'{self.token},admin,admin,"system:masters"\n', encoding="utf-8")
        write_kubeconfig(
            self.kubeconfig,
            server=self.reach.server,
            authority=self.pki.authority.read_bytes(),
            user={"token": self.token},
        )
        self.start_etcd()
        self.start_api_server()
        if self.controllers:
            self.start_controllers()

    def start_etcd(self) -> None:
        """Start etcd; it answers before the API server needs it."""
        reach = self.reach
        clients = f"http://127.0.0.1:{reach.etcd_port}"
        peers = f"http://127.0.0.1:{reach.etcd_peer_port}"
        self._start(
            "etcd",
            f"--data-dir={self.state / 'etcd'}",
            f"--listen-client-urls={clients}",
            f"--advertise-client-urls={clients}",
            f"--listen-peer-urls={peers}",
            f"--initial-advertise-peer-urls={peers}",
            f"--initial-cluster=default={peers}",
            # Nothing here has to survive a power cut.
            "--unsafe-no-fsync",
            *self.etcd_flags,
        )

    def start_api_server(self) -> None:
        """Start the API server and wait until it is ready."""
        pki, reach = self.pki, self.reach
        inside = reach.address != "127.0.0.1"
        flags = [
            f"--etcd-servers=http://127.0.0.1:{reach.etcd_port}",
            f"--bind-address={'0.0.0.0' if inside else reach.address}",  # noqa: S104 - its own network
            f"--advertise-address={reach.address}",
            f"--secure-port={reach.api_port}",
            f"--tls-cert-file={pki.folder / 'api-server.crt'}",
            f"--tls-private-key-file={pki.folder / 'api-server.key'}",
            f"--client-ca-file={pki.authority}",
            f"--token-auth-file={pki.folder / 'tokens.csv'}",
            f"--authorization-mode={'Node,RBAC' if inside else 'RBAC'}",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-key-file={pki.service_accounts}",
            f"--service-account-signing-key-file={pki.service_accounts}",
            f"--service-cluster-ip-range={SERVICES}",
            "--allow-privileged=true",
            "--kubelet-preferred-address-types=InternalIP",
        ]
        if not self.controllers:
            # This admission waits for tokens that only a controller manager makes.
            flags.append("--disable-admission-plugins=ServiceAccount")
        self._start("kube-apiserver", *flags, *self.api_server_flags)
        log = self.processes.log("kube-apiserver")

        def settled() -> bool:
            return self.ready() or self.processes.find("kube-apiserver") is None

        require(settled, "the API server was not ready", timeout_s=READY_S, log=log)
        if self.processes.find("kube-apiserver") is None:
            raise ClusterFailed(f"the API server ended: {last_line(log)}", remedy=f"read {log}")

    def start_controllers(self) -> None:
        """Start the controller manager and the scheduler."""
        given = (f"--kubeconfig={self.kubeconfig}", "--leader-elect=false")
        ports = [] if self.enter else self._no_ports()
        self._start(
            "kube-controller-manager",
            *given,
            f"--service-account-private-key-file={self.pki.service_accounts}",
            f"--root-ca-file={self.pki.authority}",
            "--bind-address=127.0.0.1",
            *ports,
        )
        self._start(
            "kube-scheduler",
            *given,
            "--bind-address=127.0.0.1",
            *ports,
        )

    def stop_api_server(self, *, kill: bool = False) -> None:
        """End the API server alone; etcd keeps what it was told."""
        # Watches that are open keep a polite end waiting.
        if kill:
            self.processes.kill("kube-apiserver")
        else:
            self.processes.end("kube-apiserver", grace_s=3)

    def restart(self, *flags: str, kill: bool = False) -> None:
        """End the API server and start it again, with more flags when some are given."""
        self.stop_api_server(kill=kill)
        self.api_server_flags = (*self.api_server_flags, *flags)
        self.start_api_server()

    def ready(self) -> bool:
        """Whether the API server says that it serves."""
        try:
            trust = ssl.create_default_context(cafile=str(self.pki.authority))
            request = urllib.request.Request(  # noqa: S310 - our own URL
                f"{self.reach.server}/readyz", headers={"Authorization": f"Bearer {self.token}"}
            )
            with urllib.request.urlopen(request, timeout=3, context=trust) as answer:  # noqa: S310
                return bool(answer.read() == b"ok")
        except (urllib.error.URLError, OSError, ValueError):
            return False

    def _no_ports(self) -> list[str]:
        """
        Let the controllers listen nowhere: on loopback others may have their ports.

        Until 1.23 each has a second port, which later versions do not know any more.
        """
        version = subprocess.run(
            [self.assets.bin / "kube-controller-manager", "--version"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        minor = int(version.split(".")[1])
        return ["--secure-port=0", *(["--port=0"] if minor <= LAST_INSECURE else [])]

    def _start(self, name: str, *flags: str) -> None:
        self.processes.start(
            name, [*self.enter, self.assets.bin / name, *flags], {"PATH": self.assets.path()}
        )

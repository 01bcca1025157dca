"""
Keys and certificates of one cluster, made by the `openssl` command.

The API server proves itself to its clients with a certificate, kubelets prove
themselves to it with theirs, and it signs the tokens of service accounts.
Elliptic curves, because a key of that kind takes no time to make.
"""

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from onenode.failures import ClusterFailed

DAYS = "365"
AUTHORITY = """[req]
distinguished_name = name
prompt = no
x509_extensions = extensions
[name]
CN = {name}
[extensions]
basicConstraints = critical,CA:TRUE
keyUsage = critical,keyCertSign,cRLSign,digitalSignature
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pki:
    """A folder of keys."""

    folder: Path

    @property
    def authority(self) -> Path:
        """The certificate that signs all the others."""
        return self.folder / "ca.crt"

    @property
    def service_accounts(self) -> Path:
        """The key that signs service accounts' tokens."""
        return self.folder / "service-accounts.key"

    def make(self, name: str) -> None:
        """Make the authority and the service accounts' key."""
        self.folder.mkdir(parents=True, mode=0o700)
        self._key("ca")
        self._key("service-accounts")
        settings = self.folder / "ca.cnf"
        settings.write_text(AUTHORITY.format(name=name), encoding="utf-8")
        self._openssl(
            *("req", "-x509", "-new", "-days", DAYS),
            *("-config", settings, "-key", self.folder / "ca.key", "-out", self.authority),
        )

    def server(self, name: str, *, addresses: Sequence[str], names: Sequence[str]) -> Path:
        """Make a server's certificate; its key lies beside it."""
        alternatives = [f"IP:{address}" for address in addresses]
        alternatives += [f"DNS:{other}" for other in names]
        return self._certificate(
            name,
            subject=f"/CN={name}",
            extensions=f"subjectAltName={','.join(alternatives)}\nextendedKeyUsage=serverAuth\n",
        )

    def client(self, file: str, *, user: str, group: str) -> Path:
        """Make a client's certificate; Kubernetes reads user and group from it."""
        return self._certificate(
            file, subject=f"/O={group}/CN={user}", extensions="extendedKeyUsage=clientAuth\n"
        )

    def _certificate(self, name: str, *, subject: str, extensions: str) -> Path:
        key = self._key(name)
        request, settings = self.folder / f"{name}.csr", self.folder / f"{name}.ext"
        settings.write_text(extensions, encoding="utf-8")
        self._openssl("req", "-new", "-key", key, "-subj", subject, "-out", request)
        made = self.folder / f"{name}.crt"
        self._openssl(
            *("x509", "-req", "-days", DAYS, "-in", request, "-out", made),
            *("-CA", self.authority, "-CAkey", self.folder / "ca.key", "-CAcreateserial"),
            *("-extfile", settings),
        )
        return made

    def _key(self, name: str) -> Path:
        key = self.folder / f"{name}.key"
        self._openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", key)
        return key

    def _openssl(self, *arguments: str | Path) -> None:
        openssl = shutil.which("openssl")
        if openssl is None:
            raise ClusterFailed(
                "this machine has no openssl command, which makes the cluster's certificates",
                remedy="install it (Debian and Ubuntu: apt install openssl)",
            )
        done = subprocess.run([openssl, *arguments], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise ClusterFailed(
                f"openssl {arguments[0]} failed: {done.stderr.strip()[-300:]}",
                remedy="run the command by hand",
            )

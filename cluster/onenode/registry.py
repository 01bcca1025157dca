"""
A real image registry inside the node's network, filled from outside.

Images are pushed over the wire with the registry's own protocol and never
touch the node's containerd: what a node has not unpacked it has to pull.
"""

import http.client
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from onenode.assets import Assets
from onenode.failures import ClusterFailed
from onenode.images import MANIFEST, Image, digest_of
from onenode.patience import require
from onenode.processes import Processes

PORT = 5000
# As pods name it: containerd talks plain HTTP to this host, and to no other.
HOST = f"localhost:{PORT}"
CREATED = (201, 202)


@dataclass(frozen=True, slots=True, kw_only=True)
class Registry:
    """One registry and the address it has from outside."""

    address: str
    folder: Path

    def start(self, *, assets: Assets, processes: Processes, enter: Sequence[str]) -> None:
        """Start it and wait until it answers."""
        self.folder.mkdir(parents=True, exist_ok=True)
        settings = self.folder / "settings.json"
        whole = {
            "version": 0.1,
            "log": {"level": "warn"},
            "storage": {
                "filesystem": {"rootdirectory": str(self.folder / "images")},
                "delete": {"enabled": True},
            },
            "http": {"addr": f":{PORT}"},
        }
        settings.write_text(json.dumps(whole), encoding="utf-8")
        command: list[str | Path] = [*enter, assets.bin / "docker-registry", "serve", settings]
        processes.start("registry", command)
        log = processes.log("registry")
        require(self._answers, "the registry did not answer", timeout_s=20, log=log)

    def push(self, image: Image, reference: str) -> None:
        """Put an image there under `localhost:5000/NAME:TAG`."""
        repository, _, tag = reference.removeprefix(f"{HOST}/").rpartition(":")
        if not repository:
            raise ClusterFailed(
                f"{reference} is no image of the node's registry",
                remedy=f"call it {HOST}/NAME:TAG",
            )
        for layer in image.layers:
            with layer.path.open("rb") as content:
                self._blob(repository, layer.digest, layer.size_bytes, content)
        self._blob(repository, digest_of(image.config), len(image.config), image.config)
        self._ask("PUT", f"/v2/{repository}/manifests/{tag}", image.manifest, kind=MANIFEST)

    def _blob(
        self, repository: str, digest: str, size_bytes: int, content: "IO[bytes] | bytes"
    ) -> None:
        known, _ = self._exchange("HEAD", f"/v2/{repository}/blobs/{digest}")
        if known == http.client.OK:
            return
        upload = self._ask("POST", f"/v2/{repository}/blobs/uploads/")
        path = upload.split(f"{self.address}:{PORT}", 1)[-1]
        separator = "&" if "?" in path else "?"
        self._ask("PUT", f"{path}{separator}digest={digest}", content, size_bytes=size_bytes)

    def _ask(
        self,
        method: str,
        path: str,
        content: "IO[bytes] | bytes" = b"",
        *,
        size_bytes: int | None = None,
        kind: str = "application/octet-stream",
    ) -> str:
        status, location = self._exchange(method, path, content, size_bytes=size_bytes, kind=kind)
        if status not in CREATED:
            raise ClusterFailed(
                f"the registry answered {status} to {method} {path}", remedy="read registry.log"
            )
        return location

    def _exchange(
        self,
        method: str,
        path: str,
        content: "IO[bytes] | bytes" = b"",
        *,
        size_bytes: int | None = None,
        kind: str = "application/octet-stream",
    ) -> tuple[int, str]:
        connection = http.client.HTTPConnection(self.address, PORT, timeout=300, blocksize=1 << 20)
        length = len(content) if isinstance(content, bytes) else size_bytes
        try:
            headers = {"Content-Length": str(length), "Content-Type": kind}
            connection.request(method, path, body=content, headers=headers)
            answer = connection.getresponse()
            answer.read()
            return answer.status, answer.headers.get("Location", "")
        except OSError as error:
            raise ClusterFailed(
                f"the registry at {self.address}:{PORT} cannot be reached: {error}",
                remedy="read registry.log",
            ) from error
        finally:
            connection.close()

    def _answers(self) -> bool:
        try:
            return self._exchange("GET", "/v2/")[0] == http.client.OK
        except ClusterFailed:
            return False

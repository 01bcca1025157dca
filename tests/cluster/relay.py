"""
A TCP relay in front of an API server, whose connections a test can cut.

The kubeconfig that it writes names the relay; TLS goes through it untouched, for the
server's certificate is for 127.0.0.1 on any port.
"""

import json
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import yaml

_RESET = struct.pack("ii", 1, 0)


class Relay:
    """Passes bytes on until told to cut."""

    def __init__(self, target: tuple[str, int]) -> None:
        self.cuts = 0
        self.refuses = False
        """Whether a new connection is closed at once."""
        self._target = target
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._lock = threading.Lock()
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    @property
    def port(self) -> int:
        return int(self._socket.getsockname()[1])

    def cut(self, *, reset: bool = True) -> int:
        """Break every connection there is; how many that were."""
        with self._lock:
            pairs, self._pairs = self._pairs, []
        for pair in pairs:
            for wire in pair:
                with suppress(OSError):
                    if reset:
                        wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
                    wire.shutdown(socket.SHUT_RDWR)
                wire.close()
        self.cuts += len(pairs)
        return len(pairs)

    def close(self) -> None:
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._threads[0].join()
        self.cut()
        for thread in self._threads:
            thread.join()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                here, _ = self._socket.accept()
                if self.refuses:
                    here.close()
                    continue
                try:
                    there = socket.create_connection(self._target, timeout=5)
                except OSError:
                    here.close()
                    continue
                there.settimeout(None)
                with self._lock:
                    self._pairs.append((here, there))
                for source, sink in ((here, there), (there, here)):
                    pump = threading.Thread(target=_pump, args=(source, sink), daemon=True)
                    self._threads.append(pump)
                    pump.start()


def _pump(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
    for wire in (source, sink):
        with suppress(OSError):
            wire.shutdown(socket.SHUT_RDWR)


@contextmanager
def relayed(kubeconfig: Path, into: Path) -> Iterator[tuple[Relay, Path]]:
    """A relay in front of the cluster of a kubeconfig, and the kubeconfig that goes through it."""
    document = yaml.safe_load(kubeconfig.read_text())
    cluster = document["clusters"][0]["cluster"]
    at = urlsplit(cluster["server"])
    relay = Relay((at.hostname or "127.0.0.1", at.port or 443))
    cluster["server"] = f"https://127.0.0.1:{relay.port}"
    for entry in (cluster, *(user["user"] for user in document["users"])):
        for key in ("certificate-authority", "client-certificate", "client-key"):
            if key in entry:
                entry[key] = str((kubeconfig.parent / entry[key]).absolute())
    through = into / "relayed.kubeconfig"
    through.write_text(json.dumps(document))
    try:
        yield relay, through
    finally:
        relay.close()

"""An engine's server: healthy after a while, with a key or a certificate if that is wanted."""

import datetime as dt
import ipaddress
import json
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

_TOKEN = b'data: {"choices": [{"text": "Hi", "finish_reason": "length"}]}\n\ndata: [DONE]\n\n'


class Engine(ThreadingHTTPServer):
    """What it was asked, in order."""

    daemon_threads = True
    healthy_at_s = 0.0
    api_key: str | None = None
    gives_tokens = True
    tls = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[str] = []
        self.when_asked: Callable[[], object] = lambda: None
        """Done at each request for a token."""

    @property
    def url(self) -> str:
        return f"{'https' if self.tls else 'http'}://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: Engine

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        if self.path == "/health":
            healthy = time.monotonic() >= self.server.healthy_at_s
            self._answer(200 if healthy else 503, b"{}", "application/json")
        elif self._may():
            self._answer(200, json.dumps({"data": [{"id": "m"}]}).encode(), "application/json")

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.asked.append(self.path)
        self.server.when_asked()
        if not self.server.gives_tokens:
            self._answer(404, b'{"detail": "Not Found"}', "application/json")
        elif self._may():
            self._answer(200, _TOKEN, "text/event-stream")

    def _may(self) -> bool:
        key = self.server.api_key
        if key is None or self.headers["Authorization"] == f"Bearer {key}":
            return True
        self._answer(401, b'{"error": "Unauthorized"}', "application/json")
        return False

    def _answer(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def serving(
    *, healthy_after_s: float = 0, api_key: str | None = None, certificate: Path | None = None
) -> Iterator[Engine]:
    """It runs while the block does."""
    with Engine() as engine:
        engine.healthy_at_s = time.monotonic() + healthy_after_s
        engine.api_key = api_key
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            engine.socket = context.wrap_socket(engine.socket, server_side=True)
            engine.tls = True
        threading.Thread(target=engine.serve_forever, args=(0.05,), daemon=True).start()
        try:
            yield engine
        finally:
            engine.shutdown()


def own_certificate(file: Path) -> Path:
    """A certificate that nobody vouches for, with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "engine")])
    names = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(dt.datetime(2020, 1, 1, tzinfo=dt.UTC))
        .not_valid_after(dt.datetime(2120, 1, 1, tzinfo=dt.UTC))
        .add_extension(names, critical=False)
        .sign(key, hashes.SHA256())
    )
    file.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    return file

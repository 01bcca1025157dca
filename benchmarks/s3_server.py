"""
A bucket that can be written to, on loopback: moto's S3 server in a process of its own.

It is no fast one, and the same for all who write to it.
"""

import http.client
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

_SERVES = "import sys; from moto.server import main; main(['-H', '127.0.0.1', '-p', sys.argv[1]])"
_READY_WITHIN_S = 30.0


@contextmanager
def s3_server(bucket: str) -> Iterator[dict[str, str]]:
    """The variables that lead a client to it; the bucket is there."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    with subprocess.Popen(
        [sys.executable, "-c", _SERVES, str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as server:
        try:
            _make_bucket(port, bucket)
            yield {
                "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
                "S3_ENDPOINT_URL": f"http://127.0.0.1:{port}",
                "AWS_ACCESS_KEY_ID": "nobody",
                "AWS_SECRET_ACCESS_KEY": "nothing",
                "AWS_REGION": "us-east-1",
            }
        finally:
            server.terminate()


def _make_bucket(port: int, bucket: str) -> None:
    deadline = time.monotonic() + _READY_WITHIN_S
    while True:
        asked = http.client.HTTPConnection("127.0.0.1", port, timeout=_READY_WITHIN_S)
        try:
            asked.request("PUT", f"/{bucket}")
            asked.getresponse().read()
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
        else:
            return
        finally:
            asked.close()

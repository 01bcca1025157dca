"""
An S3 origin on loopback: a bucket whose objects are the files of a folder.

nginx serves the bytes, GET and HEAD with ranges, from the disk; everything else
that S3 answers comes from `listing`. Neither asks for credentials, so any will do.

A link on loopback is faster than any disk, and S3 is not like that: one
connection to it brings some tens of megabytes a second, and who wants more opens
more. That is why a mount, which reads over few connections, is slower than a
streamer, which reads over many. So nginx holds each response to
`per_connection_bytes_per_s` (its `limit_rate`). S3 gives about 50 to 90 MB/s; here it
is half of that, because the model is small and two cores have to carry both ends of
the link: it is the link that shall decide, and not the cores. So the seconds are those
of this machine, and what carries over is the cause. Not imitated: the time to the first
byte, a limit of the whole link, errors.

S3 reads no disk that could be cold for us, and this origin does: the files are held
in memory (`held`) while it serves.

Each request leaves a line in `access.jsonl`: when it ended, how long it took, its
range, its bytes and its connection. `requests_in_flight` makes of them how many
were answered at once on average.

nginx runs under firstlight's guard: it ends with the block, and also when we are
killed in a way that no handler sees. Nothing is written outside `into`.
"""

import json
import os
import shutil
import socket
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from held import held
from listing import serve

from firstlight.core.errors import BadInput, OutsideFailed
from firstlight.edges.engine_process import EngineProcess
from firstlight.edges.unwritable import writing

PER_CONNECTION_BYTES_PER_S = 25_000_000
READY_WITHIN_S = 10.0
TRIES = 3
GRACE_NS = 5_000_000_000
# Debian keeps it where users' PATH does not look.
SBIN = ("/usr/local/sbin", "/usr/sbin", "/sbin")
UNFIT = set("\n\r\"'\\;{}$")

CONFIGURATION = """\
daemon off;
{user}
worker_processes 2;
pid "{into}/nginx.pid";
error_log "{into}/nginx-error.log" warn;
events {{ worker_connections 1024; }}
http {{
  log_format requests escape=json '{{"ended_unix_s":$msec,"took_s":$request_time,'
    '"connection":$connection,"method":"$request_method","key":"$uri",'
    '"range":"$http_range","status":$status,"bytes":$body_bytes_sent}}';
  access_log "{into}/access.jsonl" requests;
  client_body_temp_path "{into}/nginx-temporary";
  proxy_temp_path "{into}/nginx-temporary";
  fastcgi_temp_path "{into}/nginx-temporary";
  uwsgi_temp_path "{into}/nginx-temporary";
  scgi_temp_path "{into}/nginx-temporary";
  default_type binary/octet-stream;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000;
  server {{
    listen 127.0.0.1:{port};
    root "{into}/buckets";
    limit_rate {rate};
    error_page 403 404 405 = @bucket;
    location / {{
      if ($request_method !~ ^(GET|HEAD)$) {{ return 405; }}
      try_files $uri @bucket;
    }}
    location @bucket {{
      proxy_pass http://127.0.0.1:{listing};
      proxy_set_header Host $http_host;
    }}
  }}
}}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where the bucket is served, and what was asked of it."""

    url: str
    """For AWS_ENDPOINT_URL; path style."""
    access_log: Path

    @property
    def environment(self) -> dict[str, str]:
        """What a client of S3, vLLM's streamer among them, must know; the keys are dummies."""
        return {
            "AWS_ENDPOINT_URL": self.url,
            "AWS_ACCESS_KEY_ID": "nobody",
            "AWS_SECRET_ACCESS_KEY": "nothing",
            "AWS_REGION": "us-east-1",
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_EC2_METADATA_DISABLED": "true",
            "RUNAI_STREAMER_S3_ENDPOINT": self.url,
            "RUNAI_STREAMER_S3_USE_VIRTUAL_ADDRESSING": "0",
        }


@contextmanager
def origin(
    folder: Path,
    bucket: str,
    *,
    into: Path,
    port: int | None = None,
    per_connection_bytes_per_s: int = PER_CONNECTION_BYTES_PER_S,
) -> Iterator[Endpoint]:
    """
    Serve `folder` as `bucket` until the block is left.

    Args:
        folder: its files are the objects, their paths in it the keys.
        bucket: its name.
        into: a folder for the configuration and the logs, best below that of the run.
        port: where to serve it; None for any that is free.
        per_connection_bytes_per_s: the rate of one connection; 0 is without a limit.

    Raises:
        BadInput: the folder is not there.
        OutsideFailed: nginx is not there or does not start, or `into` cannot be written.
    """
    nginx = _nginx()
    folder, into = folder.resolve(), into.resolve()
    if not folder.is_dir():
        raise BadInput(f"{folder} is no folder", remedy="name the folder that holds the model")
    if UNFIT & set(str(into)):
        raise BadInput(
            f"{str(into)!r} cannot stand in nginx's configuration",
            remedy="choose a folder without quotes, braces and the like in its path",
        )
    _prepare(into, folder, bucket)
    with held(folder), serve(folder, bucket) as listing:
        running, port = _started(
            nginx, into, port=port, listing=listing, rate=per_connection_bytes_per_s
        )
        try:
            yield Endpoint(url=f"http://127.0.0.1:{port}", access_log=into / "access.jsonl")
        finally:
            running.stop(grace_ns=GRACE_NS)


def requests_in_flight(lines: Iterable[str]) -> float | None:
    """
    How many requests for objects' bytes were being answered at once, on average.

    Over the time in which there was at least one; None where there was none.
    """
    spans = []
    for line in lines:
        said = json.loads(line)
        if said["method"] == "GET" and said["bytes"] and "/" in said["key"].lstrip("/"):
            spans.append((said["ended_unix_s"] - said["took_s"], said["ended_unix_s"]))
    busy, until = 0.0, float("-inf")
    for begin, end in sorted(spans):
        busy += max(0.0, end - max(begin, until))
        until = max(until, end)
    return sum(end - begin for begin, end in spans) / busy if busy else None


def _nginx() -> str:
    found = shutil.which("nginx", path=os.pathsep.join((os.environ.get("PATH", ""), *SBIN)))
    if found is None:
        raise OutsideFailed(
            "nginx is not there, and it serves the bytes of the bucket",
            remedy="install it (Debian and Ubuntu, as root: apt-get install nginx-light)",
        )
    return found


def _prepare(into: Path, folder: Path, bucket: str) -> None:
    with writing(into):
        buckets = into / "buckets"
        buckets.mkdir(parents=True, exist_ok=True)
        link = buckets / bucket
        link.unlink(missing_ok=True)
        link.symlink_to(folder, target_is_directory=True)


def _started(
    nginx: str, into: Path, *, port: int | None, listing: int, rate: int
) -> tuple[EngineProcess, int]:
    """Start nginx. A port that is free now somebody else may take, so more than once."""
    wanted = port
    # As root nginx would read with the rights of another user, who may not see the model.
    user = "user root;" if os.geteuid() == 0 else ""
    said: list[str] = []
    for _ in range(TRIES):
        port = wanted or free_port()
        configuration = into / "nginx.conf"
        text = CONFIGURATION.format(into=into, user=user, port=port, listing=listing, rate=rate)
        with writing(into):
            configuration.write_text(text)
        running = EngineProcess.start(
            command=[nginx, "-e", str(into / "nginx-error.log"), "-c", str(configuration)],
            environment=dict(os.environ),
            log_path=str(into / f"nginx-{time.time_ns()}.log"),
            unix_offset_ns=time.time_ns() - time.monotonic_ns(),
        )
        if _answers(running, port):
            return running, port
        running.stop(grace_ns=GRACE_NS)
        said += (line.strip() for _, line in running.new_lines() if line.strip())
    raise OutsideFailed(
        f"nginx does not start: {said[-1] if said else 'it said nothing'}",
        remedy=f"see {into}/nginx-error.log",
    )


def free_port() -> int:
    """A port of loopback on which nobody listens now."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _answers(running: EngineProcess, port: int) -> bool:
    """Wait until nginx, and no other, listens on the port; False where it has ended or cannot."""
    deadline = time.monotonic() + READY_WITHIN_S
    while time.monotonic() < deadline:
        if any(listener.port == port for listener in running.listeners()):
            return True
        if running.wait(timeout_ns=20_000_000) is not None:
            return False
    return False

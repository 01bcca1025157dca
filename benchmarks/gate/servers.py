"""
Who answers, and who stands between: an engine's part played by nginx, nginx as a plain reverse
proxy, and the gateway, each one process on loopback.

The engine's part is static: it says that it is well, and awake or what a file says; it streams
events at a pace of its own, whoever reads; and it answers what is no stream at once. So what is
measured through a gateway and not without it is the gateway's.
"""

import json
import os
import shutil
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from firstlight.core.errors import OutsideFailed
from firstlight.edges.engine_process import EngineProcess

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples" / "local"))
from origin import SBIN, free_port

_ECHO = Path("/usr/lib/nginx/modules/ngx_http_echo_module.so")
_PACKAGES = "nginx-light libnginx-mod-http-echo wrk gcc"
_COMMAND = str(Path(sys.executable).parent / "firstlight")
_READY_WITHIN_S = 20.0
_preferred = False
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_NS_PER_S = 1e9
_EVENT = (
    'data: {"id": "cmpl-0123456789abcdef", "object": "text_completion", "created": 1700000000, '
    '"model": "m", "choices": [{"index": 0, "text": " word", "logprobs": null, '
    '"finish_reason": null, "stop_reason": null, "token_ids": null}]}'
)
_BOTH = """\
{echo}
daemon off;
master_process off;
{user}
pid "{into}/nginx.pid";
error_log "{into}/nginx-error.log" crit;
events {{ worker_connections 8192; }}
http {{
  access_log off;
  log_format ended $msec;
  client_body_temp_path "{into}/nginx-temporary";
  proxy_temp_path "{into}/nginx-temporary";
  fastcgi_temp_path "{into}/nginx-temporary";
  uwsgi_temp_path "{into}/nginx-temporary";
  scgi_temp_path "{into}/nginx-temporary";
  client_body_buffer_size 1m;
  keepalive_requests 1000000000;
  {more}
}}
"""
_ENGINE = """\
  server {{
    listen 127.0.0.1:{port} backlog=4096;
    default_type application/json;
    location = /health {{ return 200 ""; }}
    location = /is_sleeping {{ alias "{into}/is_sleeping"; }}
    location = /v1/models {{ return 200 '{{"data":[{{"id":"m"}}]}}'; }}
    location = /v1/completions {{
      if ($http_accept = text/event-stream) {{ rewrite ^ /stream last; }}
      echo_read_request_body;
      echo '{{"choices":[{{"text":" word","token_ids":[7]}}]}}';
    }}
    location = /v1/embeddings {{
      echo_read_request_body;
      echo '{{"data":[{{"embedding":[1.0,2.0,3.0]}}]}}';
    }}
    location = /wake_up {{
      access_log "{into}/woken" ended;
      echo_sleep {wake_s};
      echo '{{}}';
    }}
    location = /stream {{
      internal;
      default_type text/event-stream;
      echo_read_request_body;
      {events}
    }}
  }}
"""
_PROXY = """\
  upstream engine {{
    server 127.0.0.1:{engine};
    keepalive 1024;
    keepalive_requests 1000000000;
  }}
  server {{
    listen 127.0.0.1:{port} backlog=4096;
    location / {{
      proxy_pass http://engine;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
    }}
  }}
"""


def tool(name: str) -> str:
    """The path of a program, also where users' PATH does not look."""
    found = shutil.which(name, path=os.pathsep.join((os.environ.get("PATH", ""), *SBIN)))
    if found is None:
        raise OutsideFailed(f"{name} is not there", remedy=f"install {_PACKAGES} (Debian)")
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """One that listens."""

    port: int
    pid: int
    into: Path

    @property
    def processor_s(self) -> float:
        """What it used of a processor since it began."""
        stat = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(stat[11]) + int(stat[12])) / _TICKS_PER_S

    @property
    def kept_waiting_s(self) -> float:
        """How long it could have gone on and others had the processors."""
        return int(Path(f"/proc/{self.pid}/schedstat").read_text().split()[1]) / _NS_PER_S

    @property
    def resident_bytes(self) -> int:
        """Of its memory."""
        pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    def says(self, path: str) -> str | None:
        """The body of a 200; None for anything else."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=5) as said:
                return str(said.read().decode())
        except (urllib.error.URLError, OSError):
            return None


@contextmanager
def engine(
    into: Path, *, per_s: float = 20, events: int = 60, asleep: bool = False, wake_s: float = 0
) -> Iterator[Server]:
    """
    What the gateway takes for an engine.

    Args:
        into: a folder of its own, which is made.
        per_s: events of a stream a second.
        events: of one stream, before its last one.
        asleep: whether it says that it sleeps; later it says what is in the file `is_sleeping`.
        wake_s: how long a wake-up takes.
    """
    if not _ECHO.is_file():
        raise OutsideFailed(f"{_ECHO} is not there", remedy=f"install {_PACKAGES} (Debian)")
    into.mkdir()
    say_asleep(into, asleep=asleep)
    event = _EVENT.replace('"', '\\"')
    lines = [f'echo_sleep {1 / per_s:.3f}; echo -n "{event}\\n\\n"; echo_flush;'] * events
    lines.append('echo -n "data: [DONE]\\n\\n";')
    port = free_port()
    more = _ENGINE.format(port=port, into=into, wake_s=wake_s, events="\n      ".join(lines))
    with _nginx(into, port, more, echo=f"load_module {_ECHO};") as server:
        yield server


def say_asleep(into: Path, *, asleep: bool) -> None:
    """Have the engine of this folder say so from now on."""
    new = into / "is_sleeping.new"
    new.write_text(json.dumps({"is_sleeping": asleep}))
    new.replace(into / "is_sleeping")


@contextmanager
def proxy(into: Path, before: Server) -> Iterator[Server]:
    """A plain reverse proxy: nginx that passes on, and nothing else."""
    into.mkdir()
    port = free_port()
    with _nginx(into, port, _PROXY.format(port=port, engine=before.port)) as server:
        yield server


@contextmanager
def gateway(into: Path, before: Server) -> Iterator[Server]:
    """The gateway, which knows where its engine is when this begins."""
    into.mkdir()
    port = free_port()
    words = ["gate", "--engine", f"http://127.0.0.1:{before.port}", "--idle-s", "0"]
    words += ["--listen", f"127.0.0.1:{port}", "--drain-delay-s", "0", "--drain-s", "1"]
    with _running([_COMMAND, *words], into, port) as server:
        _until(lambda: server.says("/readyz") is not None, "the gateway is not ready")
        yield server


@contextmanager
def _nginx(into: Path, port: int, more: str, echo: str = "") -> Iterator[Server]:
    configuration = into / "nginx.conf"
    user = "user root;" if os.geteuid() == 0 else ""
    configuration.write_text(_BOTH.format(into=into, user=user, more=more, echo=echo))
    command = [tool("nginx"), "-e", str(into / "nginx-error.log"), "-c", str(configuration)]
    with _running(command, into, port) as server:
        yield server


@contextmanager
def _running(command: list[str], into: Path, port: int) -> Iterator[Server]:
    process = EngineProcess.start(
        command=command,
        environment=dict(os.environ),
        log_path=str(into / "log"),
        unix_offset_ns=time.time_ns() - time.monotonic_ns(),
    )
    try:
        _until(
            lambda: any(one.port == port for one in process.listeners()), f"see {into}: no listener"
        )
        if _preferred:
            _prefer(process.pid)
        yield Server(port=port, pid=process.pid, into=into)
    finally:
        process.stop(grace_ns=5_000_000_000)


def prefer() -> None:
    """
    Have the kernel prefer us, and what is started from now on, to what others run.

    Raises:
        OutsideFailed: it will not.
    """
    global _preferred  # noqa: PLW0603 - of this process
    try:
        _prefer(os.getpid())
    except OSError as error:
        raise OutsideFailed(
            f"the kernel prefers nobody: {error.strerror}", remedy="be root, or leave out --prefer"
        ) from error
    _preferred = True


def _prefer(pid: int) -> None:
    # A session is scheduled as one; how nice a process in it is counts within it alone.
    Path(f"/proc/{pid}/autogroup").write_text("-19")


def _until(holds: Callable[[], bool], words: str) -> None:
    deadline = time.monotonic() + _READY_WITHIN_S
    while not holds():
        if time.monotonic() > deadline:
            raise OutsideFailed(words, remedy="see what the machine is busy with")
        time.sleep(0.05)

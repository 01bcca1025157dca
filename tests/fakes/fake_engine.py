"""
An engine that starts in milliseconds and misbehaves on demand.

A real process with a real HTTP server, speaking the routes and printing the lines
that vLLM does. Each option is a hazard that was seen with real engines: dying at
once or midway, listening elsewhere, never listening, saying nothing, ignoring
SIGTERM, leaving a grandchild behind in a session of its own, and so on.

Run as a script: fake_engine.py --port 8001 --marker unique-text [hazards].
"""

import argparse
import json
import os
import signal
import socket
import sys
import threading
import time
from contextlib import suppress

_STUBBORN = """
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("stubborn", flush=True)
time.sleep(60)
"""


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--marker", help="makes the process findable; no effect")
    parser.add_argument("--api-key", help="refuse /v1 without it")
    # When things happen, in seconds after the start.
    parser.add_argument("--listen-after", type=float, default=0.0)
    parser.add_argument("--health-after", type=float, default=0.0, help="503 until then")
    parser.add_argument("--slow-health", type=float, default=0.0, help="each answer takes so long")
    parser.add_argument("--slow-token", type=float, default=0.0, help="the token takes so long")
    # How it dies.
    parser.add_argument("--die-after", type=float)
    parser.add_argument("--code", type=int, default=1, help="exit code; negative for a signal")
    parser.add_argument("--die-on-request", action="store_true")
    parser.add_argument("--ignore-term", action="store_true")
    # Where it listens.
    parser.add_argument("--never-listen", action="store_true")
    parser.add_argument("--other-port", type=int, help="listen there, whatever --port says")
    # What it leaves behind.
    parser.add_argument("--orphan", action="store_true", help="a stubborn one, own session")
    parser.add_argument("--worker", action="store_true", help="a stubborn child, same session")
    parser.add_argument("--detach", action="store_true", help="serve from an orphan, end with 0")
    # What it prints.
    parser.add_argument("--silent", action="store_true")
    parser.add_argument("--no-address", action="store_true", help="do not say where it listens")
    parser.add_argument("--say", action="append", default=[])
    parser.add_argument("--huge-line", type=int, default=0, help="a line of so many bytes")
    parser.add_argument("--progress", action="store_true", help="a bar that redraws itself")
    parser.add_argument("--binary", action="store_true")
    # What it refuses.
    parser.add_argument("--no-completions", action="store_true")
    parser.add_argument("--no-chat", action="store_true")
    parser.add_argument("--no-models", action="store_true")
    parser.add_argument("--token-error", type=int, default=0, help="so many 500s first")
    return parser.parse_args()


class Engine:
    def __init__(self, given: argparse.Namespace) -> None:
        self.given = given
        self.born = time.monotonic()
        self.token_errors = given.token_error

    def age(self) -> float:
        return time.monotonic() - self.born

    def say(self, text: str) -> None:
        if not self.given.silent:
            sys.stdout.write(f"(APIServer pid={os.getpid()}) INFO 01-01 00:00:00 [x.py:1] {text}\n")
            sys.stdout.flush()

    def print_oddities(self) -> None:
        given = self.given
        for text in given.say:
            self.say(text)
        if given.huge_line:
            sys.stdout.write("x" * given.huge_line + "\n")
            sys.stdout.flush()
        if given.progress:
            for percent in (0, 50, 100):
                sys.stderr.write(f"\rLoading shards: {percent}%")
                sys.stderr.flush()
                time.sleep(0.03)
            sys.stderr.write("\n")
            sys.stderr.flush()
        if given.binary:
            sys.stdout.buffer.write(bytes(range(256)) + b"\n")
            sys.stdout.buffer.flush()

    def leave_orphan(self) -> None:
        """Fork twice, so that the grandchild has lost its parent, and take a new session."""
        child = os.fork()
        if child:
            os.waitpid(child, 0)
            return
        if not os.fork():
            os.setsid()
            self.be_stubborn()
        os._exit(0)

    def start_worker(self) -> None:
        if not os.fork():
            self.be_stubborn()

    def be_stubborn(self) -> None:
        command = [sys.executable, "-S", "-c", _STUBBORN, self.given.marker]
        os.execv(command[0], command)  # noqa: S606 - ours

    def detach(self) -> None:
        if os.fork():
            os._exit(0)
        os.setsid()

    def die_later(self) -> None:
        time.sleep(self.given.die_after)
        self.die()

    def die(self) -> None:
        code = self.given.code
        if code < 0:
            os.kill(os.getpid(), -code)
        os._exit(code)

    def run(self) -> None:
        given = self.given
        if given.ignore_term:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        else:
            signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
        self.say("vLLM server version 0.0.0, serving model fake")
        self.print_oddities()
        if given.orphan:
            self.leave_orphan()
        if given.worker:
            self.start_worker()
        if given.detach:
            self.detach()
        if given.die_after is not None:
            threading.Thread(target=self.die_later, daemon=True).start()
        if given.never_listen:
            time.sleep(60)
        time.sleep(given.listen_after)
        port = given.other_port or given.port
        with socket.create_server((given.host, port)) as server:
            if not given.no_address:
                self.say(f"Starting vLLM server on http://{given.host}:{port}")
            while True:
                wire, _ = server.accept()
                threading.Thread(target=Connection(self, wire).serve, daemon=True).start()


class Connection:
    """
    One request and its reply, by hand: http.server takes longer to import than
    everything else here takes to run.
    """

    def __init__(self, engine: Engine, wire: socket.socket) -> None:
        self.engine = engine
        self.given = engine.given
        self.wire = wire
        self.headers: dict[str, str] = {}

    def serve(self) -> None:
        with self.wire, suppress(OSError):
            read = self.wire.makefile("rb")
            asked = read.readline().decode().split()
            if not asked:
                return
            method, path, _ = asked
            for line in iter(read.readline, b"\r\n"):
                name, _, value = line.decode().partition(":")
                self.headers[name.lower()] = value.strip()
            body = read.read(int(self.headers.get("content-length", 0)))
            if method == "GET":
                self.get(path)
            else:
                self.post(path, json.loads(body))

    def reply(self, status: int, value: object) -> None:
        body = json.dumps(value).encode()
        head = f"HTTP/1.1 {status} x\r\nContent-Length: {len(body)}\r\n\r\n"
        self.wire.sendall(head.encode() + body)

    def allowed(self) -> bool:
        key = self.headers.get("authorization", "").removeprefix("Bearer ")
        if self.given.api_key in {None, key}:
            return True
        self.reply(401, {"error": "Unauthorized"})
        return False

    def get(self, path: str) -> None:
        if path == "/health":
            time.sleep(self.given.slow_health)
            ready = self.engine.age() >= self.given.health_after
            self.reply(200 if ready else 503, {})
        elif path == "/v1/models" and not self.given.no_models:
            if self.allowed():
                self.reply(200, {"data": [{"id": "fake-model"}]})
        else:
            self.reply(404, {"detail": "Not Found"})

    def post(self, path: str, asked: dict[str, object]) -> None:
        given = self.given
        chat = path == "/v1/chat/completions"
        if given.no_chat if chat else given.no_completions:
            self.reply(404, {"error": {"message": "no such route here"}})
        elif not self.allowed():
            pass
        elif self.engine.token_errors:
            self.engine.token_errors -= 1
            self.reply(500, {"error": {"message": "not yet"}})
        elif given.die_on_request:
            self.engine.die()
        else:
            self.stream(chat=chat, model=asked.get("model"))

    def stream(self, *, chat: bool, model: object) -> None:
        self.wire.sendall(b"HTTP/1.1 200 x\r\nContent-Type: text/event-stream\r\n\r\n")
        if chat:
            self.event({"choices": [{"delta": {"role": "assistant", "content": ""}}]})
        time.sleep(self.given.slow_token)
        choice = {"delta": {"content": "Hi"}} if chat else {"text": "Hi"}
        self.event({"model": model, "choices": [{**choice, "finish_reason": "length"}]})
        self.wire.sendall(b"data: [DONE]\n\n")

    def event(self, value: object) -> None:
        self.wire.sendall(b"data: " + json.dumps(value).encode() + b"\n\n")


if __name__ == "__main__":
    Engine(options()).run()

"""
A `vllm serve` that starts in a tenth of a second and prints what vLLM prints.

It keeps a compile cache below VLLM_CACHE_ROOT, and says whether it read or wrote it; weights
of `s3://` with the streamer come faster than those of a folder. What else it does is in its
environment, so that a plan can ask for it:

    FAKE_LOG        a file that gets a line for each start
    FAKE_UNHURRIED  a number that all lengths are multiplied by
    FAKE_DIES       a file: while it is there, the engine dies before it is ready
    FAKE_DIES_LATE  a file: while it is there, the engine dies at its second request
    FAKE_FIXED      `no` answers with other words in every start
    FAKE_ASKED      a file that is made at the second request, which is answered a second later

Run as a script: fake_vllm.py serve MODEL --port 8001
"""

import json
import os
import signal
import socket
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

SLOWER = float(os.environ.get("FAKE_UNHURRIED", "1"))
WEIGHTS_S = {"streamed": 0.01, "files": 0.03}
COMPILE_S, LOAD_S, WAKE_S = 0.04, 0.01, 0.02


def option(name: str, default: str = "") -> str:
    words = sys.argv
    return words[words.index(name) + 1] if name in words else default


def say(who: str, text: str) -> None:
    sys.stdout.write(f"({who} pid={os.getpid()}) INFO 11-01 09:00:00 [x.py:1] {text}\n")
    sys.stdout.flush()


def asked_to(name: str) -> bool:
    path = os.environ.get(name)
    return path is not None and Path(path).exists()


def weights(model: str) -> None:
    streamed = model.startswith("s3://") and option("--load-format") == "runai_streamer"
    length = WEIGHTS_S["streamed" if streamed else "files"] * SLOWER
    say("EngineCore", f"Starting to load model {model}...")
    time.sleep(length)
    if streamed:
        told = f"Overall time to stream 1.0 GiB of all files to cpu: {length}s, 1 GiB/s"
        sys.stdout.write(f"[RunAI Streamer] {told}\n")
    else:
        say("EngineCore", "Filesystem type for checkpoints: FUSE. Checkpoint size: 1.00 GiB.")
        say("EngineCore", f"Loading weights took {length:.2f} seconds")
    say("EngineCore", f"Model loading took 1.00 GiB memory and {length:.6f} seconds")


def compiled() -> None:
    root = Path(os.environ["VLLM_CACHE_ROOT"])
    file = root / "torch_compile_cache" / "torch_aot_compile" / "0a" / "rank_0_0" / "model"
    if file.exists():
        time.sleep(LOAD_S * SLOWER)
        say("EngineCore", f"[backbone] Directly load AOT compilation from path {file}")
    else:
        time.sleep(COMPILE_S * SLOWER)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("compiled")
        say("EngineCore", f"[backbone] saved AOT compiled function to {file}")
    say("EngineCore", "init engine (profile, create kv cache, warmup model) took 0.10 s")


class Server:
    def __init__(self, model: str) -> None:
        self.model = model
        self.requests = 0
        self.asleep = False

    def serve(self, wire: socket.socket) -> None:
        with wire, suppress(OSError):
            read = wire.makefile("rb")
            asked = read.readline().decode().split()
            if not asked:
                return
            length = 0
            for line in iter(read.readline, b"\r\n"):
                name, _, value = line.decode().partition(":")
                if name.lower() == "content-length":
                    length = int(value)
            body = read.read(length)
            if asked[1] == "/v1/models":
                self.reply(wire, {"data": [{"id": self.model}]})
            elif asked[1].startswith("/sleep") or asked[1] == "/wake_up":
                self.asleep = asked[1] != "/wake_up"
                what = "fall asleep" if self.asleep else "wake up tags ['weights', 'kv_cache']"
                time.sleep(WAKE_S)
                say("EngineCore", f"It took {WAKE_S:.6f} seconds to {what}.")
                self.reply(wire, {})
            elif asked[1] == "/is_sleeping":
                self.reply(wire, {"is_sleeping": self.asleep})
            elif asked[0] == "POST":
                self.answer(wire, json.loads(body))
            else:
                self.reply(wire, {})

    def reply(self, wire: socket.socket, value: object) -> None:
        body = json.dumps(value).encode()
        head = b"HTTP/1.1 200 x\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body)
        wire.sendall(head + body)

    def answer(self, wire: socket.socket, asked: dict[str, Any]) -> None:
        self.requests += 1
        if self.requests > 1 and asked_to("FAKE_DIES_LATE"):
            os._exit(9)
        if self.requests > 1 and (seen := os.environ.get("FAKE_ASKED")):
            Path(seen).touch()
            time.sleep(1)
        words = f"{asked['prompt']} and so on".split()
        if os.environ.get("FAKE_FIXED") == "no":
            words[0] = str(os.getpid())
        choices: list[dict[str, Any]] = [
            {"text": word + " ", "token_ids": [number, int.from_bytes(word.encode())]}
            for number, word in enumerate(words[: asked["max_tokens"]])
        ]
        if not asked["stream"]:
            ids = [one for choice in choices for one in choice["token_ids"]]
            self.reply(
                wire,
                {"choices": [{"text": "".join(one["text"] for one in choices), "token_ids": ids}]},
            )
            return
        wire.sendall(b"HTTP/1.1 200 x\r\nContent-Type: text/event-stream\r\n\r\n")
        for choice in choices:
            wire.sendall(b"data: " + json.dumps({"choices": [choice]}).encode() + b"\n\n")
        wire.sendall(b"data: [DONE]\n\n")


def main() -> None:
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    model = sys.argv[2]
    if log := os.environ.get("FAKE_LOG"):
        with Path(log).open("a") as out:
            out.write(f"{model}\n")
    say("APIServer", f"vLLM server version 0.32.0, serving model {model}")
    say("APIServer", f"non-default args: {{'model': '{model}'}}")
    say(
        "EngineCore",
        f"Initializing a V1 LLM engine (v0.32.0) with config: model='{model}', enforce_eager=False",
    )
    weights(model)
    if asked_to("FAKE_DIES"):
        say("EngineCore", "no more memory for me")
        os._exit(3)
    compiled()
    port = int(option("--port", "8000"))
    with socket.create_server(("127.0.0.1", port)) as listening:
        say("APIServer", f"Starting vLLM server on http://127.0.0.1:{port}")
        server = Server(model)
        while True:
            wire, _ = listening.accept()
            threading.Thread(target=server.serve, args=(wire,), daemon=True).start()


if __name__ == "__main__":
    main()

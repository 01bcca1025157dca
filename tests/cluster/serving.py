"""
A small server that starts like an engine, in a deployment as people have it.

It says what vLLM says while it comes up, takes some seconds for it, and answers a request
for one token. What is measured around it is real.
"""

import base64
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from onenode import Client

SCRIPT = Path(sys.executable).with_name("firstlight")
IMAGE = "localhost:5000/engine-base:1"
PORT = 8000

SERVER = """
import http.server, json, os, sys, time

def say(words):
    stamp = time.strftime("%m-%d %H:%M:%S")
    print(f"(APIServer pid=1) INFO {stamp} [api_server.py:1] {words}", flush=True)

class Answers(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer({"data": [{"id": "tiny"}]})

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != os.environ.get("ROUTE", "/v1/completions"):
            self.answer({"error": {"message": "no such route"}}, status=404)
        else:
            assert asked["model"] == "tiny" and asked["max_tokens"] == 1
            self.answer({"choices": [{"text": "x"}]})

    def answer(self, document, status=200):
        if os.environ.get("KEY") and self.path != "/health":
            status, document = 401, {"error": "Unauthorized"}
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass

say("vLLM API server version 0.26.0")
say("Starting to load model /m...")
time.sleep(float(os.environ.get("WEIGHTS_S", "2")))
say("Loading weights took 2.00 seconds")
time.sleep(1)
say("init engine (profile, create kv cache, warmup model) took 1.00 seconds")
if os.environ.get("DIES"):
    sys.exit(3)
server = http.server.ThreadingHTTPServer(("", 8000), Answers)
say("Application startup complete.")
server.serve_forever()
"""

# Its words are in the log alone, not in the pod's object too.
PACKED = f"import base64; exec(base64.b64decode('{base64.b64encode(SERVER.encode()).decode()}'))"


def deployment(name: str = "vllm", *, image: str = IMAGE, **environment: str) -> dict[str, Any]:
    """A deployment of one pod that serves after some seconds."""
    container = {
        "name": "vllm",
        "image": image,
        "command": ["python3", "-u", "-c", PACKED],
        "env": [{"name": key, "value": value} for key, value in environment.items()],
        "ports": [{"name": "http", "containerPort": PORT}],
        "readinessProbe": {"httpGet": {"path": "/health", "port": "http"}, "periodSeconds": 1},
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "labels": {"app": name}},
        "spec": {
            "replicas": 1,
            "strategy": {"type": "Recreate"},
            "selector": {"matchLabels": {"app": name}},
            "template": {
                "metadata": {"labels": {"app": name}},
                "spec": {"containers": [container], "terminationGracePeriodSeconds": 1},
            },
        },
    }


def apply(kubectl: Client, namespace: str, *objects: dict[str, Any]) -> None:
    """Apply objects into a namespace."""
    for one in objects:
        kubectl("-n", namespace, "apply", "-f", "-", input=json.dumps(one))


def ready(kubectl: Client, namespace: str, name: str = "vllm") -> None:
    """Wait until a deployment serves."""
    what = ("rollout", "status", f"deployment/{name}", "--timeout=120s")
    kubectl("-n", namespace, *what, timeout_s=130)


def measure(
    kubeconfig: Path, namespace: str, into: Path, *arguments: str
) -> subprocess.Popen[bytes]:
    """`firstlight measure`, running."""
    where = ("--kubeconfig", str(kubeconfig), "-n", namespace)
    return subprocess.Popen(
        [str(SCRIPT), "measure", *arguments, *where, "--into", str(into)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )

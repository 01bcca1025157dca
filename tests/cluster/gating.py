"""
An engine that sleeps, and the pod of it that the card `sleep-wake` makes.

The engine is a script of some lines that starts as `vllm serve` and carries what matters here: it
listens where its arguments say, streams a token at a time, keeps requests while it sleeps, and,
told to end, is gone in the middle of whatever it says. Everything around it is real: the kubelet,
its probes and its hooks, the image of firstlight and the gateway in it.
"""

import json
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from onenode import Client

from firstlight.manifests.applying import applied
from firstlight.manifests.drawing import draw
from firstlight.manifests.objects import Manifest, ObjectSet
from firstlight.wiring.cards import deck

IMAGE = "localhost:5000/engine-base:1"
PORT = 8000
NAME = "llm"
FOLDER = "/opt/engine"
GONE = "/tmp/core-is-gone"
TOKEN_S = 0.25

ENGINE = f"""#!/usr/bin/python3
import http.server, json, os, signal, sys, threading, time

def given(name, otherwise):
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else otherwise

awake = threading.Event()
awake.set()
going = set()

def end(*_):
    print("told to end with", len(going), "under way", flush=True)
    os._exit(143)

class Answers(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if self.path == "/health":
            self.send({{}}, status=503 if os.path.exists("{GONE}") else 200)
        elif self.path == "/is_sleeping":
            self.send({{"is_sleeping": not awake.is_set()}})
        elif self.path == "/v1/models":
            self.send({{"data": [{{"id": "tiny"}}]}})
        else:
            self.send({{}}, status=404)

    def do_POST(self):
        asked = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path.startswith("/sleep"):
            awake.clear()
            print("asleep", flush=True)
            self.send({{}})
        elif self.path.startswith("/wake_up"):
            awake.set()
            self.send({{}})
        elif self.path == "/v1/completions":
            awake.wait()
            self.complete(json.loads(asked))
        else:
            self.send({{}}, status=404)

    def complete(self, asked):
        if not asked.get("stream"):
            self.send({{"choices": [{{"text": "once upon a time"}}]}})
            return
        going.add(self)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for number in range(asked["max_tokens"]):
            self.chunk(json.dumps({{"choices": [{{"text": f" {{number}}"}}]}}))
            time.sleep({TOKEN_S})
        self.chunk("[DONE]")
        self.wfile.write(b"0\\r\\n\\r\\n")
        going.discard(self)

    def chunk(self, data):
        event = f"data: {{data}}\\n\\n".encode()
        self.wfile.write(b"%x\\r\\n%b\\r\\n" % (len(event), event))
        self.wfile.flush()

    def send(self, document, status=200):
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass

signal.signal(signal.SIGTERM, end)
time.sleep(1)
where = given("--host", ""), int(given("--port", "{PORT}"))
server = http.server.ThreadingHTTPServer(where, Answers)
print("listens on", where, flush=True)
server.serve_forever()
"""
CLIENT = """
import json, sys, urllib.error, urllib.request
url, tokens = sys.argv[1], int(sys.argv[2])
body = {"model": "tiny", "prompt": "Hello", "stream": tokens > 1, "max_tokens": tokens,
        "ignore_eos": True}
request = urllib.request.Request(
    url + "/v1/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
)
try:
    with urllib.request.urlopen(request, timeout=60) as answer:
        for line in answer:
            if line.strip():
                print(line.decode().strip(), flush=True)
except urllib.error.HTTPError as error:
    print(error.code, error.read().decode(), flush=True)
"""


def plain() -> list[dict[str, Any]]:
    """The Deployment as its owner has it, with probes of his own, and the engine's script."""
    probe = {"httpGet": {"path": "/health", "port": PORT}, "periodSeconds": 1}
    container = {
        "name": "vllm",
        "image": IMAGE,
        "command": [f"{FOLDER}/vllm", "serve"],
        "args": ["tiny"],
        "ports": [{"name": "http", "containerPort": PORT}],
        "startupProbe": probe | {"failureThreshold": 60},
        "readinessProbe": probe,
        "livenessProbe": probe | {"failureThreshold": 3},
        "volumeMounts": [{"name": "engine", "mountPath": FOLDER}],
    }
    labels = {"app": NAME}
    volume = {"name": "engine", "configMap": {"name": "engine", "defaultMode": 0o755}}
    spec = {"enableServiceLinks": False, "containers": [container], "volumes": [volume]}
    return [
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "engine"},
            "data": {"vllm": ENGINE},
        },
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": NAME, "labels": labels},
            "spec": {
                "replicas": 1,
                "strategy": {"type": "Recreate"},
                "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": spec},
            },
        },
    ]


def behind_a_gateway(
    objects: list[dict[str, Any]], image: str, **given: str
) -> list[dict[str, Any]]:
    """The same with the card `sleep-wake` drawn on them."""
    whole = ObjectSet(manifests=tuple(Manifest(value=one) for one in objects))
    card = deck().card("sleep-wake")
    change = draw(card, whole, deck=deck(), given={"firstlight_image": image, **given})
    return [manifest.value for manifest in applied(change, whole)]


def container_of(objects: list[dict[str, Any]], name: str) -> dict[str, Any]:
    """A container of the Deployment."""
    (deployment,) = (one for one in objects if one["kind"] == "Deployment")
    containers = deployment["spec"]["template"]["spec"]["containers"]
    found: dict[str, Any] = next(one for one in containers if one["name"] == name)
    return found


def client_pod(name: str = "client") -> dict[str, Any]:
    """A pod from which clients ask: the machine has no way to a pod's address."""
    container = {"name": "client", "image": IMAGE, "command": ["sleep", "3600"]}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {"terminationGracePeriodSeconds": 0, "containers": [container]},
    }


@dataclass(kw_only=True)
class Served:
    """Such a Deployment in a namespace, and whoever asks it."""

    kubectl: Client
    namespace: str
    _started: list[subprocess.Popen[str]] = field(default_factory=list)

    def pod(self) -> dict[str, Any]:
        """The one pod that is not leaving."""
        pods = self.kubectl.get("-n", self.namespace, "pods", "-l", f"app={NAME}")["items"]
        (found,) = (one for one in pods if "deletionTimestamp" not in one["metadata"])
        pod: dict[str, Any] = found
        return pod

    def is_there(self, name: str) -> bool:
        """Whether a pod is, even if it is leaving."""
        where = ("-n", self.namespace, "get", "pod", name, "--ignore-not-found", "-o", "name")
        return bool(self.kubectl(*where).strip())

    def ready(self, within_s: int = 90) -> dict[str, Any]:
        """The pod when all of it is Ready."""
        how = ("rollout", "status", f"deployment/{NAME}", f"--timeout={within_s}s")
        self.kubectl("-n", self.namespace, *how, timeout_s=within_s + 10)
        return self.pod()

    def asking(self, pod: Mapping[str, Any], tokens: int) -> "subprocess.Popen[str]":
        """A request through the gateway, under way; it prints each line as it comes."""
        url = f"http://{pod['status']['podIP']}:{PORT}"
        command = ("exec", "client", "--", "python3", "-u", "-c", CLIENT, url, str(tokens))
        return self._kubectl(*command)

    def asked(self, pod: Mapping[str, Any]) -> str:
        """A request through the gateway, to its end."""
        return rest_of(self.asking(pod, 1)).strip()

    def following(self, pod: str, container: str) -> "subprocess.Popen[str]":
        """The log of a container, beyond its end."""
        return self._kubectl("logs", "--follow", pod, "-c", container)

    def exec(self, pod: str, container: str, *command: str) -> str:
        return self.kubectl("-n", self.namespace, "exec", pod, "-c", container, "--", *command)

    def _kubectl(self, *words: str) -> "subprocess.Popen[str]":
        where = ("--kubeconfig", str(self.kubectl.kubeconfig), "-n", self.namespace)
        started = subprocess.Popen(
            [str(self.kubectl.binary), *where, *words], stdout=subprocess.PIPE, text=True
        )
        self._started.append(started)
        return started

    def close(self) -> None:
        """End what is still asking."""
        for one in self._started:
            one.kill()
            one.communicate()


@contextmanager
def served(
    kubectl: Client, namespace: str, objects: list[dict[str, Any]], *, within_s: int = 90
) -> Iterator[Served]:
    """The objects in a namespace, Ready, and a pod of clients beside them."""
    for one in (*objects, client_pod()):
        kubectl("-n", namespace, "apply", "-f", "-", input=json.dumps(one))
    wait = ("wait", "--for=condition=Ready", "pod/client", "--timeout=90s")
    kubectl("-n", namespace, *wait, timeout_s=100)
    here = Served(kubectl=kubectl, namespace=namespace)
    here.ready(within_s)
    try:
        yield here
    finally:
        here.close()


def rest_of(asking: "subprocess.Popen[str]") -> str:
    """What it has yet to print, to its end; `communicate` would lose what was read ahead."""
    assert asking.stdout is not None
    rest = asking.stdout.read()
    asking.wait(10)
    return rest


def statuses(pod: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """How each container of a pod is, by name."""
    return {one["name"]: one for one in pod["status"]["containerStatuses"]}

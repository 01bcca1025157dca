"""
A fake `vllm` in a Deployment, and plans for it.

The engine is the one of the tests on this host, mounted into a pod; what is around it is real.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from onenode import Cluster

from tests.cli.console import SCRIPT
from tests.cluster.serving import IMAGE
from tests.experiment.lab import timeless

_FAKE = Path(__file__).parents[1] / "experiment" / "fake_vllm.py"
_IN_A_POD = {
    # It is asked from outside of its pod, by a client that would use a connection twice.
    '("127.0.0.1", port)': '("0.0.0.0", port)',
    "HTTP/1.1 200 x": "HTTP/1.1 200 x\\r\\nConnection: close",
    # The kubelet's clock is a real one.
    "INFO 11-01 09:00:00": "INFO {time.strftime('%m-%d %H:%M:%S')}",
}
CACHE = {"technique": "compile-cache-local"}
PLACEBO = {"change": "placebo", "kubernetes": {"environment": {"NOBODY_READS": "1"}}}


@dataclass(frozen=True, slots=True, kw_only=True)
class PodLab:
    """A folder, a namespace, and an engine for its pods."""

    home: Path
    namespace: str
    cluster: Cluster

    @property
    def run(self) -> Path:
        return self.home / "run"

    def engine(self) -> None:
        """Put the engine where the node finds it."""
        text = _FAKE.read_text()
        for here, there in _IN_A_POD.items():
            assert here in text
            text = text.replace(here, there)
        script = self.home / "bin" / "vllm"
        script.parent.mkdir()
        script.write_text(f"#!/usr/bin/python3 -SB\n{text}")
        script.chmod(0o755)

    def objects(self, **environment: str) -> Path:
        """The base's objects in a file beside the plan."""
        given = {"VLLM_CACHE_ROOT": "/root/.cache/vllm", "FAKE_UNHURRIED": "10", **environment}
        container = {
            "name": "vllm",
            "image": IMAGE,
            "command": ["/opt/fake/vllm", "serve", "tiny", "--port", "8000"],
            "env": [{"name": name, "value": value} for name, value in given.items()],
            "ports": [{"name": "http", "containerPort": 8000}],
            "readinessProbe": {"httpGet": {"path": "/health", "port": "http"}, "periodSeconds": 1},
            "volumeMounts": [{"name": "fake", "mountPath": "/opt/fake"}],
        }
        spec = {
            "containers": [container],
            "terminationGracePeriodSeconds": 1,
            "volumes": [{"name": "fake", "hostPath": {"path": str(self.home / "bin")}}],
        }
        deployment = {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "vllm", "labels": {"app": "vllm"}},
            "spec": {
                "selector": {"matchLabels": {"app": "vllm"}},
                "template": {"metadata": {"labels": {"app": "vllm"}}, "spec": spec},
            },
        }
        path = self.home / "base.yaml"
        path.write_text(json.dumps(deployment))
        return path

    def plan(self, *steps: Mapping[str, Any], **fields: Any) -> Path:
        """A plan in a file; JSON is YAML too."""
        whole = {
            "schema": "firstlight.plan/1",
            "name": "a plan for a cluster",
            "base": {"kubernetes": {"objects": "base.yaml"}},
            "given": {"cache_host_path": str(self.home / "cache")} if CACHE in steps else {},
            "steps": list(steps),
            "rounds": 1,
            "serving": {"prompts": ["hello you"], "tokens": 3},
            "timeout_s": 60,
            **fields,
        }
        path = self.home / "plan.yaml"
        path.write_text(json.dumps(whole, indent=1))
        return path

    def begun(self, *words: str | Path, kubeconfig: Path | None = None) -> subprocess.Popen[str]:
        """`firstlight experiment` on the cluster, running."""
        where = kubeconfig or self.cluster.kubeconfig
        return subprocess.Popen(
            [SCRIPT, "experiment", *words, "--kubeconfig", where, "-n", self.namespace],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "TERM": "dumb"},
        )

    def say(
        self, *words: str | Path, kubeconfig: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """The same to its end."""
        running = self.begun(*words, kubeconfig=kubeconfig)
        out, err = running.communicate(timeout=170)
        assert "Traceback" not in err, err
        return subprocess.CompletedProcess(words, running.returncode, out, err)

    def report(self, run: Path | None = None) -> dict[str, Any]:
        """The document of a run, from its folder alone."""
        done = subprocess.run(
            [SCRIPT, "experiment", "report", run or self.run, "--output", "json"],
            capture_output=True,
            text=True,
            check=True,
            env={"PATH": os.environ["PATH"], "HOME": "/nowhere"},
            timeout=60,
        )
        document: dict[str, Any] = json.loads(done.stdout)
        return document

    def report_from_elsewhere(self) -> dict[str, Any]:
        """The same from a copy of the folder with nothing beside it, its place told alike."""
        moved = shutil.copytree(self.run, self.home / "elsewhere" / "run")
        text = json.dumps(self.report(moved)).replace(str(moved), str(self.run))
        document: dict[str, Any] = json.loads(text)
        return document

    def ledger(self) -> list[dict[str, Any]]:
        """Its lines without anything that is a time."""
        return timeless(self.run / "ledger.jsonl")

    def slots(self) -> Sequence[tuple[str, str]]:
        """Which rounds there were, and how they ended."""
        return [(line["slot"], line["outcome"]) for line in self.ledger()[1:] if "outcome" in line]

    def deployment(self) -> dict[str, Any]:
        """As it stands."""
        found: dict[str, Any] = self.cluster.kubectl.get("-n", self.namespace, "deployment", "vllm")
        return found

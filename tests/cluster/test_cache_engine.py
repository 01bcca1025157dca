"""
A cache that one pod of the real vLLM filled is hit by another, which was given it from a bucket.

The first pod has an empty volume, and beside the engine a container of firstlight's image that
publishes what is in it after one request. Then the pod goes, and its volume with it. The second has
an initContainer that takes the cache. That it is hit is said by the probe's counters, and by the
files of the volume: after the start they are what they were before it.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from onenode import Client, OneNode, deployment, engine_pod

from firstlight.core.cache_places import under_one
from firstlight.core.signs import RESTORED, RESTORES_CACHE
from firstlight.probe.environment import SITE
from tests.cluster import caching
from tests.cluster.caching import Bucket

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.engine,
    pytest.mark.slow,
    pytest.mark.timeout(1200),
]
NAME = "vllm"
RECORDS = "/firstlight/records"
SCRIPT = Path(sys.executable).with_name("firstlight")


@dataclass(frozen=True, kw_only=True)
class Serving:
    """Where the engine of these tests runs."""

    kubeconfig: Path
    kubectl: Client
    namespace: str
    engine: Path
    engine_image: str
    image: str
    bucket: Bucket
    runs: Path

    def workload(
        self, *beside: dict[str, Any], before: tuple[dict[str, Any], ...] = ()
    ) -> dict[str, Any]:
        """A Deployment of the engine that has no pod yet."""
        packages = f"{self.engine}/venv/lib/python3.11/site-packages"
        spec = engine_pod(
            self.engine,
            image=self.engine_image,
            environment={
                "PYTHONPATH": f"/firstlight/probe:{packages}",
                "FIRSTLIGHT_PROBE_DIR": RECORDS,
                "VLLM_USE_AOT_COMPILE": "0",
                **under_one(caching.CACHE),
            },
            volumes=[
                {"name": "probe", "hostPath": {"path": str(SITE)}},
                {"name": "records", "emptyDir": {}},
                *caching.volumes(),
            ],
            mounts=[
                {"name": "probe", "mountPath": "/firstlight/probe", "readOnly": True},
                {"name": "records", "mountPath": RECORDS},
                {"name": "cache", "mountPath": "/cache"},
            ],
            probe_period_s=2,
        )
        spec["containers"] = [*spec["containers"], *beside]
        made = deployment(NAME, {**spec, "initContainers": before}, namespace=self.namespace)
        return {**made, "spec": {**made["spec"], "replicas": 0}}

    def started(self, workload: dict[str, Any], label: str) -> dict[str, Any]:
        """Its start, as `measure` saw it; the pod stays."""
        self.kubectl.apply(workload)
        where = ("--kubeconfig", str(self.kubeconfig), "-n", self.namespace)
        what = ("measure", f"deployment/{NAME}", "--follow", "--probe-from", RECORDS)
        kept = ("--into", str(self.runs), "--label", label, "--output", "json")
        with subprocess.Popen(
            [SCRIPT, *what, *where, *kept],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={k: v for k, v in os.environ.items() if k != "KUBECONFIG"},
        ) as follows:
            # It has to watch before there is anything to see.
            assert follows.stderr is not None
            follows.stderr.readline()
            time.sleep(2)
            self.kubectl("scale", f"deployment/{NAME}", "-n", self.namespace, "--replicas=1")
            out, complaints = follows.communicate(timeout=600)
        assert 0 == follows.returncode, complaints.decode()
        (start,) = json.loads(out)["starts"]
        found: dict[str, Any] = start
        return found

    def pod(self) -> str:
        return caching.only_pod(self.kubectl, self.namespace, f"app={NAME}")

    def gone(self) -> None:
        """The engine, its pod and its volume."""
        self.kubectl("delete", f"deployment/{NAME}", "-n", self.namespace)
        what = ("wait", "--for=delete", "pod", "-l", f"app={NAME}", "--timeout=60s")
        self.kubectl.run(*what, "-n", self.namespace, timeout_s=70)


@pytest.fixture(scope="module")
def serving(
    node: OneNode, engine_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Serving]:
    """A namespace with the images, the bucket, the keys."""
    engine_image = node.push_prepared("engine-base")
    image = caching.firstlight_image(node, tmp_path_factory.mktemp("image"))
    at = caching.bucket(node, "engine")
    with node.namespace("engine-caches") as namespace:
        node.kubectl.apply(*caching.secrets(namespace))
        yield Serving(
            kubeconfig=node.kubeconfig,
            kubectl=node.kubectl,
            namespace=namespace,
            engine=engine_folder,
            engine_image=engine_image,
            image=image,
            bucket=at,
            runs=tmp_path_factory.mktemp("runs"),
        )


def factors_of(workload: dict[str, Any], folder: Path) -> str:
    """What its cache must be for, from its objects alone."""
    file = folder / "workload.json"
    file.write_text(json.dumps(workload))
    command = [str(SCRIPT), "cache", "key", "--of", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout


def test_another_pod_hits_it(serving: Serving, tmp_path: Path) -> None:
    """Filled, published, gone; taken by an initContainer with no rights, and hit."""
    kubectl, namespace = serving.kubectl, serving.namespace
    idle = caching.publisher(serving.image, serving.bucket, command=["sleep"], args=["infinity"])
    first = serving.workload(idle)
    kubectl.apply(caching.factors_map(namespace, factors_of(first, tmp_path)))
    filled = serving.started(first, "filled")
    push = ("firstlight", *caching.push_words(serving.bucket))
    pushed = caching.exec_in(kubectl, namespace, serving.pod(), "publisher", *push)
    serving.gone()

    taken = caching.puller(serving.image, serving.bucket, security=caching.LOCKED)
    second = serving.workload(before=(taken, caching.lister()))
    restored = serving.started(second, "restored")
    pod = serving.pod()
    before = caching.listing(caching.said(kubectl, namespace, pod, "listing"))
    shell = ("sh", "-c", caching.LISTED)
    after = caching.listing(caching.exec_in(kubectl, namespace, pod, "engine", *shell))
    ending = caching.end_of(kubectl.get("pod", pod, "-n", namespace), RESTORES_CACHE)

    assert "published the cache" in pushed
    assert "miss" == filled["compile_cache"]["verdict"]
    assert ending["message"].startswith(RESTORED)
    assert ("hit", "probe") == (
        restored["compile_cache"]["verdict"],
        restored["compile_cache"]["proof"],
    )
    assert ("applied", "cache-restored") == proved(restored, "compile-cache-published")
    assert len(before) > 10
    assert before == after
    assert seconds(restored, "engine_init") < seconds(filled, "engine_init")
    serving.gone()


def proved(start: dict[str, Any], technique: str) -> tuple[str, str]:
    """What a start says of a technique."""
    (one,) = (t for t in start["techniques"] if t["technique"] == technique)
    return one["state"], one["says"]


def seconds(start: dict[str, Any], name: str) -> float:
    """How long a phase took."""
    found: float = sum(p["seconds"] for p in start["phases"] if p["name"] == name)
    return found

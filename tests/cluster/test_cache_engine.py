"""
A cache that a Job published is hit by pods of the same Deployment, all as `render` wrote them.

The Deployment is somebody's own: a real vLLM, with a bucket's address and keys in its environment.
`render` puts the technique on it, and makes the Job from it, which starts the engine once, asks it
once and publishes. The pods then have an empty volume and an initContainer that takes the cache.
That it is hit is said by the probe's counters, and by the files of the volume: after the start they
are what they were before it. How long a hit takes with a cache that nobody carried anywhere is seen
by starting the container again, on the volume as it is.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from onenode import Client, OneNode, deployment, engine_pod

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
WITHIN = 1.15


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
    folder: Path

    def own(self) -> dict[str, Any]:
        """Somebody's Deployment, that says nothing of caches and has no pod yet."""
        packages = f"{self.engine}/venv/lib/python3.11/site-packages"
        spec = engine_pod(
            self.engine,
            image=self.engine_image,
            environment={
                "PYTHONPATH": f"/firstlight/probe:{packages}",
                "FIRSTLIGHT_PROBE_DIR": RECORDS,
                "VLLM_USE_AOT_COMPILE": "0",
            },
            volumes=[
                {"name": "probe", "hostPath": {"path": str(SITE)}},
                {"name": "records", "emptyDir": {}},
            ],
            mounts=[
                {"name": "probe", "mountPath": "/firstlight/probe", "readOnly": True},
                {"name": "records", "mountPath": RECORDS},
            ],
            probe_period_s=2,
        )
        spec["containers"][0]["env"] += self.bucket.environment()
        made = deployment(NAME, spec, namespace=self.namespace)
        return {**made, "spec": {**made["spec"], "replicas": 0}}

    def rendered(self, *words: str) -> list[dict[str, Any]]:
        """Objects as `render` prints them for the Deployment with the published cache."""
        file = self.folder / "own.json"
        file.write_text(json.dumps(self.own()))
        given = {
            "cache_uri": self.bucket.url,
            "firstlight_image": self.image,
            "trusted_key": caching.TRUST,
        }
        sets = [word for name, value in given.items() for word in ("--set", f"{name}={value}")]
        technique = ("--technique", "compile-cache-published")
        command = [str(SCRIPT), "render", str(file), *technique, *sets, *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert 0 == done.returncode, done.stderr
        return list(yaml.safe_load_all(done.stdout))

    def measured(self, label: str, make: Callable[[], Any]) -> dict[str, Any]:
        """The start that something brings about, as `measure` saw it; the pod stays."""
        where = ("--kubeconfig", str(self.kubeconfig), "-n", self.namespace)
        what = ("measure", f"deployment/{NAME}", "--follow", "--probe-from", RECORDS)
        kept = ("--into", str(self.folder / "runs"), "--label", label, "--output", "json")
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
            make()
            out, complaints = follows.communicate(timeout=600)
        assert 0 == follows.returncode, complaints.decode()
        (start,) = json.loads(out)["starts"]
        found: dict[str, Any] = start
        return found

    def explained(self, *logs: str) -> dict[str, Any]:
        """The start that a container's log tells."""
        text = self.kubectl("logs", "-n", self.namespace, *logs)
        command = [str(SCRIPT), "explain", "-", "--output", "json"]
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
        (start,) = json.loads(done.stdout)["starts"]
        found: dict[str, Any] = start
        return found

    def pod(self) -> str:
        return caching.only_pod(self.kubectl, self.namespace, f"app={NAME}")

    def status(self) -> dict[str, Any]:
        found: dict[str, Any] = self.kubectl.get("pod", self.pod(), "-n", self.namespace)
        return found

    def in_engine(self, *command: str) -> str:
        return caching.exec_in(self.kubectl, self.namespace, self.pod(), "engine", *command)

    def again(self) -> None:
        """The engine's container once more, on the same volumes."""
        self.in_engine("sh", "-c", "kill -TERM 1")
        deadline = time.monotonic() + 300
        while True:
            engine = self.status()["status"]["containerStatuses"][0]
            if engine["restartCount"] and engine["ready"]:
                return
            assert time.monotonic() < deadline, engine
            time.sleep(0.5)


@pytest.fixture(scope="module")
def serving(
    node: OneNode, engine_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Serving]:
    """A namespace with the images, the bucket, the keys."""
    engine_image = node.push_prepared("engine-base")
    image = caching.firstlight_image(node, tmp_path_factory.mktemp("image"))
    at = caching.bucket(node, "engine")
    with node.namespace("engine-caches") as namespace:
        publishing = caching.publishing_secret(namespace, f"{NAME}-cache-publisher")
        node.kubectl.apply(*caching.secrets(namespace), publishing)
        yield Serving(
            kubeconfig=node.kubeconfig,
            kubectl=node.kubectl,
            namespace=namespace,
            engine=engine_folder,
            engine_image=engine_image,
            image=image,
            bucket=at,
            folder=tmp_path_factory.mktemp("serving"),
        )


def test_pods_hit_what_the_job_published(serving: Serving) -> None:
    """As fast as with a cache that was never away, in a pod that began with an empty volume."""
    kubectl, namespace = serving.kubectl, serving.namespace
    account, made = serving.rendered("--publishing-job")
    kubectl.apply(account, made)
    job = f"job/{made['metadata']['name']}"
    kubectl(
        "wait", "--for=condition=complete", job, "-n", namespace, "--timeout=600s", timeout_s=610
    )
    filled = serving.explained(job, "-c", "engine")
    pushed = kubectl("logs", job, "-n", namespace, "-c", "publish-compile-cache")
    kubectl("delete", job, "-n", namespace)

    (workload,) = serving.rendered("--output", "objects")
    pod = workload["spec"]["template"]["spec"]
    (mount,) = pod["initContainers"][0]["volumeMounts"]
    place = mount["mountPath"]
    pod["initContainers"].append(caching.lister(volume=mount["name"], at=place))
    kubectl.apply(workload)
    replicas = ("scale", f"deployment/{NAME}", "-n", namespace, "--replicas=1")
    restored = serving.measured("restored", lambda: kubectl(*replicas))
    status = serving.status()
    before = caching.listing(caching.said(kubectl, namespace, serving.pod(), "listing"))
    after = caching.listing(serving.in_engine("sh", "-c", caching.listed(place)))
    serving.again()
    kept = serving.explained(serving.pod(), "-c", "engine")
    restart = ("rollout", "restart", f"deployment/{NAME}", "-n", namespace)
    once_more = serving.measured("once-more", lambda: kubectl(*restart))

    assert "published the cache" in pushed
    assert caching.end_of(status, RESTORES_CACHE)["message"].startswith(RESTORED)
    for start in (restored, once_more):
        proven = start["compile_cache"]["verdict"], start["compile_cache"]["proof"]
        assert ("hit", "probe") == proven
        assert ("applied", "cache-restored") == proved(start, "compile-cache-published")
    assert len(before) > 10
    assert before == after
    fastest = min(seconds(one, "engine_init") for one in (restored, once_more))
    assert fastest <= WITHIN * seconds(kept, "engine_init")
    assert fastest < 0.7 * seconds(filled, "engine_init")


def proved(start: dict[str, Any], technique: str) -> tuple[str, str]:
    """What a start says of a technique."""
    (one,) = (t for t in start["techniques"] if t["technique"] == technique)
    return one["state"], one["says"]


def seconds(start: dict[str, Any], name: str) -> float:
    """How long a phase took."""
    found: float = sum(p["seconds"] for p in start["phases"] if p["name"] == name)
    return found

"""The Job that publishes: made from the workload, and its shell's part in it."""

import json
import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from firstlight.core.errors import BadInput
from firstlight.manifests.expected_factors import EXPECTED
from firstlight.manifests.objects import ObjectSet
from firstlight.manifests.publishing_job import SHARED, needed_first, publishing_job
from firstlight.manifests.workload import find_workload
from tests.manifests.shapes import deployment, objects
from tests.manifests.test_expected_factors import ENGINE, PUBLISHED, drawn

CACHES = "/var/cache/firstlight/engine"


def published(engine: dict[str, Any] | None = None, **pod: Any) -> ObjectSet:
    """A Deployment whose pods pull a cache."""
    return drawn(
        "compile-cache-published", objects(deployment(ENGINE | (engine or {}), **pod)), **PUBLISHED
    )


def made(on: ObjectSet) -> dict[str, Any]:
    """The Job."""
    account, job = publishing_job(find_workload(on), on)
    assert ("ServiceAccount", "ns") == (account.identity.kind, account.identity.namespace)
    found: dict[str, Any] = job.value
    return found


def pod_of(on: ObjectSet) -> dict[str, Any]:
    """The spec of its pods."""
    found: dict[str, Any] = made(on)["spec"]["template"]["spec"]
    return found


def containers(on: ObjectSet) -> tuple[dict[str, Any], dict[str, Any]]:
    """Engine and publisher."""
    engine, publisher = pod_of(on)["containers"]
    return engine, publisher


def test_the_engine_is_started_as_its_pods_start_it() -> None:
    """Image, words and variables are what the key is made of."""
    on = published({"resources": {"limits": {"nvidia.com/gpu": 1}}})
    theirs = find_workload(on).container

    engine, _ = containers(on)

    assert [*theirs["command"], *theirs["args"]] == engine["args"][2:]
    assert ["sh", "-c"] == engine["command"]
    for field in ("image", "env", "resources"):
        assert theirs[field] == engine[field]


def test_it_publishes_for_those_who_pull() -> None:
    """One place, one folder, one expectation, on both sides."""
    on = published()
    workload = find_workload(on)
    pull = workload.pod["initContainers"][0]
    expected = on.manifests[0].value["spec"]["template"]["metadata"]["annotations"][EXPECTED]

    _, publisher = containers(on)

    words = publisher["args"]
    assert ["cache", "push", CACHES] == words[:3]
    assert PUBLISHED["cache_uri"] == words[words.index("--to") + 1]
    assert pull["image"] == publisher["image"]
    template = made(on)["spec"]["template"]
    assert json.loads(expected) == json.loads(template["metadata"]["annotations"][EXPECTED])
    assert pull["env"][0] == publisher["env"][0]


def test_it_writes_nowhere_but_where_it_may() -> None:
    """Its root may be read-only, as the engine's is; the archive needs a place."""
    on = published({"securityContext": {"readOnlyRootFilesystem": True, "runAsUser": 7}})

    _, publisher = containers(on)

    assert {"readOnlyRootFilesystem": True, "runAsUser": 7} == publisher["securityContext"]
    assert {"name": "TMPDIR", "value": SHARED} in publisher["env"]
    assert {"name": "firstlight-publishing", "mountPath": SHARED} in publisher["volumeMounts"]


def test_only_what_this_start_made_is_published() -> None:
    """Its caches lie on an empty folder at the same path, which the publisher only reads."""
    pod = pod_of(published())
    engine, publisher = pod["containers"]

    assert {"name": "firstlight-caches", "emptyDir": {}} in pod["volumes"]
    assert {"name": "firstlight-caches", "mountPath": CACHES} in engine["volumeMounts"]
    mine = {"name": "firstlight-caches", "mountPath": CACHES, "readOnly": True}
    assert mine in publisher["volumeMounts"]
    assert "initContainers" not in pod


def test_nobody_sends_it_requests_or_ends_it() -> None:
    """No label of the workload's, no probe, no container that never ends."""
    value = deployment(ENGINE | {"livenessProbe": {"httpGet": {"port": 8000}}})
    value["spec"]["template"]["metadata"] = {"labels": {"app": "llm"}}
    value["spec"]["template"]["spec"]["containers"].append({"name": "proxy", "image": "p"})
    job = made(drawn("compile-cache-published", objects(value), **PUBLISHED))

    template = job["spec"]["template"]
    assert {"app.kubernetes.io/name": "llm-publish-cache"} == template["metadata"]["labels"]
    assert ["vllm", "publish-compile-cache"] == [c["name"] for c in template["spec"]["containers"]]
    assert "livenessProbe" not in template["spec"]["containers"][0]
    assert ("Never", 0) == (template["spec"]["restartPolicy"], job["spec"]["backoffLimit"])


def test_another_engine_is_another_job() -> None:
    """A Job cannot be changed; the same again is the same name, whoever renders it."""
    one, same, other = published(), published(), published({"args": ["s3://acme/m", "--x=1"]})

    names = [made(on)["metadata"]["name"] for on in (one, same, other)]
    assert names[0] == names[1] != names[2]
    long = deployment(ENGINE)
    long["metadata"]["name"] = "x" * 63
    job = made(drawn("compile-cache-published", objects(long), **PUBLISHED))
    assert len(job["metadata"]["name"]) <= 63


def test_it_asks_no_other_engine_of_the_node() -> None:
    """On the node's network 127.0.0.1 is everybody's."""
    on = published(hostNetwork=True)

    assert "hostNetwork" not in pod_of(on)


def test_a_namespace_with_a_quota_admits_it() -> None:
    """Every container that is ours says what it takes, and no more than it may."""
    on = published()
    pull = find_workload(on).pod["initContainers"][0]
    _, publisher = containers(on)

    for container in (pull, publisher):
        asked = container["resources"]
        assert {"cpu", "memory"} == set(asked["limits"])
        assert asked["requests"] == asked["limits"]


def test_it_is_somebody_else() -> None:
    """Who may write is not who serves: its own account, keys from its own Secret alone."""
    key = {"name": "AWS_SECRET_ACCESS_KEY", "value": "reads"}
    place = {"name": "AWS_ENDPOINT_URL", "value": "http://minio:9000"}
    on = published({"env": [*ENGINE["env"], key, place]}, serviceAccountName="llm")

    pod = pod_of(on)
    publisher = pod["containers"][1]

    assert "llm-cache-publisher" == pod["serviceAccountName"]
    assert [{"secretRef": {"name": "llm-cache-publisher"}}] == publisher["envFrom"]
    assert place in publisher["env"]
    assert key not in publisher["env"]
    assert (
        "llm-cache-publisher -n ns --from-file=FIRSTLIGHT_CACHE_KEY="
        in needed_first(find_workload(on))[0]
    )


@pytest.mark.parametrize(
    ("more", "address"),
    [
        ([], "http://127.0.0.1:8000"),
        (["--port", "8001", "--host=0.0.0.0"], "http://127.0.0.1:8001"),
        (["--host", "10.0.0.7"], "http://10.0.0.7:8000"),
        (["--ssl-certfile=/c"], "https://127.0.0.1:8000"),
        (["--host", "::"], "http://127.0.0.1:8000"),
        (["--host", "::1"], "http://[::1]:8000"),
        (["--port", "$(PORT)"], "http://127.0.0.1:9000"),
    ],
)
def test_the_engine_is_asked_where_it_listens(more: list[str], address: str) -> None:
    """As its arguments say."""
    env = [*ENGINE["env"], {"name": "PORT", "value": "9000"}]
    on = published({"args": ["s3://acme/m", *more], "env": env})

    words = containers(on)[1]["args"]

    assert address == words[words.index("--served-by") + 1]


@pytest.mark.parametrize(
    ("engine", "why"),
    [
        ({"command": None}, "has no command"),
        ({"args": ["m", "--api-key", "x"]}, "given its API key with --api-key"),
        ({"args": ["m", "--uds=/s"]}, "listens on a socket with --uds"),
        ({"args": ["m", "--port=$(NOT_KNOWN)"]}, "the engine's port is"),
    ],
)
def test_what_cannot_be_started_or_asked_is_refused(engine: dict[str, Any], why: str) -> None:
    """With where it stands."""
    on = published(engine)

    with pytest.raises(BadInput, match=why):
        publishing_job(find_workload(on), on)


def test_a_volume_of_a_template_is_refused() -> None:
    """The API server would refuse the Job, with another sentence."""
    on = published()
    pod = on.manifests[0].value["spec"]["template"]["spec"]
    pod["containers"][0]["volumeMounts"].append({"name": "data", "mountPath": "/data"})

    with pytest.raises(BadInput, match=r"the volume data is none of the pod's own"):
        publishing_job(find_workload(on), on)


def test_a_workload_that_pulls_nothing_is_refused() -> None:
    """The technique that makes it pull is named."""
    on = objects(deployment(ENGINE))

    with pytest.raises(BadInput, match="pull no published cache") as refused:
        publishing_job(find_workload(on), on)
    assert "compile-cache-published" in str(refused.value.remedy)


class Shell:
    """The engine's container: the Job's own script around a command, in a folder of its own."""

    def __init__(self, shared: Path, *command: str, patience: str = "sleep 20") -> None:
        script = containers(published())[0]["args"][0].replace(SHARED, str(shared))
        assert "sleep 20" in script
        script = script.replace("sleep 20", patience)
        self.shared = shared
        self.process = subprocess.Popen(
            ["/bin/sh", "-c", script, "sh", *command], start_new_session=True
        )

    def ends(self) -> int:
        """Its exit code; all that it started goes with it, as in a container."""
        code = self.process.wait(8)
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        return code


@pytest.mark.timeout(15)
@pytest.mark.parametrize(("told", "code"), [("published", 0), ("not-published", 1)])
def test_the_engine_ends_when_the_publisher_says_how_it_went(
    tmp_path: Path, told: str, code: int
) -> None:
    """By a signal that it can answer; the Job's pod succeeds only with a published cache."""
    mark = tmp_path / "ended-well"
    shared = tmp_path / "shared"
    shared.mkdir()
    engine = f"trap 'touch {mark}; exit 0' TERM; touch {tmp_path}/up; while :; do sleep 0.1; done"
    shell = Shell(shared, "sh", "-c", engine)
    while not (tmp_path / "up").exists():
        time.sleep(0.02)

    (shared / told).touch()

    assert code == shell.ends()
    assert mark.exists()
    assert not (shared / "engine-ended").exists()


@pytest.mark.timeout(15)
def test_an_engine_that_ignores_the_signal_is_ended(tmp_path: Path) -> None:
    """It would hold its card until the Job's time is up."""
    engine = f"trap '' TERM; touch {tmp_path}/up; while :; do sleep 0.1; done"
    shell = Shell(tmp_path, "sh", "-c", engine, patience="sleep 1")
    while not (tmp_path / "up").exists():
        time.sleep(0.02)

    (tmp_path / "published").touch()

    assert 0 == shell.ends()


@pytest.mark.timeout(15)
def test_an_engine_that_ends_by_itself_is_told(tmp_path: Path) -> None:
    """Nobody waits for a server that will never answer, and the pod has failed."""
    shell = Shell(tmp_path, "sh", "-c", "exit 0")

    assert 1 == shell.ends()
    assert (tmp_path / "engine-ended").exists()


@pytest.mark.timeout(15)
def test_a_container_that_is_ended_ends_the_engine(tmp_path: Path) -> None:
    """The Job was deleted, or its time is up."""
    mark = tmp_path / "ended-well"
    engine = f"trap 'touch {mark}; exit 0' TERM; touch {tmp_path}/up; while :; do sleep 0.1; done"
    shell = Shell(tmp_path, "sh", "-c", engine)
    while not (tmp_path / "up").exists():
        time.sleep(0.02)

    shell.process.terminate()

    deadline = time.monotonic() + 5
    while not mark.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert mark.exists()
    assert 1 == shell.ends()

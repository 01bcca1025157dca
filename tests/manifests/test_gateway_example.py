"""examples/kubernetes/gateway: objects that servers take, of which no rule has anything to say."""

import http.server
import shutil
import subprocess
import threading
from pathlib import Path
from typing import Any

import kubernetes_validate  # type: ignore[import-untyped]
import pytest
import yaml
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from firstlight.cli.gate import command
from firstlight.lint.scene import Stated
from firstlight.wiring.cards import deck
from tests.lint.judging import judged

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "kubernetes" / "gateway"
FILES = sorted(FOLDER.glob("*.yaml"))
VERSIONS = ("1.33", "1.34", "1.35", "1.36")
_COUNT = {"type": "integer", "minimum": 0}
_TEXT = {"type": "string", "minLength": 1}


def _map(required: list[str], **properties: Any) -> dict[str, Any]:
    closed = {"type": "object", "additionalProperties": False}
    return closed | {"required": required, "properties": properties}


SCALED_OBJECT = _map(
    ["apiVersion", "kind", "metadata", "spec"],
    apiVersion={"const": "keda.sh/v1alpha1"},
    kind={"const": "ScaledObject"},
    metadata=_map(["name"], name=_TEXT),
    spec=_map(
        ["scaleTargetRef", "triggers"],
        scaleTargetRef=_map(["name"], name=_TEXT, kind=_TEXT, apiVersion=_TEXT),
        pollingInterval=_COUNT,
        cooldownPeriod=_COUNT,
        minReplicaCount=_COUNT,
        maxReplicaCount=_COUNT,
        triggers={
            "type": "array",
            "minItems": 1,
            "items": _map(
                ["type", "metadata"],
                type={"const": "prometheus"},
                metadata=_map(
                    ["serverAddress", "query", "threshold"],
                    serverAddress=_TEXT,
                    query=_TEXT,
                    threshold={"type": "string", "pattern": r"^[0-9]+(\.[0-9]+)?$"},
                    activationThreshold=_TEXT,
                ),
            ),
        },
    ),
)
"""Names as in kedacore/keda, apis/keda/v1alpha1/scaledobject_types.go at commit
01ee1d30b296b6cd0347641d5084962f4081b6e0, and pkg/scalers/prometheus_scaler.go. Closed: a field
that is not here is a mistake of ours."""


def objects() -> dict[str, dict[str, Any]]:
    """Every object, by its kind: there is one of each."""
    read = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in FILES]
    return {one["kind"]: one for one in read if one["kind"] != "Kustomization"}


def pod(kind: str) -> dict[str, Any]:
    spec = objects()[kind]["spec"]
    spec = spec["jobTemplate"]["spec"] if kind == "CronJob" else spec
    found: dict[str, Any] = spec["template"]["spec"]
    return found


def complaints(value: dict[str, Any]) -> list[str]:
    return [error.message for error in Draft202012Validator(SCALED_OBJECT).iter_errors(value)]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_server_takes_every_object(version: str) -> None:
    """Strictly: a field that the version does not know fails."""
    known = {kind: one for kind, one in objects().items() if kind != "ScaledObject"}

    assert {"CronJob", "Deployment", "NetworkPolicy", "Service"} == set(known)
    for one in known.values():
        kubernetes_validate.validate(one, version, strict=True)


def test_keda_takes_the_scaled_object() -> None:
    """And what it would not take is seen."""
    good = objects()["ScaledObject"]

    assert [] == complaints(good)
    assert complaints(good | {"spec": good["spec"] | {"minReplicas": 1}})


def test_no_rule_has_anything_to_say() -> None:
    """People copy it."""
    text = "\n---\n".join(p.read_text() for p in FILES if p.name != "kustomization.yaml")

    linted = judged(text, stated=Stated(model_bytes=33_500_000_000))

    assert [] == [(one.code, one.what) for one in linted.findings]
    assert () == linted.not_judged


def test_the_folder_holds_what_is_applied_together() -> None:
    """The rest is for whoever wants it."""
    named = yaml.safe_load((FOLDER / "kustomization.yaml").read_text())["resources"]

    assert {"deployment.yaml", "network-policy.yaml", "service.yaml"} == set(named)


def words_of_gateways() -> dict[str, list[str]]:
    operations = deck().card("sleep-wake").change.kubernetes.operations
    (drawn,) = (one.container for one in operations if hasattr(one, "container"))
    values = {
        "${inner_port}": "8001",
        "${engine_port}": "8000",
        "${idle_s}": "9",
        "${drain_s}": "9",
    }
    card = [str(word) for word in drawn["args"]]
    for name, value in values.items():
        card = [word.replace(name, value) for word in card]
    example = next(c for c in pod("Deployment")["containers"] if c["name"] == "gateway")
    return {"card": card, "example": example["args"]}


@pytest.mark.parametrize("whose", ["card", "example"])
def test_the_command_knows_what_the_gateway_is_told(whose: str) -> None:
    """Read by the command itself, which then is not run."""
    name, *words = words_of_gateways()[whose]

    told = command.make_context(name, words).params

    assert "gate" == name
    assert "http://127.0.0.1:8001" == told["engine"]
    assert (None, 8000) == told["listen"]
    assert told["state_file"] is not None
    assert (told["admin_token_file"] is not None) == (whose == "example")


def test_the_objects_are_of_one_another() -> None:
    """Labels, names and secrets, which no schema holds together."""
    made = objects()
    labels = made["Deployment"]["spec"]["template"]["metadata"]["labels"]
    job = made["CronJob"]["spec"]["jobTemplate"]["spec"]["template"]
    lets_in = made["NetworkPolicy"]["spec"]["ingress"][0]["from"][0]["podSelector"]["matchLabels"]
    secrets = {
        volume["secret"]["secretName"]
        for kind in ("Deployment", "CronJob")
        for volume in pod(kind)["volumes"]
        if "secret" in volume
    }

    assert labels == made["Service"]["spec"]["selector"]
    assert labels == made["NetworkPolicy"]["spec"]["podSelector"]["matchLabels"]
    assert lets_in == job["metadata"]["labels"]
    assert {"llm-gate"} == secrets
    assert (
        made["Deployment"]["metadata"]["name"]
        == (made["ScaledObject"]["spec"]["scaleTargetRef"]["name"])
    )
    assert f"http://{made['Service']['metadata']['name']}/-/sleep" in job_script()


def job_script() -> str:
    script: str = pod("CronJob")["containers"][0]["args"][0]
    return script


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not there")
@pytest.mark.parametrize(("status", "ends"), [(202, 0), (409, 22), (401, 22)])
def test_the_job_orders_a_sleep_with_its_token(tmp_path: Path, status: int, ends: int) -> None:
    """Its own script; an order that is not taken up is a failure of the Job."""
    asked: list[tuple[str, str | None]] = []

    class Gateway(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append((self.path, self.headers["Authorization"]))
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    (tmp_path / "token").write_text("of-the-night\n")
    with http.server.HTTPServer(("127.0.0.1", 0), Gateway) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        script = job_script().replace("/etc/gate/token", str(tmp_path / "token"))
        script = script.replace("http://llm/", f"http://127.0.0.1:{server.server_port}/")
        done = subprocess.run(["/bin/sh", "-c", script], capture_output=True, check=False)
        server.shutdown()

    assert [("/-/sleep", "Bearer of-the-night")] == asked
    assert ends == done.returncode

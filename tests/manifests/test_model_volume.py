"""What the model was read from, taken away, unless anything may still read it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.core.errors import BadInput
from firstlight.manifests.path_mentions import mentions
from tests.manifests.operating import change_of, done
from tests.manifests.shapes import deployment, objects

STREAM = [{"do": "set-model", "value": "s3://b/m"}, {"do": "remove-model-volume"}]
CLAIM: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "PersistentVolumeClaim",
    "metadata": {"name": "c", "namespace": "ns"},
    "spec": {"volumeName": "pv"},
}
VOLUME: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "PersistentVolume",
    "metadata": {"name": "pv"},
    "spec": {"csi": {"driver": "s3.csi.aws.com"}},
}
CLAIMED = {"name": "v", "persistentVolumeClaim": {"claimName": "c"}}
READING: dict[str, Any] = {
    "args": ["/models/m"],
    "volumeMounts": [{"name": "v", "mountPath": "/models"}],
}


def test_what_the_model_was_read_from_goes_with_all_that_is_behind_it() -> None:
    """Mount, volume, claim and PersistentVolume."""
    after = done(objects(deployment(READING, volumes=[CLAIMED]), CLAIM, VOLUME), *STREAM)

    assert ["Deployment"] == [m.identity.kind for m in after]
    assert "volumes" not in after.manifests[0].value["spec"]["template"]["spec"]


def test_a_claim_that_others_use_stays() -> None:
    """The workload's own volume goes all the same."""
    other = deployment({"name": "o", "image": "other", "args": []}, volumes=[CLAIMED])
    other["metadata"] = {"name": "other", "namespace": "ns"}
    after = done(objects(deployment(READING, volumes=[CLAIMED]), CLAIM, VOLUME, other), *STREAM)

    assert ["Deployment", "PersistentVolumeClaim", "PersistentVolume", "Deployment"] == [
        m.identity.kind for m in after
    ]
    assert "volumes" not in after.manifests[0].value["spec"]["template"]["spec"]


@pytest.mark.parametrize(
    "behind",
    [
        [],
        [CLAIM],
        [CLAIM, VOLUME | {"spec": {"csi": {"driver": "ebs.csi.aws.com"}}}],
        [CLAIM, VOLUME | {"spec": {"nfs": {"server": "x"}}}],
        [CLAIM | {"spec": {}}, VOLUME],
    ],
)
def test_a_claim_that_may_hold_the_only_copy_stays(behind: list[dict[str, Any]]) -> None:
    """A bucket keeps what is in it; a disk may go with its claim."""
    on = objects(deployment(READING, volumes=[CLAIMED]), *behind)

    change = change_of(on, *STREAM)

    assert () == change.removed
    assert "the claim c stays, with all that is in it" in change.assumptions[-1]
    assert "volumes" not in done(on, *STREAM).manifests[0].value["spec"]["template"]["spec"]


SCRIPT = "until [ -d /models/m ]; do :; done; vllm serve /models/m"
EXTRA = {"command": ["sh", "-c", "vllm serve /models/m $EXTRA"]}
CONFIG = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "f", "namespace": "ns"},
    "data": {"c.yaml": "tokenizer: /models/tok\n"},
}


def given_as(*words: str) -> dict[str, Any]:
    return {"args": ["/models/m", *words]}


def variable(name: str, value: str) -> dict[str, Any]:
    return {"env": [{"name": name, "value": value}]}


@pytest.mark.parametrize(
    ("container", "user"),
    [
        (given_as("--tokenizer", "/models/t"), "--tokenizer"),
        (given_as("--tokenizer=/models/t"), "--tokenizer"),
        (given_as("--lora-modules", "sql=/models/lora"), "--lora-modules"),
        (given_as("--lora-modules", '{"name": "a", "path": "/models/l"}'), "--lora-modules"),
        (given_as("--lora-modules", r'{"path": "\/models\/l"}'), "--lora-modules"),
        (given_as("--speculative-config", '{"model":"/models/d"}'), "--speculative-config"),
        (given_as("--speculative-config.model", "/models/d"), "--speculative-config.model"),
        (given_as("--chat-template", "$(T)") | variable("T", "/models/t"), "--chat-template"),
        (given_as("--chat-template", "$(UNKNOWN)"), "--chat-template"),
        (given_as("--chat-template", "file:///models/t"), "--chat-template"),
        (given_as("--chat-template", "//models//t"), "--chat-template"),
        (given_as("--chat-template", "models/t") | {"workingDir": "/"}, "--chat-template"),
        (given_as("--config", "/etc/c.yaml"), "the file /etc/c.yaml, of which nothing is known"),
        (variable("HF_HOME", "/models"), "the variable HF_HOME"),
        (variable("X", '{"p": "/models/x"}'), "the variable X"),
        (variable("X", "/a:/models/x"), "the variable X"),
        ({"envFrom": [{"configMapRef": {"name": "gone"}}]}, "the ConfigMap gone"),
        ({"command": ["sh", "-c", SCRIPT]}, "the script"),
        ({"command": ["sh", "-c", "cd /models; vllm serve /models/m"]}, "the script"),
        ({"command": ["sh", "-c", 'check "$WHERE"; vllm serve /models/m']}, "the script"),
        (
            {"command": ["sh", "-c", "M=/models/m; ls $M; vllm serve $M"]},
            "the script",
        ),
        (EXTRA | variable("EXTRA", "--chat-template /models/t"), "$EXTRA"),
        (EXTRA, "$EXTRA, of which nothing is known"),
        ({"startupProbe": {"exec": {"command": ["test", "-f", "/models/ok"]}}}, "startupProbe of"),
        ({"lifecycle": {"postStart": {"exec": {"command": ["ls", "/models"]}}}}, "lifecycle of"),
    ],
)
def test_a_volume_that_is_read_for_more_stays_and_that_is_said(
    container: dict[str, Any], user: str
) -> None:
    """Wherever the path is written, and wherever it may be; with whoever reads it."""
    reading = {k: v for k, v in READING.items() if k != "args" or "command" not in container}
    on = objects(deployment(reading | container, volumes=[CLAIMED]), CLAIM, VOLUME)

    change = change_of(on, *STREAM)

    assert () == change.removed
    assert any(f"the volume v stays, because {user}" in said for said in change.assumptions)


@pytest.mark.parametrize(
    "container",
    [
        {},
        given_as("--served-model-name", "/models/m", "--port", "$(P)"),
        given_as("--tokenizer", "s3://bucket/models/t", "--chat-template", "/other/models/t"),
        variable("X", "/models2:/x/models"),
        {"image": "registry.example/models/vllm-openai:1"},
        {"command": ["sh", "-c", "M=/models/m; vllm serve $M || echo $?"]},
        {"command": ["sh", "-c", "vllm serve $M"]} | variable("M", "/models/m"),
        {"command": ["sh", "-c", "vllm serve /models/m $EXTRA"]} | variable("EXTRA", "--seed 1"),
    ],
)
def test_a_volume_that_nobody_speaks_of_goes(container: dict[str, Any]) -> None:
    """The model's own name, and other paths, are no mention."""
    reading = {k: v for k, v in READING.items() if k != "args" or "command" not in container}
    on = objects(deployment(reading | container, volumes=[CLAIMED]), CLAIM, VOLUME)

    assert 2 == len(change_of(on, *STREAM).removed)


def test_a_file_of_arguments_that_names_the_path_keeps_the_volume() -> None:
    """It is among the objects, so it is read."""
    mounts = [*READING["volumeMounts"], {"name": "f", "mountPath": "/etc"}]
    container = given_as("--config", "/etc/c.yaml") | {"volumeMounts": mounts}
    volumes = [CLAIMED, {"name": "f", "configMap": {"name": "f"}}]

    change = change_of(objects(deployment(container, volumes=volumes), CLAIM, CONFIG), *STREAM)

    assert () == change.removed
    assert any("because the file /etc/c.yaml (ConfigMap/f)" in one for one in change.assumptions)


def test_another_container_that_mounts_it_keeps_it() -> None:
    """It may only fetch the model; whoever runs it knows."""
    get = [{"name": "get", "volumeMounts": READING["volumeMounts"]}]
    on = objects(deployment(READING, volumes=[CLAIMED], initContainers=get), CLAIM)

    assert any("the container get mounts it" in one for one in change_of(on, *STREAM).assumptions)


@given(
    st.sampled_from(["/models", "/models/m", "models"]),
    st.text("a/= :,{}\"'", max_size=5),
    st.text("/ :,}\"'", max_size=5),
)
def test_a_path_is_found_whatever_stands_around_it(path: str, before: str, behind: str) -> None:
    """But where a letter or a slash in front makes another one of it, and in an address."""
    address = "://" in before or (behind.startswith("://") and not path.startswith("/"))
    expected = not before.endswith(("a", "/")) and not address

    assert expected <= mentions(f"{before}{path}{behind}", path)


def test_a_model_in_a_template_of_claims_is_refused() -> None:
    """A StatefulSet's templates cannot be changed."""
    value = deployment(READING)
    value["kind"] = "StatefulSet"
    value["spec"]["volumeClaimTemplates"] = [{"metadata": {"name": "v"}}]

    with pytest.raises(BadInput, match="volumeClaimTemplates"):
        change_of(objects(value), *STREAM)

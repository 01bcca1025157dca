"""Objects without what nobody else may read."""

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.capture.given_away import LAST_APPLIED
from firstlight.capture.redaction import Redaction
from tests.capture.planted import HF, PASSWORD, TEXTS


def pod(**container: Any) -> dict[str, Any]:
    """A pod with one container."""
    return {
        "kind": "Pod",
        "metadata": {"name": "vllm-0", "uid": "u"},
        "spec": {"containers": [{"name": "server", "image": "vllm:1", **container}]},
    }


def redacted(object_: dict[str, Any]) -> tuple[dict[str, Any], Redaction]:
    redaction = Redaction()
    redaction.learn([object_])
    return redaction.cleaned(object_, file="pods.json"), redaction


def test_variables_lose_their_values_but_for_those_that_explain_a_start() -> None:
    """VLLM_API_KEY has the name of both."""
    clean, redaction = redacted(
        pod(
            env=[
                {"name": "VLLM_LOGGING_LEVEL", "value": "DEBUG"},
                {"name": "VLLM_API_KEY", "value": PASSWORD},
                {"name": "SOMETHING_OF_OURS", "value": "harmless"},
                {"name": "HF_TOKEN", "valueFrom": {"secretKeyRef": {"name": "hub", "key": "t"}}},
            ]
        )
    )

    assert [
        {"name": "VLLM_LOGGING_LEVEL", "value": "DEBUG"},
        {"name": "VLLM_API_KEY", "value": "***"},
        {"name": "SOMETHING_OF_OURS", "value": "***"},
        {"name": "HF_TOKEN", "valueFrom": {"secretKeyRef": {"name": "hub", "key": "t"}}},
    ] == clean["spec"]["containers"][0]["env"]
    assert {
        ("environment value", "pods.json: spec.containers[server].env[VLLM_API_KEY]"),
        ("environment value", "pods.json: spec.containers[server].env[SOMETHING_OF_OURS]"),
    } == set(redaction.removed)


def test_a_key_that_begins_in_the_command_and_ends_in_the_arguments() -> None:
    """The two lists are one command line; references to variables are no secrets."""
    clean, _ = redacted(
        pod(command=["vllm", "serve", "--api-key"], args=[PASSWORD, "--hf-token", "$(HF_TOKEN)"])
    )

    container = clean["spec"]["containers"][0]
    assert ["vllm", "serve", "--api-key"] == container["command"]
    assert ["***", "--hf-token", "$(HF_TOKEN)"] == container["args"]


def test_the_copy_that_kubectl_apply_leaves_goes() -> None:
    """It holds all of the environment again; other annotations are searched."""
    object_ = pod(env=[])
    object_["metadata"]["annotations"] = {
        LAST_APPLIED: json.dumps(pod(env=[{"name": "HF_TOKEN", "value": "older-token-value"}])),
        "example.com/note": f"ask for {HF}",
        "example.com/api-key": "shortish",
    }

    clean, redaction = redacted(object_)

    assert {"example.com/note": "ask for ***", "example.com/api-key": "***"} == clean["metadata"][
        "annotations"
    ]
    assert "older-token-value" in redaction.known.values


def test_headers_of_probes_lose_their_values() -> None:
    """A server with a key is probed with the key."""
    probe = {
        "httpGet": {"path": "/", "httpHeaders": [{"name": "Authorization", "value": PASSWORD}]}
    }

    clean, _ = redacted(pod(readinessProbe=probe))

    cleaned = clean["spec"]["containers"][0]["readinessProbe"]["httpGet"]["httpHeaders"]
    assert [{"name": "Authorization", "value": "***"}] == cleaned


def test_who_wrote_when_stays_and_which_fields_goes() -> None:
    """The times bound the clocks; the rest is noise, and names every variable."""
    object_ = pod()
    object_["metadata"]["managedFields"] = [
        {"manager": "kubelet", "operation": "Update", "time": "T", "fieldsV1": {"f:env": {}}}
    ]

    clean, _ = redacted(object_)

    assert [{"manager": "kubelet", "operation": "Update", "time": "T"}] == clean["metadata"][
        "managedFields"
    ]


def test_names_are_never_touched() -> None:
    """Objects point at each other by them, even if one looks like a key."""
    name = "sk-vllm-deployment-7b9d6c4f8-abcde"

    clean, redaction = redacted({"metadata": {"name": name}, "spec": {"nodeName": name}})

    assert {"metadata": {"name": name}, "spec": {"nodeName": name}} == clean
    assert not redaction.removed


def test_what_a_spec_gives_away_is_looked_for_everywhere() -> None:
    """An event quotes what a variable holds."""
    redaction = Redaction()
    redaction.learn([pod(env=[{"name": "HF_TOKEN", "value": "plum-pudding"}])])

    clean = redaction.cleaned({"message": "401 for plum-pudding"}, file="events.json")

    assert {"message": "401 for ***"} == clean
    assert [
        {"kind": "known secret", "where": "events.json: message", "times": 1}
    ] == redaction.as_json()


def test_what_was_removed_is_told_without_its_value() -> None:
    """By kind and place, in a form that can be shown."""
    _, redaction = redacted(pod(env=[{"name": "VLLM_API_KEY", "value": PASSWORD}]))

    assert PASSWORD not in json.dumps(redaction.as_json())


@pytest.mark.parametrize(
    "fields",
    [
        {"csi": {"driver": "d", "volumeAttributes": {"password": PASSWORD}}},
        {"csi": {"driver": "d", "volumeAttributes": {"secretAccessKey": PASSWORD}}},
        {"csi": {"driver": "d", "volumeAttributes": {"clientSecret": PASSWORD}}},
        {"csi": {"driver": "d", "volumeAttributes": {"accountKey": PASSWORD}}},
        {"flexVolume": {"driver": "d", "options": {"password": PASSWORD}}},
        {"labels": {"token": PASSWORD}},
        {"labels": {"example.com/api-key": PASSWORD}},
        {"apiKeys": [PASSWORD, {"value": PASSWORD}]},
        {"credentials": {"user": "somebody", "word": [PASSWORD]}},
        {"options": [{"name": "adminKey", "value": PASSWORD}]},
        {"image": f"https://u:{PASSWORD}@reg/x"},
        {"reason": f"token={PASSWORD}"},
        {"containerID": f"api_key={PASSWORD}"},
    ],
)
def test_a_field_that_says_secret_loses_its_value(fields: dict[str, Any]) -> None:
    """Whoever thought of it, and wherever else the value stands."""
    redaction = Redaction()
    redaction.learn([fields])

    assert PASSWORD not in repr(redaction.cleaned(fields, file="pods.json"))
    assert "no: ***" == redaction.text(f"no: {PASSWORD}", where="x")


def test_references_to_secrets_stay() -> None:
    """They say where a secret is, not what it is."""
    fields = {
        "volumes": [
            {"name": "a", "secret": {"secretName": "hub", "items": [{"key": "k", "path": "p"}]}},
            {"name": "b", "csi": {"nodePublishSecretRef": {"name": "hub"}}},
            {"name": "c", "csi": {"volumeAttributes": {"secretProviderClass": "vault-of-ours"}}},
        ],
        "imagePullSecrets": [{"name": "registry"}],
        "automountServiceAccountToken": True,
        "affinity": {"topologyKey": "kubernetes.io/hostname", "matchLabelKeys": ["app"]},
        "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "value": "present"}],
        "imageID": "docker-pullable://vllm@sha256:" + "0a" * 32,
        "creationTimestamp": "2026-11-29T20:00:00Z",
    }

    assert (fields, Counter()) == ((done := redacted(fields))[0], done[1].removed)


@pytest.mark.parametrize(
    "name",
    [
        *("VLLM_MY_KEY", "VLLM_ADMIN_KEY", "NCCL_MY_KEY", "RAY_SIGNING_KEY", "CUDA_PASSPHRASES"),
        *("PYTHON_KEYS", "VLLM_API_KEY_2", "RAY_REDIS_PW", "HF_HUB_ACCESSTOKEN"),
    ],
)
def test_a_variable_with_an_explaining_prefix_may_be_secret(name: str) -> None:
    """A prefix says whose it is, not what it is."""
    clean, _ = redacted(pod(env=[{"name": name, "value": "abc-def"}]))

    assert [{"name": name, "value": "***"}] == clean["spec"]["containers"][0]["env"]


@pytest.mark.parametrize(
    "name", ["VLLM_CACHE_KEY", "VLLM_ENABLE_PREGRAD_PASSES", "NCCL_DEBUG", "MODEL_NAME"]
)
def test_a_variable_that_explains_a_start_stays(name: str) -> None:
    """And is not looked for elsewhere."""
    object_ = pod(env=[{"name": name, "value": "some-value"}], args=["--model", "some-value"])

    assert object_ == redacted(object_)[0]


def test_every_value_that_went_is_looked_for() -> None:
    """Whatever it looks like, and in the fields that objects point at each other by."""
    redaction = Redaction()
    redaction.learn(
        [
            pod(
                env=[{"name": "REDIS_PW", "value": "hunter2hunter2"}],
                readinessProbe={"httpGet": {"httpHeaders": [{"name": "X", "value": "opaque-1"}]}},
            ),
            pod(env=[{"name": "OF_OURS", "value": 'say "plum"&more'}]),
        ]
    )

    clean = redaction.cleaned(
        {
            "message": 'hunter2hunter2, opaque-1, {"a": "say \\"plum\\"&more"}',
            "url": "http://h/?q=say%20%22plum%22%26more",
            "spec": {"nodeName": "hunter2hunter2"},
            "reason": "hunter2hunter2",
        },
        file="pods.json",
    )

    assert {
        "message": '***, ***, {"a": "***"}',
        "url": "http://h/?q=***",
        "spec": {"nodeName": "***"},
        "reason": "***",
    } == clean


def test_a_value_that_would_take_the_sense_out_of_a_log_goes_next_to_its_name_only() -> None:
    """Short ones, words that the engine prints anyway, and what the pod is called."""
    redaction = Redaction()
    redaction.learn(
        [
            pod(
                env=[
                    {"name": "REALM", "value": "abc"},
                    {"name": "TIER", "value": "default"},
                    {"name": "WHO", "value": "vllm-0"},
                ]
            )
        ]
    )

    assert "alphabet abc, non-default args, REALM=***, 'TIER': '***', vllm-0, WHO=***" == (
        redaction.text(
            "alphabet abc, non-default args, REALM=abc, 'TIER': 'default', vllm-0, WHO=vllm-0",
            where="x",
        )
    )


def test_moments_are_never_touched() -> None:
    """A variable may hold a day; numbers inside longer numbers are something else."""
    redaction = Redaction()
    redaction.learn(
        [pod(env=[{"name": "DAY", "value": "2026-11-29"}, {"name": "N", "value": "000000"}])]
    )

    moments = {"startTime": "2026-11-29T20:00:00.000000000Z", "a": "0.0000001 s"}

    assert moments == redaction.cleaned(moments, file="x")


def test_a_secret_that_two_arguments_of_a_command_tell() -> None:
    """`-u` is a secret of curl, and a number of everybody else."""
    clean, redaction = redacted(
        pod(
            command=["curl", "-u", f"me:{PASSWORD}", "https://h"],
            args=["--from-literal", f"a={PASSWORD}2"],
        )
    )

    assert PASSWORD not in repr(clean)
    assert PASSWORD in redaction.known.values


texts = st.sampled_from([text for text, _ in TEXTS.values()])
shapes = st.recursive(
    st.one_of(texts, st.integers(), st.none(), st.booleans(), st.text(max_size=10)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.sampled_from(
                [
                    *("env", "args", "command", "annotations", "message", "value", "metadata"),
                    *("spec", "secret", "apiKeys", "nodeName", "reason", "image", "labels", "name"),
                ]
            ),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=12,
)


@given(value=st.dictionaries(st.sampled_from(["a", "spec", "status"]), shapes, max_size=3))
def test_no_planted_secret_survives_in_an_object_of_any_shape(value: dict[str, Any]) -> None:
    """Also where a map should be and is a list; nothing of it makes it fail."""
    clean, _ = redacted(value)

    told = repr(clean)
    assert [] == [s for text, secrets in TEXTS.values() for s in secrets if s in told]

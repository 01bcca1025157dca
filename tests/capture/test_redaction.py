"""Objects without what nobody else may read."""

import json
from typing import Any

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


texts = st.sampled_from([text for text, _ in TEXTS.values()])
shapes = st.recursive(
    st.one_of(texts, st.integers(), st.none(), st.booleans(), st.text(max_size=10)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.sampled_from(
                ["env", "args", "command", "annotations", "message", "value", "metadata", "spec"]
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

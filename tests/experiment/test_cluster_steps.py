"""Steps on the objects of a cluster: each one change, proven on every value of them."""

import copy
from collections.abc import Mapping
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from firstlight.core.errors import BadInput
from firstlight.experiment.declared import declared
from firstlight.experiment.identity import digest
from firstlight.experiment.object_proof import proven_on_objects
from firstlight.experiment.object_setup import ObjectSetup, object_setup
from firstlight.experiment.plan import KubernetesWords, Plan
from firstlight.experiment.plan_file import read_plan
from firstlight.experiment.schedule import schedule, sleeps
from firstlight.experiment.spoken_of import of_words
from firstlight.experiment.step import Step
from firstlight.experiment.steps import steps
from firstlight.manifests.objects import Manifest, ObjectSet
from firstlight.wiring.cards import deck

Object = dict[str, Any]
STREAM, CACHE = {"technique": "stream-weights"}, {"technique": "compile-cache-local"}
GIVEN = {
    "bucket": "a-bucket",
    "bucket_prefix": "m",
    "region": "eu-west-1",
    "model_uri": "s3://a-bucket/m",
}
DEPLOYMENT: Object = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "vllm", "namespace": "serving"},
    "spec": {
        "selector": {"matchLabels": {"app": "vllm"}},
        "template": {
            "metadata": {"labels": {"app": "vllm"}},
            "spec": {
                "containers": [
                    {"name": "log", "image": "busybox:1", "env": [{"name": "A", "value": "0"}]},
                    {
                        "name": "engine",
                        "image": "vllm/vllm-openai:v0.26.0",
                        "command": ["vllm", "serve", "/m", "--port", "8000"],
                    },
                ]
            },
        },
    },
}


def own(name: str, **words: Any) -> Object:
    return {"change": name, "kubernetes": words}


def objects(*values: Object) -> ObjectSet:
    return ObjectSet(manifests=tuple(Manifest(value=v) for v in values or (DEPLOYMENT,)))


def worked_out(
    *planned: Object,
    there: ObjectSet | None = None,
    base: Mapping[str, Any] | None = None,
    **fields: Any,
) -> tuple[Plan, tuple[Step, ...]]:
    whole = {
        "schema": "firstlight.plan/1",
        "name": "a plan",
        "base": {"kubernetes": {"objects": "base.yaml"}, **(base or {})},
        "given": GIVEN,
        "steps": list(planned),
        **fields,
    }
    plan, file = read_plan("plan.yaml", yaml.safe_dump(whole).encode(), {})
    return plan, steps(plan, deck(), file, there or objects())


def refused(*planned: Object, **fields: Any) -> BadInput:
    with pytest.raises(BadInput) as error:
        worked_out(*planned, **fields)
    assert "plan.yaml line " in error.value.message
    assert error.value.remedy
    return error.value


def lines(step: Step) -> list[str]:
    return [one.line.partition("containers[engine].")[2] or one.line for one in step.difference]


def test_each_step_is_the_one_before_and_one_change() -> None:
    """
    The mount is drawn on the base, the stream takes it out with its volume and its claims, and
    the cache comes to that; what stands beside the engine is as it was.
    """
    _, (base, stream, cache) = worked_out(STREAM, CACHE, base={"technique": "fuse-mount"})
    kinds = [{m.identity.kind for m in one.objects.objects} for one in (base, stream, cache)]

    assert [("fuse-mount",), ("stream-weights",), ("stream-weights", "compile-cache-local")] == [
        one.active for one in (base, stream, cache)
    ]
    claims = {"PersistentVolume", "PersistentVolumeClaim"}
    assert [{"Deployment"} | claims, {"Deployment"}, {"Deployment"}] == kinds
    assert "command[--load-format]: runai_streamer" in lines(stream)[1]
    assert 7 == len(cache.difference)
    logs = [one.objects.workload.pod["containers"][0] for one in (base, stream, cache)]
    assert [DEPLOYMENT["spec"]["template"]["spec"]["containers"][0]] * 3 == logs


def test_a_model_that_moves_keeps_the_name_it_is_asked_for_by() -> None:
    """On a base that says no name; that is one change, and declared."""
    _, (_, stream) = worked_out(STREAM)

    assert "command[--served-model-name]: /m" in " ".join(lines(stream))
    assert "argument:--served-model-name" in declared(stream)


def test_what_may_differ_is_declared_by_the_names_of_fingerprints() -> None:
    """Arguments and variables by name, the model, volumes, the cache; nothing else."""
    _, (_, stream, cache, placebo) = worked_out(
        *(STREAM, CACHE, own("placebo", environment={"A": "1"}, arguments={"--seed": "7"})),
        base={"technique": "fuse-mount"},
    )

    assert {
        *("argument:--model", "model", "volumes", "argument:--load-format"),
        "environment:RUNAI_STREAMER_LOG_TO_STDERR",
    } == set(declared(stream))
    assert {"volumes", "compile cache", "environment:VLLM_CACHE_ROOT"} <= set(declared(cache))
    assert ("argument:--seed", "environment:A") == declared(placebo)


@pytest.mark.parametrize(
    ("planned", "words"),
    [
        ([own("nothing")], "changes nothing"),
        ([own("same", arguments={"--port": "8000"})], "changes nothing"),
        ([own("on", environment={"A": "1"}), own("off", environment={"A": "1"})], "nothing"),
        ([{"technique": "startup-plan"}], "builds on compile-cache-local"),
        ([CACHE, CACHE], "is there already"),
        ([STREAM, {"technique": "fuse-mount"}], "cannot be combined with stream-weights"),
        ([{**CACHE, **own("two", environment={"A": "1"})}], "two changes in one step"),
        ([{"change": "x"}], "does not say what it changes (kubernetes)"),
        ([{"change": "x", "process": {"environment": {"A": "1"}}}], "words are for process"),
        (
            [CACHE, own("moves it", environment={"VLLM_CACHE_ROOT": "/elsewhere"})],
            "the change of compile-cache-local is not there",
        ),
        (
            [
                own("on", environment={"A": "1"}),
                own("other", environment={"A": "2"}),
                own("back", environment={"A": "1"}),
            ],
            "round in a circle",
        ),
    ],
)
def test_what_is_no_single_change_is_refused(planned: list[Object], words: str) -> None:
    """With the line of the plan, before anything is run."""
    assert words in refused(*planned).message


def test_more_than_was_spoken_of_is_refused() -> None:
    """Another container's variable of the same name is not the engine's."""
    other = copy.deepcopy(DEPLOYMENT)
    pod = other["spec"]["template"]["spec"]
    pod["containers"][1]["env"] = [{"name": "A", "value": "1"}]
    words = KubernetesWords(environment={"A": "1"})
    before = object_setup(objects(), None)

    proven = proven_on_objects(
        before,
        object_setup(objects(other), None),
        spoken=of_words(words, engine="engine"),
        name="ours",
    )
    pod["containers"][0]["env"] = [{"name": "A", "value": "2"}]
    with pytest.raises(BadInput, match=r"more than one change.*containers\[log\]"):
        proven_on_objects(
            before,
            object_setup(objects(other), None),
            spoken=of_words(words, engine="engine"),
            name="ours",
        )

    assert 1 == len(proven)


@given(
    st.dictionaries(
        st.sampled_from(["A", "HF_HOME", "OMP_NUM_THREADS"]),
        st.sampled_from(["", "0", "a b", "$(A)", "é", "x: y"]),
    ),
    st.dictionaries(
        st.sampled_from(["--seed", "--max_model_len", "--host"]),
        st.sampled_from(["1", "a b", "-1"]),
    ),
)
def test_a_change_of_ones_own_speaks_of_all_that_it_does(
    environment: dict[str, str], arguments: dict[str, str]
) -> None:
    """Whatever it sets, no difference is foreign and each is declared."""
    if not environment and not arguments:
        return
    _, (_, step) = worked_out(own("ours", environment=environment, arguments=arguments))

    assert len(environment) + len(arguments) == len(step.difference)
    assert len(step.difference) == len(declared(step))


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"kind": "StatefulSet"}, "is no Deployment"),
        ({"spec": {**DEPLOYMENT["spec"], "replicas": 2}}, "is to have 2 replicas"),
    ],
)
def test_what_cannot_be_started_again_and_again_is_refused(changed: Object, words: str) -> None:
    """One engine, of a Deployment."""
    assert words in refused(CACHE, there=objects({**DEPLOYMENT, **changed})).message


def test_a_secret_is_not_taken() -> None:
    """The objects are kept in the run's folder."""
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "token"}}

    assert "is a secret" in refused(CACHE, there=objects(DEPLOYMENT, secret)).message


def test_which_workload_is_meant_may_have_to_be_said() -> None:
    """Two that run an engine; the remedy is in the plan's words."""
    other = copy.deepcopy(DEPLOYMENT)
    other["metadata"]["name"] = "second"
    both = objects(DEPLOYMENT, other)

    assert "workload: deployment/vllm" in refused(CACHE, there=both).remedy
    named = {"kubernetes": {"objects": "base.yaml", "workload": "deploy/second"}}
    _, (base, _) = worked_out(CACHE, there=both, base=named)
    assert "second" == base.objects.target.name


@pytest.mark.parametrize(
    ("base", "words"),
    [
        ({"process": {"command": ["vllm"]}}, "run in one place"),
        ({"kubernetes": None}, "nothing that could be started"),
    ],
)
def test_a_plan_has_one_place_to_run_in(base: Object, words: str) -> None:
    """A process or a cluster."""
    assert words in refused(CACHE, base=base).message


def test_folders_that_stand_for_layers_are_for_a_host() -> None:
    """A pod has a container and a node, so nothing has to stand for them."""
    error = refused(CACHE, given={"cache_dir": "${node}/cache"})

    assert "cache_dir is ${node}/cache" in error.message


def test_what_a_card_needs_is_asked_for_in_the_words_of_a_plan() -> None:
    """Not in those of another command's options."""
    error = refused(STREAM, given={})

    assert "say it under given: model_uri: VALUE" == error.remedy


def test_secrets_are_not_shown() -> None:
    """A difference is printed, and written into reports."""
    _, (_, step) = worked_out(own("token", environment={"HF_TOKEN": "hf_abcdefghijklmnop"}))

    assert "abcdefgh" not in "".join(lines(step))


def test_the_objects_are_a_part_of_which_plan_it_is() -> None:
    """Another image is another plan; which file it stands in is not."""
    other = copy.deepcopy(DEPLOYMENT)
    other["spec"]["template"]["spec"]["containers"][1]["image"] = "vllm/vllm-openai:v0.27.0"
    lined = ObjectSet(manifests=(Manifest(value=DEPLOYMENT, artefact="a.yaml"),))
    told = [digest(*worked_out(CACHE, there=one)) for one in (objects(), lined, objects(other))]

    assert told[0] == told[1] != told[2]


def test_a_pod_that_can_sleep_is_woken() -> None:
    """By the variable in its container."""
    plan, (base, step) = worked_out(
        own("dev", environment={"VLLM_SERVER_DEV_MODE": "1"}), scenarios=["wake"], rounds=1
    )

    assert [False, True] == [sleeps(base), sleeps(step)]
    assert ["wake/1/fill", "wake/1/1"] == [slot.id for slot in schedule(plan, (base, step))]


def test_a_step_knows_its_kind() -> None:
    """A command is asked for only of a process."""
    _, (base, *_) = worked_out(CACHE)

    assert isinstance(base.setup, ObjectSetup)
    with pytest.raises(TypeError):
        _ = base.process

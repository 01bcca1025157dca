"""The row of steps: each one technique apart from the one before, and nothing else."""

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from firstlight.core.errors import BadInput
from firstlight.manifests.differences import differences
from firstlight.manifests.objects import Manifest, ObjectSet
from firstlight.manifests.steps import Step, numbered, steps
from firstlight.manifests.steps import given as told
from firstlight.techniques.deck import REFERENCE_STEPS
from firstlight.wiring.cards import deck
from tests.manifests.intents import NAMES, example, one, smallest
from tests.manifests.rendered import example_steps

PAIRS = [(name, number) for name in NAMES for number in range(1, len(REFERENCE_STEPS))]


def edited(objects: ObjectSet, kind: str, pointer: str, value: Any) -> ObjectSet:
    """A copy in which one place of one object holds something else."""
    manifests = []
    for manifest in objects:
        whole = copy.deepcopy(manifest.value)
        if manifest.identity.kind == kind:
            place: Any = whole
            *path, last = pointer.strip("/").split("/")
            for part in path:
                place = place[int(part) if isinstance(place, list) else part]
            place[int(last) if isinstance(place, list) else last] = value
        manifests.append(Manifest(value=whole))
    return ObjectSet(manifests=tuple(manifests))


def engine(step: Step) -> Any:
    containers = one(step.objects, "Deployment")["spec"]["template"]["spec"]["containers"]
    return next(container for container in containers if container["name"] == "vllm")


def test_the_steps_are_those_of_the_reference_case() -> None:
    """Numbered as they are there, so that a figure and a folder mean the same."""
    made = example_steps("intent")

    assert [*enumerate(REFERENCE_STEPS)] == [(step.number, step.technique) for step in made]
    assert [None] * len(made) == [step.left_out for step in made]


@pytest.mark.parametrize("name", NAMES)
def test_the_baseline_is_no_change_of_a_step_before(name: str) -> None:
    """It is where the row begins."""
    step = example_steps(name)[0]

    assert step.change is None
    assert "/models" == engine(step)["args"][0]


@pytest.mark.parametrize("name", NAMES)
def test_the_mount_knows_bucket_prefix_and_region(name: str) -> None:
    """What the intent says of the model stands in the volume."""
    volume = one(example_steps(name)[0].objects, "PersistentVolume")["spec"]
    intent = example(name)

    assert intent.bucket == volume["csi"]["volumeAttributes"]["bucketName"]
    assert f"prefix {intent.prefix}/" in volume["mountOptions"]
    assert f"region {intent.region}" in volume["mountOptions"]
    assert "read-only" in volume["mountOptions"]


@pytest.mark.parametrize(("name", "number"), PAIRS)
def test_a_step_is_made_or_left_out(name: str, number: int) -> None:
    """What the made ones change, each by its card, stands in `test_neighbours`."""
    before, after = example_steps(name)[number - 1 : number + 1]

    assert (after.left_out is None) == (after.change is not None)
    assert (after.left_out is None) == (before.objects != after.objects)


@pytest.mark.parametrize("name", NAMES)
def test_the_deployment_keeps_its_name_and_strategy(name: str) -> None:
    """One `kubectl apply` switches, because it is the same object throughout."""
    found = {
        (
            value["metadata"]["namespace"],
            value["metadata"]["name"],
            value["spec"]["strategy"]["type"],
        )
        for step in example_steps(name)
        for value in [one(step.objects, "Deployment")]
    }

    assert {(example(name).namespace, example(name).name, "Recreate")} == found


@pytest.mark.parametrize("name", NAMES)
def test_clients_see_one_model_at_one_address(name: str) -> None:
    """Whether it is mounted or streamed, behind a gateway or not."""
    for step in example_steps(name):
        assert f"--served-model-name={example(name).model_name}" in engine(step)["args"]
        assert 8000 == one(step.objects, "Service")["spec"]["ports"][0]["port"]


@pytest.mark.parametrize("name", NAMES)
def test_an_experiments_marks_stay_in_all_steps(name: str) -> None:
    """A pool that a step makes anew is left alone like the first."""
    for step in example_steps(name):
        for pool in step.objects.of_kind("NodePool"):
            budgets = pool.value["spec"]["disruption"].get("budgets")
            assert ([{"nodes": "0"}] if example(name).experiment else None) == budgets


def test_the_effect_of_each_step_is_there() -> None:
    """What the reference case changed, seen in the objects."""
    mounted, streamed, cached, published, pulled, slept = example_steps("intent")

    assert "s3://example-models/gemma-4-31b-it-nvfp4" == engine(streamed)["args"][0]
    assert "--load-format=runai_streamer" in "=".join(engine(streamed)["args"])
    assert () == streamed.objects.of_kind("PersistentVolume", "PersistentVolumeClaim")
    assert mounted.objects.of_kind("PersistentVolume", "PersistentVolumeClaim")

    pod = one(cached.objects, "Deployment")["spec"]["template"]["spec"]
    assert [v for v in pod["volumes"] if "hostPath" in v]
    pod = one(published.objects, "Deployment")["spec"]["template"]["spec"]
    assert example("intent").firstlight_image == pod["initContainers"][0]["image"]

    selected = one(pulled.objects, "Deployment")["spec"]["template"]["spec"]["nodeSelector"]
    scripts = [
        node_class.value["metadata"]["name"]
        for node_class in pulled.objects.of_kind("EC2NodeClass")
        if example("intent").image in node_class.value["spec"].get("userData", "")
    ]
    assert scripts == [selected["karpenter.sh/nodepool"]]

    words = engine(slept)["args"]
    assert "--enable-sleep-mode" in words
    assert "127.0.0.1" in "=".join(words).replace("--host=", "").split("=")


def test_bottlerocket_has_no_prepull() -> None:
    """Its user data is no script: the step is left out with the reason, and is no error."""
    made = example_steps("bottlerocket")

    assert made[3].objects == made[4].objects
    assert (
        "image-prepull is left out: Bottlerocket takes no script in its user data"
        == made[4].left_out
    )
    assert made[5].left_out is None


@pytest.mark.parametrize(
    ("missing", "number", "reason"),
    [
        ("cache_uri", 3, "compile-cache-published is left out: the intent does not say cache_uri"),
        (
            "trusted_key",
            3,
            "compile-cache-published is left out: the intent does not say trusted_key",
        ),
        ("firstlight_image", 5, "sleep-wake is left out: the intent does not say firstlight_image"),
    ],
)
def test_a_step_without_what_it_needs_is_left_out(missing: str, number: int, reason: str) -> None:
    """The others keep their numbers."""
    whole = {
        "cache_uri": "s3://example-models/cache",
        "firstlight_image": "firstlight:0.1.0",
        "trusted_key": f"ed25519:{'a' * 43}=",
    }
    lines = [f"{name}: {value}" for name, value in whole.items() if name != missing]

    made = steps(smallest(*lines), deck())

    without = [3, 5] if missing == "firstlight_image" else [number]
    assert without == [step.number for step in made if step.left_out]
    assert reason == made[number].left_out


def test_nodes_that_nothing_takes_away_are_said_of_the_step_that_leaves_them() -> None:
    """In an experiment only: else Karpenter takes an empty node itself."""
    said = [step.notes for step in example_steps("intent")[1:]]
    freely = steps(structs.replace(example("intent"), experiment=False), deck())

    assert [0, 0, 0, 1, 0] == [len(notes) for notes in said]
    assert "kubectl delete nodeclaim -l karpenter.sh/nodepool=serving-vllm" in said[3][0]
    assert [()] * 5 == [step.notes for step in freely[1:]]


def test_a_step_is_found_by_its_number() -> None:
    """And there are six."""
    assert "sleep-wake" == numbered(example_steps("intent"), 5).technique
    with pytest.raises(BadInput, match="there is no step 6"):
        numbered(example_steps("intent"), 6)


@pytest.mark.parametrize(
    ("number", "kind", "pointer", "value", "path"),
    [
        (0, "Deployment", "/spec/strategy/type", "RollingUpdate", "spec.strategy.type"),
        (1, "Deployment", "/spec/replicas", 2, "spec.replicas"),
        (2, "NodePool", "/spec/disruption/consolidateAfter", "0s", "consolidateAfter"),
        (3, "Service", "/spec/ports/0/targetPort", 9000, "targetPort"),
        (3, "Deployment", "/spec/template/spec/initContainers/0/image", "x:1", "initContainers"),
        (
            4,
            "Deployment",
            "/spec/template/spec/containers/0/image",
            "vllm/vllm-openai:v0.27.0",
            "containers[vllm].image",
        ),
        (5, "Namespace", "/metadata/labels", {}, "labels"),
        (0, "PersistentVolume", "/spec/mountOptions", ["read-only"], "mountOptions"),
    ],
)
def test_a_hand_edited_step_is_caught(
    number: int, kind: str, pointer: str, value: Any, path: str
) -> None:
    """By the object and the path, with both values."""
    rendered = example_steps("intent")[number].objects
    by_hand = edited(rendered, kind, pointer, value)

    found = differences(example_steps("intent")[number].objects, by_hand)

    assert found
    assert {kind} == {difference.identity.kind for difference in found}
    assert any(path in difference.path for difference in found)


def test_a_step_that_lost_an_object_is_caught() -> None:
    """Nothing in the file is a difference as well."""
    rendered = example_steps("intent")[0].objects
    without = ObjectSet(manifests=tuple(rendered)[1:])

    (found,) = differences(rendered, without)
    assert "Namespace" == found.identity.kind


def test_a_step_as_rendered_has_no_differences() -> None:
    """A check that always finds something is none."""
    for step in example_steps("intent"):
        copied = ObjectSet(
            manifests=tuple(Manifest(value=copy.deepcopy(m.value)) for m in step.objects)
        )
        assert () == differences(step.objects, copied)


def leaves(value: Any, pointer: str = "") -> Iterator[tuple[str, Any]]:
    """Every value that holds no others, by its pointer."""
    if isinstance(value, dict) and value:
        for key, item in value.items():
            # A key with a slash would need escapes that `edited` does without.
            if "/" not in key:
                yield from leaves(item, f"{pointer}/{key}")
    elif isinstance(value, list) and value:
        for index, item in enumerate(value):
            yield from leaves(item, f"{pointer}/{index}")
    else:
        yield pointer, value


_ALL_LEAVES = [
    (number, manifest.identity, pointer, value)
    for number in range(len(REFERENCE_STEPS))
    for manifest in example_steps("intent")[number].objects
    for pointer, value in leaves(manifest.value)
]


@settings(max_examples=40)
@given(st.sampled_from(_ALL_LEAVES), st.text(min_size=1, max_size=8))
def test_any_edit_is_caught(place: tuple[int, Any, str, Any], word: str) -> None:
    """Whatever leaf of whatever object."""
    number, identity, pointer, value = place
    after = example_steps("intent")[number].objects
    by_hand = ObjectSet(
        manifests=tuple(
            next(iter(edited(ObjectSet(manifests=(m,)), identity.kind, pointer, f"{value}{word}")))
            if m.identity == identity
            else m
            for m in after
        )
    )

    assert differences(example_steps("intent")[number].objects, by_hand)


def test_what_the_intent_tells_a_card_is_what_the_card_asks() -> None:
    """No value under a name that nobody asks for, none without a value."""
    for card in deck():
        known = told(example("intent"), card)

        assert set(known) <= set(card.parameters)
        assert None not in known.values()


def test_the_rows_of_two_intents_share_nothing() -> None:
    """Rendering one must not change what was rendered before."""
    first = copy.deepcopy([m.value for m in example_steps("intent")[0].objects])
    steps(example("intent"), deck())

    assert first == [m.value for m in example_steps("intent")[0].objects]

"""An intent's text: what it may say, what it must not, and where it says so."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from firstlight.core.errors import BadInput
from firstlight.manifests.intent import Intent, is_intent
from firstlight.manifests.sizes import ImageOnDisk, size_bytes
from tests.manifests.intents import NAMES, SMALLEST, example, read_intent, smallest

DOCS = Path(__file__).resolve().parents[2] / "docs" / "intent.md"


def refusal(text: str) -> str:
    """The sentence, and the remedy that goes with it."""
    with pytest.raises(BadInput) as refused:
        read_intent(text)
    assert refused.value.remedy
    return refused.value.message


@pytest.mark.parametrize("name", NAMES)
def test_the_examples_are_intents(name: str) -> None:
    """They stand in the documentation, so they have to be right."""
    intent = example(name)

    assert "s3://example-models" == intent.model[: len("s3://example-models")]


def test_five_lines_are_enough() -> None:
    """Model, image, cluster, region and what the nodes are; the rest has defaults."""
    intent = smallest()

    assert ("example-models", "tiny") == (intent.bucket, intent.prefix)
    assert ("vllm", "vllm", 1) == (intent.name, intent.namespace, intent.replicas)
    assert ("tiny", ("on-demand",)) == (intent.model_name, intent.capacity_types)


@pytest.mark.parametrize(
    ("model", "bucket", "prefix", "name"),
    [
        ("s3://models/a", "models", "a", "a"),
        ("s3://models/a/b/", "models", "a/b", "b"),
    ],
)
def test_a_model_is_a_bucket_and_a_prefix(model: str, bucket: str, prefix: str, name: str) -> None:
    """Slashes at its end mean nothing."""
    intent = read_intent(SMALLEST.replace("s3://example-models/tiny", model))

    assert (bucket, prefix, name) == (intent.bucket, intent.prefix, intent.model_name)


@pytest.mark.parametrize("model", ["s3://models", "s3://models/", "/models", "org/name"])
def test_a_model_lies_under_a_prefix(model: str) -> None:
    """It is mounted by it in the baseline, and a name of the hub is no place in S3."""
    said = refusal(SMALLEST.replace("s3://example-models/tiny", model))

    assert "intent.yaml line 1: " in said


@pytest.mark.parametrize("field", ["model", "image", "cluster", "region"])
def test_what_only_the_user_knows_is_required(field: str) -> None:
    """It is named where it is missing."""
    text = "".join(
        line for line in SMALLEST.splitlines(keepends=True) if not line.startswith(field)
    )

    assert f"intent.yaml line 1: it is missing required field {field}" == refusal(text)


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ("capcity: spot", "line 6: it contains unknown field capcity"),
        ("gpu:\n  count: 1\n  kind: l4", "line 8: gpu: it contains unknown field kind"),
        ("replicas: two", "line 6: replicas: expected int, got str"),
        ("gpu:\n  count: two", "line 7: gpu.count: expected int, got str"),
        ("zones:\n- us-east-1a\n- 2", "line 8: zones.1: expected str, got int"),
        ("experiment: 1", "line 6: experiment: expected bool, got int"),
        ("node_class: al2", "line 6: node_class: invalid enum value 'al2'"),
        ("capacity: cheap", "line 6: capacity: invalid enum value 'cheap'"),
        ("environment:\n  A: 1", "line 7: environment: expected str, got int"),
        ("region: us-east-1", "line 6: region stands there a second time"),
        ("gpu: {count: 0}", "line 6: a pod without a GPU is not served"),
        ("replicas: -1", "line 6: replicas are negative"),
        ("capacity: []", "line 6: capacity is empty"),
        ("namespace: kube-system", "line 6: kube-system is everybody's, and"),
        ("name: Vllm", "line 6: 'Vllm' cannot name a Kubernetes object"),
        ("name: " + "a" * 41, f"line 6: '{'a' * 41}' cannot name a Kubernetes object"),
        ("zones: [eu-west-1a]", "line 6: eu-west-1a is not in us-east-1"),
        ("retention: soon", "line 6: soon is no time that Karpenter understands"),
        ("instance_families: [g6e.xlarge]", "line 6: g6e.xlarge is an instance type, not a"),
        ("ami_version: v1.2.3", "line 6: v1.2.3 is no version of al2023's images"),
        ("image_size: large", "line 6: large is no size of an image"),
        ("memory: 48 gigabytes", "line 6: 48 gigabytes is no amount that Kubernetes"),
        ("cache_uri: gs://b/x", "line 6: gs://b/x is no place in S3"),
        ("identity: {}", "line 6: the pod is somebody by IRSA or by Pod Identity, one of"),
        ("identity: {irsa: x, pod_identity: true}", "line 6: the pod is somebody by IRSA"),
        ("identity: {irsa: reader}", "line 6: reader is no role"),
        ("arguments: [--port=9000]", "line 6: --port is given by the intent's other fields"),
        ("arguments: [--served_model_name, x]", "line 6: --served_model_name is given by"),
        ("arguments: [tiny]", "line 6: tiny is no argument"),
        ("environment: {a b: c}", "line 6: 'a b' is no name of a variable"),
        ("start_p95_s: -1", "line 6: -1 s is no time a start takes"),
        ("start_p95_s: .nan", "line 6: .nan is no number that JSON has"),
        ("firstlight_image: firstlight", "line 6: firstlight is another image tomorrow"),
    ],
)
def test_what_it_must_not_say_is_refused_with_the_line(lines: str, sentence: str) -> None:
    """One sentence, that names the file, the line and the field."""
    assert sentence in refusal(f"{SMALLEST}{lines}\n")


@pytest.mark.parametrize(
    "image",
    ["vllm/vllm-openai", "vllm/vllm-openai:latest", "registry.example.com:5000/vllm"],
)
def test_an_image_that_moves_is_refused(image: str) -> None:
    """Two starts of one manifest would run two engines; a registry's port is no tag."""
    said = refusal(SMALLEST.replace("vllm/vllm-openai:v0.26.0", image))

    assert f"intent.yaml line 2: {image} is another image tomorrow" in said


@pytest.mark.parametrize(
    "image",
    [
        "vllm/vllm-openai:v0.26.0",
        f"vllm/vllm-openai@sha256:{'a' * 64}",
        f"registry.example.com:5000/vllm:latest@sha256:{'0' * 64}",
        "111122223333.dkr.ecr.us-east-1.amazonaws.com/vllm:v0.26.0-cu130",
    ],
)
def test_an_image_that_stays_is_taken(image: str) -> None:
    """A version's tag, or a digest whatever the tag."""
    text = SMALLEST.replace("vllm/vllm-openai:v0.26.0", image)

    assert image == read_intent(text).image


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("- model", "intent.yaml line 1: expected object, got array"),
        ("model: [", "line 1"),
        ("model: {{ .Values.model }}\n", "line 1"),
    ],
)
def test_what_is_no_intent_is_refused(text: str, sentence: str) -> None:
    """With one sentence, too."""
    assert sentence in refusal(text)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"model": "s3://b/p"}, True),
        ({"kind": "Deployment", "model": "x"}, False),
        ({"apiVersion": "v1", "model": "x"}, False),
        ({"services": {}}, False),
        (["model"], False),
        (None, False),
    ],
)
def test_an_intent_is_told_from_an_object(value: Any, expected: bool) -> None:
    """It has a model and says neither kind nor apiVersion."""
    assert expected == is_intent(value)


_TEXTS = st.text(max_size=12) | st.integers() | st.booleans() | st.none()


def test_every_field_is_in_the_documentation() -> None:
    """In its table, and no field is there that nobody reads."""
    rows = [line for line in DOCS.read_text().splitlines() if line.startswith("| `")]
    told = {name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1])}

    assert set(Intent.__struct_fields__) == told


@given(
    st.dictionaries(
        st.sampled_from([*Intent.__struct_fields__, "other"]),
        _TEXTS | st.lists(_TEXTS, max_size=3) | st.dictionaries(st.text(max_size=5), _TEXTS),
        max_size=8,
    )
)
def test_nothing_but_an_intent_or_a_sentence_comes_out(value: dict[str, Any]) -> None:
    """Whatever stands in the fields."""
    text = yaml.safe_dump(value, allow_unicode=True)

    said = ""
    try:
        read_intent(text, "intent.yaml")
    except BadInput as e:
        said = e.message

    assert not said or said.startswith("intent.yaml")
    assert "\n" not in said


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("8.9GB", 8_900_000_000),
        ("20 GiB", 20 * 2**30),
        ("20Gi", 20 * 2**30),
        ("512mb", 512_000_000),
        ("0GB", None),
        ("8.9", None),
        ("big", None),
    ],
)
def test_sizes_are_read_as_people_write_them(text: str, expected: int | None) -> None:
    """Decimal and binary units; a number alone is no size."""
    assert expected == size_bytes(text)


@given(st.integers(1, 10**11), st.integers(1, 10**11) | st.none())
def test_the_volume_always_holds_the_image_twice(packed: int, unpacked: int | None) -> None:
    """As layers and as files, with room for the system."""
    if unpacked is not None:
        unpacked += packed

    image = ImageOnDisk.of(f"{packed}B", f"{unpacked}B" if unpacked else None)

    assert packed == image.packed_bytes
    free = image.volume_gib * 2**30 - image.packed_bytes - image.unpacked_bytes
    assert 30 * 2**30 <= free <= 41 * 2**30
    assert 0 == image.volume_gib % 10

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
from firstlight.manifests.intent_arguments import argument_refused, variable_refused
from firstlight.manifests.sizes import ImageOnDisk, size_bytes
from firstlight.techniques.deck import REFERENCE_STEPS
from firstlight.techniques.operations import SetArgument, SetEnvironment
from firstlight.wiring.cards import deck
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
        ("arguments: [--load-format, auto]", "line 6: --load-format is what a step changes"),
        ("arguments: [--load_form=auto]", "line 6: --load_form is what a step changes"),
        ("arguments: [--enable-sleep-mode]", "line 6: --enable-sleep-mode is what a step"),
        ("arguments: [--max-model-len=9,\n  --uds, /x]", "line 7: --uds takes away what the"),
        ("arguments: [--ssl-keyfile, /k]", "line 6: --ssl-keyfile takes away what the probes"),
        ("arguments: [--grpc]", "line 6: --grpc takes away what the probes and the Service ask"),
        ("arguments: [--headless]", "line 6: --headless takes away what the probes"),
        ("arguments: [--por, '9000']", "line 6: --por is given by the intent's other fields"),
        ("arguments: [--config=/c.yaml]", "line 6: --config names a file, which no object"),
        ("arguments: [--model, other]", "line 6: --model is given by the intent's other fields"),
        (
            "arguments:\n- --max-model-len=9\n- --tensor-parallel-size 4",
            (
                "line 8: '--tensor-parallel"
                "-size 4' is one word to the engine, which knows no such argument"
            ),
        ),
        ("environment: {VLLM_CACHE_ROOT: /x}", "line 6: VLLM_CACHE_ROOT is what a step changes"),
        ("environment:\n  A: b\n  AWS_REGION: eu-west-1", "line 8: AWS_REGION is given by"),
        ("replicas: 1000000000000", "line 6: 1000000000000 replicas are more than a cluster has"),
        ('memory: "48"', "line 6: 48 is 48 bytes, too little for an engine"),
        ("memory: 48", "line 6: 48 is 48 bytes, too little for an engine"),
        ('memory: "0"', "line 6: 0 is 0 bytes, too little for an engine"),
        ("memory: 48000m", "line 6: 48000m is 48 bytes, too little for an engine"),
        ('shm: "1"', "line 6: 1 is 1 bytes, too little for an engine"),
        ('cpu: "0"', "line 6: 0 is no number of processors"),
        ("cpu: 6Gi", "line 6: 6Gi is no number of processors"),
        ("cpu: true", "line 6: cpu: expected str, got bool"),
        (
            "memory: 8Gi\nshm: 8Gi",
            "line 7: a shm of 8Gi counts as memory of the pod, which has 8Gi",
        ),
        ("memory: 2Gi", "line 6: a shm of 2Gi counts as memory of the pod, which has 2Gi"),
        ("gpu: {type: x y}", "line 6: 'x y' is no name of a GPU"),
        ("gpu: {count: 2}", "line 6: no listed instance has 2 GPUs; they have 1"),
        ("gpu: {type: h100}", "line 6: no instance is all of it at once: g6e.2xlarge and GPU h100"),
        ("instance_families: [p5]", "line 6: no instance is all of it at once: g6e.2xlarge and p5"),
        ("instance_families: [G5]", "line 6: 'G5' is no instance family"),
        (
            "cpu: 8",
            (
                "line 6: no listed instance has more than 8 processors, of which the node "
                "itself takes a part: g6e.2xlarge has 8 processors, 64 GiB and 1 GPU"
            ),
        ),
        ("memory: 64Gi", "line 6: no listed instance leaves 64Gi to a pod: g6e.2xlarge has 8"),
        ("shm: 100Gi", "line 6: no listed instance leaves 100Gi to a pod: g6e.2xlarge has"),
        ("zones: [us-east-1]", "line 6: us-east-1 is not in us-east-1"),
        ("node_role: arn:aws:iam::111122223333:role/nodes", "line 6: 'arn:aws:iam::1111"),
        ("firstlight_image: firstlight", "line 6: firstlight is another image tomorrow"),
    ],
)
def test_what_it_must_not_say_is_refused_with_the_line(lines: str, sentence: str) -> None:
    """One sentence, that names the file, the line and the field."""
    assert sentence in refusal(f"{SMALLEST}{lines}\n")


@pytest.mark.parametrize(
    ("nodes", "sentence"),
    [
        ("instance_types: [m5.large]", "line 5: m5.large has no NVIDIA GPU of its own"),
        ("instance_types: [g6e.xlarge, inf2.xlarge]", "line 5: inf2.xlarge has no NVIDIA GPU"),
        ("instance_families: [trn1]", "line 5: trn1 has no NVIDIA GPU of its own"),
        ("instance_families: [g4ad]", "line 5: g4ad has no NVIDIA GPU of its own"),
        ("instance_families: [g6f]", "line 5: g6f has no NVIDIA GPU of its own"),
        ("instance_families: [g5g, g6e]", "line 5: they mix processors of amd64 and arm64"),
        ("instance_types: [g5g.xlarge, g5.xlarge]", "line 5: they mix processors of amd64"),
        (
            "instance_families: [g6e]\ngpu: {count: 2}",
            ("line 6: no listed instance has exactly 2 GPUs; they have 1, 4, 8"),
        ),
        ("gpu: {type: l40s, count: 3}", "line 5: no listed instance has exactly 3 GPUs"),
        (
            "instance_families: [p5]\ngpu: {type: h200}",
            ("line 6: no instance is all of it at once: p5 and GPU h200"),
        ),
        ("instance_families: [g5]\nmemory: 250Gi", "line 6: no listed instance leaves 250Gi to a"),
    ],
)
def test_nodes_that_no_cloud_makes_are_refused(nodes: str, sentence: str) -> None:
    """Kubernetes would take the objects, and the pod would stay Pending for ever."""
    text = SMALLEST.replace("instance_types: [g6e.2xlarge]", nodes)

    assert sentence in refusal(f"{text}\n")


@pytest.mark.parametrize("cluster", ["a/b", "", "a b", "-a", "x" * 101])
def test_a_name_that_no_cluster_has_is_refused(cluster: str) -> None:
    """It would be the value of a tag that no subnet carries."""
    said = refusal(SMALLEST.replace("cluster: inference", f"cluster: '{cluster}'"))

    assert f"line 3: {cluster!r} cannot name an EKS cluster" in said


def test_a_role_that_no_cluster_can_have_must_be_said() -> None:
    """IAM's names end at 64 letters, and the default holds the cluster's."""
    text = SMALLEST.replace("cluster: inference", f"cluster: {'x' * 60}")

    assert "is longer than the name of an IAM role can be" in refusal(text)
    assert "nodes" == read_intent(f"{text}node_role: nodes\n").node_role


@pytest.mark.parametrize(
    ("written", "read"), [("6", "6"), ('"6"', "6"), ("0.5", "0.5"), ("500m", "500m"), ("6.0", "6")]
)
def test_processors_may_be_a_number(written: str, read: str) -> None:
    """In a manifest they may."""
    assert read == smallest(f"cpu: {written}").cpu


def test_what_steps_change_is_all_refused() -> None:
    """Whatever a card of the reference case sets, an intent must not set before it."""
    operations = [
        operation
        for technique in REFERENCE_STEPS
        for operation in deck().card(technique).change.kubernetes.operations
    ]
    set_anew = [o for o in operations if isinstance(o, SetArgument) and not o.at_most]
    # What is left alone where somebody gives it may be given.
    words = {o.argument for o in set_anew if o.argument not in o.unless}
    variables = {o.name for o in operations if isinstance(o, SetEnvironment)}

    assert {"--load-format"} <= words
    assert {"VLLM_CACHE_ROOT"} <= variables
    assert [] == [word for word in words if argument_refused(word) is None]
    assert [] == [name for name in variables if variable_refused(name) is None]


@pytest.mark.parametrize(
    "word",
    [
        *("--max-model-len=8192", "--model-impl=vllm", "--config-format=auto", "--hf-config-path"),
        *("--gpu-memory-utilization=0.9", "--enable-prefix-caching", "-tp=4", "--", "4"),
    ],
)
def test_other_arguments_are_the_engines(word: str) -> None:
    """Also those that begin like one that is refused."""
    assert argument_refused(word.partition("=")[0]) is None


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
        ("- model", "intent.yaml line 1: a map is wanted ({NAME: VALUE}), and this is a list"),
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

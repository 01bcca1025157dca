"""KServe's kinds hold parts of pods: the engine is seen where its container stands."""

from typing import Any

import pytest

from firstlight.core.errors import BadInput
from firstlight.lint.engines_seen import engine_seen
from firstlight.lint.scene import scene
from firstlight.manifests.objects import Identity
from firstlight.manifests.well_formed import check_form
from firstlight.manifests.workload import find_workload
from tests.lint.judging import judged, objects_of

RUNTIME = """\
apiVersion: serving.kserve.io/v1alpha1
kind: {kind}
metadata: {{name: own}}
spec:
  supportedModelFormats: [{{name: anything}}]
  containers:
  - name: kserve-container
    image: vllm/vllm-openai:v0.30.1
    args: [--model=/mnt/models, --enable-sleep-mode]
"""
SERVICE = """\
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {{name: llama}}
spec:
  predictor:
    model:
      modelFormat: {{name: {format}}}
      runtime: {runtime}
      args: [--enable-sleep-mode]
      resources: {{limits: {limits}}}
"""
ONE_GPU = "{nvidia.com/gpu: 1}"


def service(format_: str = "vLLM", runtime: str = "other", limits: str = ONE_GPU) -> str:
    return SERVICE.format(format=format_, runtime=runtime, limits=limits)


def seen(text: str) -> list[tuple[str, str, tuple[str, ...]]]:
    """Each engine's kind, its container, and what is not known of it."""
    found = [engine_seen(one) for one in scene(objects_of(text)).engines]
    return [(one.object.kind, one.container, one.unknown) for one in found]


@pytest.mark.parametrize("kind", ["ServingRuntime", "ClusterServingRuntime"])
def test_a_runtime_holds_the_engine(kind: str) -> None:
    """With its line, in which rules find what they look for."""
    text = RUNTIME.format(kind=kind)

    assert [(kind, "kserve-container", ())] == seen(text)
    (one,) = judged(text, ["sleep-mode-memory-share"]).findings
    assert "spec.containers[kserve-container].args[1]" == one.path


def test_a_service_s_own_container_is_an_engine() -> None:
    """Without a runtime, the predictor is as good as a pod."""
    text = """\
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: llama}
spec:
  predictor:
    containers:
    - name: kserve-container
      image: vllm/vllm-openai:v0.30.1
      args: [--model=/mnt/models, --enable-sleep-mode]
"""

    assert [("InferenceService", "kserve-container", ())] == seen(text)
    (one,) = judged(text, ["sleep-mode-memory-share"]).findings
    assert "spec.predictor.containers[kserve-container].args[1]" == one.path


@pytest.mark.parametrize(("format_", "runtime"), [("vLLM", "other"), ("any", "vllm-cuda-runtime")])
def test_a_model_on_a_runtime_elsewhere_is_an_engine_of_unknown_arguments(
    format_: str, runtime: str
) -> None:
    """Its format or its runtime tells that it is vLLM; rules about arguments stay silent."""
    text = service(format_, runtime)

    assert [("InferenceService", "", ("the others are its ServingRuntime's",))] == seen(text)
    assert () == judged(text, ["sleep-mode-memory-share"]).findings


def test_with_the_runtime_beside_it_the_engine_stands_there() -> None:
    """Once."""
    text = f"{RUNTIME.format(kind='ServingRuntime')}---\n{service(runtime='own')}"

    assert ["ServingRuntime"] == [kind for kind, _, _ in seen(text)]


@pytest.mark.parametrize(
    "text", [service("sklearn"), service("huggingface"), service(limits="{cpu: 4}")]
)
def test_a_model_that_may_be_anything_is_none(text: str) -> None:
    """Another format, one that has other servers too, one on processors."""
    assert [] == seen(text)


@pytest.mark.parametrize(
    ("model", "why"),
    [
        ("[a, b]", "/spec/predictor/model is not a map"),
        ("{args: --model}", "/spec/predictor/model/args is not a list"),
        ("{env: {A: b}}", "/spec/predictor/model/env is not a list"),
    ],
)
def test_a_model_of_another_form_is_refused_with_its_place(model: str, why: str) -> None:
    """As a container is."""
    text = (
        "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata: {name: x}\n"
        f"spec:\n  predictor:\n    model: {model}\n"
    )

    with pytest.raises(BadInput, match=why):
        check_form(objects_of(text))


@pytest.mark.parametrize("target", [None, Identity(kind="servingruntime", name="own")])
def test_no_technique_is_drawn_on_a_part_of_a_pod(target: Any) -> None:
    """What KServe would make of the change is not known."""
    objects = objects_of(RUNTIME.format(kind="ServingRuntime"))

    with pytest.raises(BadInput, match="is a KServe ServingRuntime"):
        find_workload(objects, target)

"""
KServe's InferenceService: whether what it serves is vLLM, and where that is said.

Its `model` is a container on top of one that a ServingRuntime holds. Where that runtime is among
the objects, the engine stands there. Where it is not, as with those that KServe brings along, the
model's format or the runtime's name tells that it is vLLM, and the rest is not known.
"""

from firstlight.manifests.objects import Manifest, ObjectSet
from firstlight.manifests.pod_templates import lone_container
from firstlight.manifests.workload import Workload
from firstlight.readers.kube.fields import text, within
from firstlight.readers.kube.gpus import gpus

_RUNTIMES = ("ServingRuntime", "ClusterServingRuntime")
_PREDICTOR = "/spec/predictor"


def lone_engine(manifest: Manifest, objects: ObjectSet) -> Workload | None:
    """The engine of an InferenceService; None where it is no vLLM, or a runtime here holds it."""
    lone = lone_container(manifest.value)
    if not lone:
        return None
    model = within(manifest.value, "spec", "predictor", lone)
    runtime = text(within(model, "runtime"))
    said = (runtime, text(within(model, "modelFormat", "name")), text(within(model, "image")))
    speaks_of_it = any("vllm" in one.lower() for one in said)
    if not speaks_of_it or not gpus(within(model, "resources")):
        return None
    if any(one.identity.name == runtime for one in objects.of_kind(*_RUNTIMES)):
        return None
    return Workload(manifest=manifest, pod_pointer=_PREDICTOR, engine=0, lone=lone)

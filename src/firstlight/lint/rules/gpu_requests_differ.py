"""
GPUs that are requested and limited by different numbers.
"""

from collections.abc import Iterator

from firstlight.lint.engine_pods import engine_pods
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.readers.json_pointer import pointer
from firstlight.readers.kube.fields import mapping, mappings, within
from firstlight.readers.kube.quantities import quantity
from firstlight.techniques.sources import Origin, Source

_NATIVE = "kubernetes.io"
"""Resources of this domain are Kubernetes' own and may be overcommitted."""


def _check(scene: Scene) -> Iterator[Hit]:
    for engine in engine_pods(scene):
        for field in ("initContainers", "containers"):
            for index, container in enumerate(mappings(engine.pod.get(field))):
                place = f"{engine.workload.pod_pointer}/{field}/{index}/resources/requests"
                requests = mapping(within(container, "resources", "requests"))
                limits = mapping(within(container, "resources", "limits"))
                for name, asked in requests.items():
                    if not _is_extended(name) or "$" in f"{asked}{limits.get(name)}":
                        continue
                    if not _same(asked, limits.get(name)):
                        has = f"limits {limits[name]}" if name in limits else "limits none"
                        yield Hit(
                            manifest=engine.manifest,
                            pointer=place + pointer(name),
                            what=f"container {container.get('name')} requests {asked} {name} and "
                            f"{has}",
                        )


def _same(one: object, other: object) -> bool:
    """Whether two quantities are one number, however each is written."""
    numbers = quantity(one), quantity(other)
    return numbers[0] == numbers[1] if None not in numbers else str(one) == str(other)


def _is_extended(name: object) -> bool:
    domain, slash, _ = str(name).partition("/")
    return bool(slash) and not domain.endswith(_NATIVE)


RULE = Rule(
    code="gpu-requests-differ",
    severity=Severity.ERROR,
    title="GPUs must have equal requests and limits",
    why=(
        "A device cannot be overcommitted, so the API server refuses a pod whose request of one is "
        "not its limit. The Deployment is accepted: it stays at 0 pods, and only an event of its "
        "ReplicaSet says why."
    ),
    remedy="give the GPUs under limits only; the request follows",
    sources=(
        Source(
            origin=Origin.UPSTREAM,
            where="kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus: both values must be equal",
        ),
    ),
    check=_check,
)

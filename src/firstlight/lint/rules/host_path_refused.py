"""
A directory of the node in a namespace that forbids it.
"""

from collections.abc import Iterator

from firstlight.lint.engine import Engine
from firstlight.lint.engine_pods import engine_pods
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.manifests.pod_templates import all_containers
from firstlight.readers.kube.fields import mapping, mappings, text, within
from firstlight.techniques.sources import Origin, Source

_LABEL = "pod-security.kubernetes.io/enforce"
_HOSTS = ("hostIPC", "hostNetwork", "hostPID")
_FORBID = frozenset({"baseline", "restricted"})


def _check(scene: Scene) -> Iterator[Hit]:
    levels = {
        m.identity.name: text(mapping(within(m.value, "metadata", "labels")).get(_LABEL))
        for m in scene.of_kind("Namespace", group="")
    }
    for engine in engine_pods(scene):
        namespace = engine.workload.namespace
        level = levels.get(namespace, "")
        if level not in _FORBID:
            continue
        for index, volume in enumerate(mappings(engine.pod.get("volumes"))):
            if volume.get("hostPath"):
                path = within(volume, "hostPath", "path")
                yield Hit(
                    manifest=engine.manifest,
                    pointer=f"{engine.workload.pod_pointer}/volumes/{index}/hostPath",
                    what=f"the pod mounts {path} of its node, and namespace {namespace} enforces "
                    f"Pod Security {level}, which forbids it{_also(engine)}",
                )


def _also(engine: Engine) -> str:
    """What else of the pod those levels forbid, for the end of a sentence."""
    found = [name for name in _HOSTS if engine.pod.get(name) is True]
    containers = mappings([*all_containers(engine.pod)])
    if any(within(c, "securityContext", "privileged") is True for c in containers):
        found.append("privileged")
    return f", as it does {' and '.join(found)}, which the pod has too" if found else ""


RULE = Rule(
    code="host-path-refused",
    severity=Severity.ERROR,
    title="A pod with a hostPath needs a namespace that allows it",
    why=(
        "Pod Security's levels baseline and restricted forbid hostPath. The API server warns when "
        "the Deployment is applied and accepts it; the pods are refused one by one, and the "
        "Deployment stays at 0 with an event of its ReplicaSet."
    ),
    remedy=(
        "label the namespace privileged and keep nothing else in it, or keep the cache on a claim"
    ),
    sources=(
        Source(
            origin=Origin.UPSTREAM,
            where="kubernetes.io/docs/concepts/security/pod-security-standards, baseline: hostPath "
            "volumes must be forbidden",
        ),
    ),
    check=_check,
    techniques=("compile-cache-local",),
)

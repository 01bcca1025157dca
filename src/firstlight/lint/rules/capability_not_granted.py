"""
A container that starts a program which it does not permit to work.
"""

from collections.abc import Iterator

from firstlight.lint.privileged_programs import MOUNTING, lacking
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.manifests.objects import Manifest
from firstlight.manifests.pod_templates import pod_pointers
from firstlight.readers.json_pointer import value_at
from firstlight.readers.kube.fields import mappings, text
from firstlight.techniques.sources import Origin, Source

_FIELDS = ("initContainers", "containers")
_ADD = "securityContext.capabilities.add: [{}]"
_MOUNT = (
    f"{_ADD.format('SYS_ADMIN')} and the device /dev/fuse from a device plugin; privileged: true "
    "where another container is to see the mount; better, let a CSI driver mount, or stream the "
    "model"
)


def _check(scene: Scene) -> Iterator[Hit]:
    for manifest in scene.objects:
        for pod_pointer in pod_pointers(manifest.value):
            yield from _of_pod(manifest, pod_pointer)


def _of_pod(manifest: Manifest, pod_pointer: str) -> Iterator[Hit]:
    pod = value_at(manifest.value, pod_pointer)
    for field in _FIELDS:
        for index, container in enumerate(mappings(pod.get(field))):
            pointer = f"{pod_pointer}/{field}/{index}"
            for one in lacking(pod, container):
                needed = " or ".join(one.any_of)
                context = "/securityContext" if container.get("securityContext") else ""
                yield Hit(
                    manifest=manifest,
                    pointer=pointer + context,
                    what=f"the container {text(container.get('name'))} runs {one.program}, which "
                    f"needs the capability {needed}, and has neither it nor privileged: true",
                    remedy=_MOUNT if one.any_of == MOUNTING else _ADD.format(one.any_of[0]),
                )


RULE = Rule(
    code="capability-not-granted",
    severity=Severity.ERROR,
    title="A container must have the capability that its program needs",
    why=(
        "Root in a container may not mount and may not look into other processes' memory. A "
        "sidecar that mounts a bucket through FUSE ends with `fusermount: mount failed: Operation "
        "not permitted`, and what waits for the folder finds an empty one; CRIU, which vLLM's "
        "snapshot uses too, refuses to begin. Nothing of this shows in the manifest or when it is "
        "applied. No technique here needs a capability or another seccomp profile: RuntimeDefault "
        "refuses io_uring, and none of them is known to need it, so no rule asks for one."
    ),
    remedy="add the capability, and the device for FUSE; or do without the program",
    sources=(
        Source(
            origin=Origin.UPSTREAM,
            where="man7.org/linux/man-pages/man7/capabilities.7.html: CAP_SYS_ADMIN, "
            "CAP_CHECKPOINT_RESTORE",
        ),
        Source(
            origin=Origin.REPORTED,
            where="github.com/kubernetes/kubernetes/issues/7890, "
            "github.com/squat/generic-device-plugin/issues/47: FUSE in a pod takes SYS_ADMIN",
        ),
        Source(
            origin=Origin.REPORTED,
            where="github.com/kubernetes/kubernetes/issues/137549: a hostPath of /dev/fuse is not "
            "enough",
        ),
        Source(
            origin=Origin.REPORTED,
            where="github.com/checkpoint-restore/criu/issues/2401: `CRIU needs to have the "
            "CAP_SYS_ADMIN or the CAP_CHECKPOINT_RESTORE capability`",
        ),
        Source(origin=Origin.UPSTREAM, where="vllm/snapshot/runtime.py, 0.32: snapshots run criu"),
        Source(
            origin=Origin.UPSTREAM,
            where="github.com/containerd/containerd/pull/9320: io_uring in RuntimeDefault",
        ),
    ),
    check=_check,
)

"""
The Job that publishes what the pods of a workload pull: one start, one request, one push.

It is made from the workload itself, so that image, arguments, variables and paths, by which a cache
is keyed, are the same. What differs is who it is and what becomes of it: another ServiceAccount,
which may write and read nothing; an empty folder for the caches, so that only this start's are
published; no labels by which a Service would send it requests; and no containers beside the
engine, because a Job ends when all of its containers have.

An engine never ends by itself. A shell around its command waits for a file in a folder that both
containers see: the publisher writes it when it is done. In the other direction the shell says that
the engine has ended, and nobody waits for a server that will never answer. (Kubernetes from 1.29
on has sidecars that would end by themselves; older ones have not.)
"""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from firstlight.caches import variables
from firstlight.caches.job_files import ENGINE_ENDED, NOT_PUBLISHED, PUBLISHED
from firstlight.core.errors import BadInput
from firstlight.core.signs import RESTORES_CACHE
from firstlight.manifests.engine_address import engine_address
from firstlight.manifests.expected_factors import EXPECTED, expectation
from firstlight.manifests.json_values import canonical_text, copied
from firstlight.manifests.objects import Manifest, ObjectSet
from firstlight.manifests.workload import Workload

SHARED = "/firstlight/publishing"
_CACHES_VOLUME, _SHARED_VOLUME = "firstlight-caches", "firstlight-publishing"
_DEADLINE_S = 3600
_SCRIPT = f"""\
"$@" &
engine=$!
trap 'kill -TERM $engine' TERM INT
(until [ -e {SHARED}/{PUBLISHED} ] || [ -e {SHARED}/{NOT_PUBLISHED} ]; do sleep 1; done
 kill -TERM $engine; sleep 20; kill -KILL $engine) &
wait $engine
[ -e {SHARED}/{PUBLISHED} ] && exit 0
[ -e {SHARED}/{NOT_PUBLISHED} ] || : > {SHARED}/{ENGINE_ENDED}
exit 1
"""
_RESOURCES = {"cpu": "1", "memory": "512Mi"}
"""Of the publisher: a namespace may admit no pod that does not say it."""
_DIGITS, _NAME_LETTERS = 8, 40
"""A pod's name is the Job's and some letters, and a label holds no more than 63."""
_WATCHES = ("startupProbe", "readinessProbe", "livenessProbe", "lifecycle", "ports")
_STORE_VARIABLES = frozenset(
    {"AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_REGION", "AWS_DEFAULT_REGION", "VLLM_API_KEY"}
)
"""What says where the store is, and how the engine is asked; not who one is in the store."""


def publisher_name(workload: Workload) -> str:
    """Of its ServiceAccount and its Secret."""
    return f"{workload.manifest.identity.name}-cache-publisher"


def publishing_job(workload: Workload, objects: ObjectSet) -> tuple[Manifest, ...]:
    """
    A ServiceAccount and a Job.

    Args:
        workload: one whose pods pull a published cache.
        objects: the set it is in.

    Raises:
        BadInput: its pods pull none, or how the engine is started is not written out.
    """
    restoring = _restoring(workload)
    name, namespace = workload.manifest.identity.name, workload.namespace
    where = {"namespace": namespace} if namespace else {}
    account = {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {"name": publisher_name(workload), **where},
    }
    labels = {"app.kubernetes.io/name": f"{name[:_NAME_LETTERS]}-publish-cache"}
    template = {
        "metadata": {
            "labels": labels,
            "annotations": {EXPECTED: expectation(workload, objects)},
        },
        "spec": _pod(workload, objects, restoring),
    }
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": _job_name(name, template), **where, "labels": labels},
        "spec": {
            "backoffLimit": 0,
            "activeDeadlineSeconds": _DEADLINE_S,
            "template": template,
        },
    }
    return Manifest(value=account), Manifest(value=job)


def _job_name(name: str, template: Mapping[str, Any]) -> str:
    """Another for each engine: a Job cannot be changed, and one for the same has nothing to do."""
    digest = sha256(canonical_text(template).encode()).hexdigest()[:_DIGITS]
    return f"{name[:_NAME_LETTERS]}-publish-cache-{digest}"


def needed_first(workload: Workload) -> tuple[str, ...]:
    """What the Job needs in the cluster, in sentences."""
    name = publisher_name(workload)
    uri = _given(_restoring(workload), "--from")
    place = f" -n {workload.namespace}" if workload.namespace else ""
    secret = (
        f"a Secret with the private key: `kubectl create secret generic {name}{place} "
        f"--from-file={variables.KEY}=$HOME/.config/firstlight/cache-keys/private.key`; keys "
        "of the store, where there are any, go into it too (AWS_ACCESS_KEY_ID, "
        "AWS_SECRET_ACCESS_KEY), and VLLM_API_KEY where the engine has it by envFrom"
    )
    role = (
        f"on EKS: a role for ServiceAccount {name} that may s3:PutObject and "
        f"s3:AbortMultipartUpload below {uri}, besides what the engine needs to read its model"
    )
    return secret, role


def _restoring(workload: Workload) -> Mapping[str, Any]:
    for one in workload.pod.get("initContainers") or []:
        if one.get("name") == RESTORES_CACHE and _given(one, "--from") and _given(one, "--into"):
            return dict(one)
    raise BadInput(
        f"the pods of {workload.manifest.identity} pull no published cache "
        f"({workload.manifest.place()})",
        remedy="put on --technique compile-cache-published as well",
    )


def _given(container: Mapping[str, Any], option: str) -> str:
    """What stands behind an option; empty where it is not there."""
    words = [str(word) for word in container.get("args") or []]
    at = words.index(option) + 1 if option in words else len(words)
    return words[at] if at < len(words) else ""


def _pod(workload: Workload, objects: ObjectSet, restoring: Mapping[str, Any]) -> dict[str, Any]:
    pod: dict[str, Any] = copied(workload.pod)
    folder = _given(restoring, "--into")
    others = [c for c in pod.get("initContainers") or [] if c.get("name") != RESTORES_CACHE]
    pod |= {
        "serviceAccountName": publisher_name(workload),
        "restartPolicy": "Never",
        "containers": [_engine(workload, folder), _publisher(workload, objects, restoring)],
        "volumes": [
            *(pod.get("volumes") or []),
            {"name": _CACHES_VOLUME, "emptyDir": {}},
            {"name": _SHARED_VOLUME, "emptyDir": {}},
        ],
    }
    pod.pop("initContainers", None)
    # On the node's network another engine of the node might answer in its place.
    pod.pop("hostNetwork", None)
    return {**pod, **({"initContainers": others} if others else {})}


def _engine(workload: Workload, folder: str) -> dict[str, Any]:
    engine: dict[str, Any] = copied(workload.container)
    command = engine.get("command")
    if not command:
        raise BadInput(
            f"{workload.place()} has no command, so how its image starts the engine is not known",
            remedy="write it out, as the image's entrypoint has it: command: [vllm, serve]",
        )
    _check_volumes(workload)
    words = [*command, *(engine.get("args") or [])]
    for field in _WATCHES:
        engine.pop(field, None)
    mounts = [m for m in engine.get("volumeMounts") or [] if m.get("mountPath") != folder]
    return engine | {
        "command": ["sh", "-c"],
        "args": [_SCRIPT, "sh", *words],
        "volumeMounts": [
            *mounts,
            {"name": _CACHES_VOLUME, "mountPath": folder},
            {"name": _SHARED_VOLUME, "mountPath": SHARED},
        ],
    }


def _check_volumes(workload: Workload) -> None:
    """A Job has no volumes of a StatefulSet's templates."""
    there = {str(one.get("name")) for one in workload.pod.get("volumes") or []}
    for at, mount in enumerate(workload.container.get("volumeMounts") or []):
        if str(mount.get("name")) not in there:
            raise BadInput(
                f"the volume {mount.get('name')} is none of the pod's own "
                f"({workload.place(f'/volumeMounts/{at}')}), and a Job has no volumeClaimTemplates",
                remedy="give the pod the volume itself for the publishing start",
            )


def _publisher(
    workload: Workload, objects: ObjectSet, restoring: Mapping[str, Any]
) -> dict[str, Any]:
    folder = _given(restoring, "--into")
    engine = workload.container
    found = [copied(v) for v in engine.get("env") or [] if v.get("name") in _STORE_VARIABLES]
    context = copied(engine.get("securityContext") or {})
    return {
        "name": "publish-compile-cache",
        "image": restoring.get("image"),
        "command": ["firstlight"],
        "args": [
            *("cache", "push", folder, "--to", _given(restoring, "--from")),
            *("--served-by", engine_address(workload, objects), "--shared", SHARED),
        ],
        "env": [
            {
                "name": variables.EXPECT,
                "valueFrom": {"fieldRef": {"fieldPath": f"metadata.annotations['{EXPECTED}']"}},
            },
            # The archive is packed there: the root of a careful pod cannot be written.
            {"name": "TMPDIR", "value": SHARED},
            *found,
        ],
        "envFrom": [{"secretRef": {"name": publisher_name(workload)}}],
        "volumeMounts": [
            {"name": _CACHES_VOLUME, "mountPath": folder, "readOnly": True},
            {"name": _SHARED_VOLUME, "mountPath": SHARED},
        ],
        "resources": {"requests": dict(_RESOURCES), "limits": dict(_RESOURCES)},
        **({"securityContext": context} if context else {}),
    }

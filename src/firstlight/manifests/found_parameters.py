"""
Values that need not be asked for, because the objects tell them.

Some are plain: the engine's image, its port, the bucket behind a mounted model. Others tell
how a technique was drawn before: where the pod has a container or a volume of the name that
the card gives to its own, the card's text is laid over what is there, and what stands where
a parameter would is its value. So a second drawing asks nothing again and changes nothing.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from firstlight.core.errors import BadInput
from firstlight.core.hosts import is_loopback
from firstlight.manifests.command_line import command_line
from firstlight.manifests.draft import argument_text, model_of
from firstlight.manifests.hidden_arguments import mount_of
from firstlight.manifests.kubectl_words import named
from firstlight.manifests.model_source import model_source
from firstlight.manifests.mounts import outlives_pods, volume_named
from firstlight.manifests.objects import ObjectSet
from firstlight.manifests.pool_choice import Unclear, named_pool
from firstlight.manifests.variables import variables
from firstlight.manifests.workload import Workload
from firstlight.readers.engine_program import DEFAULT_PORT
from firstlight.readers.kube.fields import counted
from firstlight.techniques import operations as of
from firstlight.techniques.parameters import REFERENCE

UNWRITTEN_NAMESPACE = "default"
"""Where an object goes that does not say it, unless whoever applies it says otherwise."""
CACHE_MOUNT = "/var/cache/firstlight"
"""Of the volume, where nobody says otherwise."""
_OBJECT_STORES = ("s3://", "gs://", "az://")
_CACHE_ROOT = "VLLM_CACHE_ROOT"


def built_in(workload: Workload, objects: ObjectSet) -> dict[str, Any]:
    """What is known of every workload."""
    return {
        "name": workload.manifest.identity.name,
        "namespace": workload.namespace or UNWRITTEN_NAMESPACE,
        "workload": named(workload.manifest.identity),
        "engine_image": str(workload.container.get("image") or ""),
        "engine_port": _port(workload, objects),
        "engine_container": str(workload.container.get("name") or ""),
    }


def parameters_from(objects: ObjectSet, workload: Workload) -> dict[str, Any]:
    """What the objects tell of the parameters that cards share."""
    found: dict[str, Any] = {}
    try:
        model = model_of(workload, objects)
        source = model_source(workload, objects)
    except BadInput:
        model, source = None, None
    if source is not None:
        found |= {
            "model_uri": source.uri,
            "bucket": source.bucket,
            "bucket_prefix": source.prefix,
            "model_mount": source.mount_path,
        }
        found |= {} if source.region is None else {"region": source.region}
    elif model is not None and model.startswith(_OBJECT_STORES):
        found["model_uri"] = model
    return found | _cache_dir(workload) | _node(workload)


def drawn_before(
    operations: tuple[of.Operation, ...],
    workload: Workload,
    objects: ObjectSet,
    known: Mapping[str, Any],
) -> dict[str, Any]:
    """
    Parameters of an earlier drawing of these operations.

    Args:
        operations: as the card has them, with references.
        workload: the one that runs the engine.
        objects: the set it is in.
        known: values that stand already: they are read as what they are.
    """
    found: dict[str, Any] = {}
    for template, actual in _pairs(operations, workload, objects, known):
        found = _laid_over(template, actual, known) | found
    return found


def _pairs(
    operations: tuple[of.Operation, ...],
    workload: Workload,
    objects: ObjectSet,
    known: Mapping[str, Any],
) -> Iterator[tuple[Any, Any]]:
    pod = workload.pod
    for operation in operations:
        match operation:
            case of.AddInitContainer() | of.AddContainer():
                containers = [*(pod.get("initContainers") or []), *(pod.get("containers") or [])]
                for there in containers:
                    if there.get("name") == operation.container.get("name"):
                        yield operation.container, there
            case of.AddVolume():
                name = operation.volume.get("name")
                if (volume := volume_named(pod, name)) is not None:
                    yield operation.volume, volume
                for mount in workload.container.get("volumeMounts") or []:
                    if mount.get("name") == name:
                        yield operation.mount_path, mount.get("mountPath")
            case of.AddObject():
                wanted = (operation.object.get("metadata") or {}).get("name")
                for m in objects.of_kind(str(operation.object.get("kind"))):
                    if re.fullmatch(_pattern(str(wanted), known), m.identity.name):
                        yield operation.object, m.value
            case _:
                pass


def cache_mount(values: Mapping[str, Any]) -> dict[str, str]:
    """
    Where a volume for the compile cache is mounted.

    The folder with the caches lies in it and is not it: a published cache comes to its place by a
    rename, and a mount point cannot be renamed onto.
    """
    folder = str(values.get("cache_dir") or "")
    inside = folder.startswith(f"{CACHE_MOUNT}/")
    return {"cache_mount": CACHE_MOUNT if inside else folder}


def given_now(
    operations: tuple[of.Operation, ...], workload: Workload, objects: ObjectSet
) -> dict[str, Any]:
    """
    Parameters that are a whole argument or variable, as the engine is given them now.

    The weakest source: it makes a technique that is there be found there.
    """
    found: dict[str, Any] = {}
    for operation in operations:
        if not isinstance(operation, of.SetArgument | of.SetEnvironment):
            continue
        whole = REFERENCE.fullmatch(operation.value or "")
        if whole is None:
            continue
        if isinstance(operation, of.SetEnvironment):
            value = variables(workload.container, objects, workload.namespace).get(operation.name)
        else:
            value = _given(workload, objects, operation.argument)
        found |= {} if value is None else {whole[1]: value}
    return found


def _laid_over(template: Any, actual: Any, known: Mapping[str, Any]) -> dict[str, Any]:
    """What stands in the actual value where the template has parameters."""
    if isinstance(template, dict) and isinstance(actual, dict):
        pairs = [(v, actual[k]) for k, v in template.items() if k in actual]
    elif isinstance(template, list) and isinstance(actual, list) and len(template) <= len(actual):
        # What was added to a list stands at its end.
        pairs = list(zip(template, actual, strict=False))
    elif isinstance(template, str) and actual is not None:
        if (whole := REFERENCE.fullmatch(template)) is not None:
            return {} if whole[1] in known else {whole[1]: actual}
        match = re.fullmatch(_pattern(template, known), str(actual))
        return dict(match.groupdict()) if match else {}
    else:
        return {}
    found: dict[str, Any] = {}
    for inner, there in pairs:
        found = _laid_over(inner, there, known) | found
    return found


def _pattern(template: str, known: Mapping[str, Any]) -> str:
    pattern, at, seen = "(?s)", 0, set[str]()
    for match in REFERENCE.finditer(template):
        name = match[1]
        pattern += re.escape(template[at : match.start()])
        if name in known:
            pattern += re.escape(str(known[name]))
        else:
            pattern += f"(?P={name})" if name in seen else f"(?P<{name}>.+?)"
            seen.add(name)
        at = match.end()
    return pattern + re.escape(template[at:])


def _cache_dir(workload: Workload) -> dict[str, str]:
    """Where the engine keeps its cache already, if that outlives its pods."""
    entries = [e for e in workload.container.get("env") or [] if e.get("name") == _CACHE_ROOT]
    root = str(entries[-1].get("value") or "") if entries else ""
    folder = root.removesuffix("/vllm")
    mount = mount_of(workload.container, folder) if folder.startswith("/") else None
    volume = volume_named(workload.pod, mount.get("name")) if mount else None
    kept = root != folder and volume is not None and outlives_pods(volume, mount)
    return {"cache_dir": folder} if kept else {}


def _node(workload: Workload) -> dict[str, Any]:
    """What of a node the workload asks for."""
    resources = workload.container.get("resources") or {}
    asked = {**(resources.get("limits") or {}), **(resources.get("requests") or {})}
    found = {
        "nodepool": _pool(workload.pod),
        "gpus": asked.get("nvidia.com/gpu"),
        "cpu": asked.get("cpu"),
        "memory": asked.get("memory"),
    }
    return {name: str(value) for name, value in found.items() if value is not None}


def _pool(pod: dict[str, Any]) -> str | None:
    try:
        return named_pool(pod)
    except Unclear:
        # Whoever needs one has to be told it.
        return None


def _port(workload: Workload, objects: ObjectSet) -> int:
    """The port that clients use."""
    declared = [p for p in workload.container.get("ports") or [] if p.get("containerPort")]
    named = [p for p in declared if p.get("name") == "http"]
    chosen = named[:1] or (declared if len(declared) == 1 else [])
    fallback = int(chosen[0]["containerPort"]) if chosen else DEFAULT_PORT
    host = _given(workload, objects, "--host")
    port = _given(workload, objects, "--port")
    behind_another = host is not None and is_loopback(host)
    number = counted(port)
    return fallback if number is None or behind_another else number


def _given(workload: Workload, objects: ObjectSet, argument: str) -> str | None:
    """An argument's value; None where it is not given, or not known."""
    try:
        line = command_line(workload.container, workload.place)
    except BadInput:
        # Arguments that cannot be read are told of by the operation that needs them.
        return None
    option = line.last(argument)
    if option is None or option.value is None:
        return None
    return argument_text(option.value, workload, line, objects)

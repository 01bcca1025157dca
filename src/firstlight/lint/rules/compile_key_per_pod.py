"""A variable that is a part of the compile cache's key, and another in each pod."""

import re
from collections.abc import Iterator

from firstlight.lint.compile_cache import KEPT, compiles, vllm_cache
from firstlight.lint.engine import Engine
from firstlight.lint.engine_image import Version, version
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.manifests.kinds import kind_of
from firstlight.manifests.variables import names
from firstlight.readers.kube.fields import within
from firstlight.techniques.sources import Origin, Source

_NEWEST = (0, 32)
_HASHED: dict[str, tuple[Version, Version | None]] = {
    "MOONCAKE_REQUESTER_LOCAL_HOSTNAME": ((0, 22), None),
    "VLLM_API_KEY": ((0, 12), (0, 29)),
    "VLLM_EC_SIDE_CHANNEL_HOST": ((0, 26), None),
    "VLLM_LOOPBACK_IP": ((0, 12), None),
    "VLLM_NIXL_SIDE_CHANNEL_HOST": ((0, 12), (0, 22)),
    "VLLM_P2P_SIDE_CHANNEL_HOST": ((0, 26), None),
    "VLLM_PROCESS_NAME_PREFIX": ((0, 12), None),
    "VLLM_RAY_DP_PLACEMENT_NODE_IPS": ((0, 23), None),
}
"""Texts that tell pods apart and are hashed: from which version on, and up to which. Read from
`compile_factors` of the wheels 0.11 to 0.32; a variable that vLLM does not know is not hashed, and
one that it reads as a number, such as a rank or a port, holds no name or address of a pod."""
_OF_THE_POD = re.compile(r"metadata\.(?:name|uid)|status\.podIPs?")
_OF_THE_NODE = re.compile(r"spec\.nodeName|status\.hostIPs?")
_STABLE_KINDS = frozenset({"StatefulSet", "LeaderWorkerSet", "Pod"})
"""Their pods come back with the same names."""
_NAME = "metadata.name"


def _check(scene: Scene) -> Iterator[Hit]:
    for engine in scene.engines:
        fields = _fields(engine)
        hashed = [name for name in _HASHED if name in engine.variables and _is_hashed(name, engine)]
        told = [(name, field) for name in hashed if (field := _field(name, fields, engine))]
        if not told or not compiles(engine) or vllm_cache(engine).lies not in KEPT:
            continue
        for name, field in told:
            yield Hit(
                manifest=engine.manifest,
                pointer=engine.variable_pointer(name),
                what=f"{name} is a part of the compile cache's key and holds {field}, so no other "
                "pod finds what this one compiled",
            )


def _is_hashed(name: str, engine: Engine) -> bool:
    since, until = _HASHED[name]
    found = version(engine) or _NEWEST
    return since <= found and (until is None or found < until)


def _fields(engine: Engine) -> dict[str, str]:
    """Variables that hold a field of the pod which is another in the next pod, by name."""
    found = {}
    for entry in engine.container.get("env") or []:
        path = str(within(entry, "valueFrom", "fieldRef", "fieldPath") or "")
        if _differs(path, engine):
            found[str(entry.get("name"))] = path
    return found


def _differs(path: str, engine: Engine) -> bool:
    if _OF_THE_NODE.fullmatch(path):
        # On a folder of the node the cache is as old as the value.
        return "hostPath" not in (vllm_cache(engine).volume or {})
    if path == _NAME and kind_of(engine.manifest.value) in _STABLE_KINDS:
        return False
    return bool(_OF_THE_POD.fullmatch(path))


def _field(name: str, fields: dict[str, str], engine: Engine) -> str | None:
    """The field that a variable holds, itself or within its text; None where it holds none."""
    if name in fields:
        return fields[name]
    entries = engine.container.get("env") or []
    texts = [str(e.get("value") or "") for e in entries if e.get("name") == name]
    return next((fields[n] for n in names(texts[-1]) if n in fields), None) if texts else None


RULE = Rule(
    code="compile-key-per-pod",
    severity=Severity.WARNING,
    title="No variable of the compile cache's key may differ from pod to pod",
    why=(
        "vLLM hashes most of the variables it knows into the key, about 240 of 316 in 0.32. One "
        "that holds the pod's address or name makes a new key in each pod: the cache is mounted, "
        "grows, and is never hit. The log shows a start that compiles, as the first one did. Only "
        "variables that vLLM knows are hashed, so the many that Kubernetes sets for each Service "
        "change no key; one called vllm ends the start instead, through VLLM_PORT, see "
        "service-named-vllm. Ranks are no pod's name or address: RANK is none of vLLM's variables, "
        "LOCAL_RANK is left out of the key, and VLLM_DP_RANK makes one key for each rank, which "
        "the next pod of that rank finds."
    ),
    remedy="leave the variable away, or give it a value that all pods share; a newer vLLM ignores "
    "more of them",
    sources=(
        Source(origin=Origin.UPSTREAM, where="vllm/envs.py compile_factors, 0.12 to 0.32"),
        Source(origin=Origin.REPORTED, where="github.com/ai-dynamo/dynamo/issues/10695"),
        Source(origin=Origin.REPORTED, where="github.com/NovaSky-AI/SkyRL/pull/2167"),
    ),
    check=_check,
    techniques=("compile-cache-local", "compile-cache-published"),
)

"""Objects around an engine, each a value to be changed and written as YAML."""

from copy import deepcopy
from typing import Any

import yaml

from firstlight.lint.linting import Linted
from firstlight.lint.rule import Rule
from firstlight.lint.scene import Stated
from tests.lint.judging import judged

IMAGE = "vllm/vllm-openai:v0.26.0"
GPU = "nvidia.com/gpu"


def said_by(rule: Rule, *values: dict[str, Any], stated: Stated | None = None) -> list[str]:
    """The sentences of one rule over some objects; each place has a line."""
    linted = linted_by(rule, *values, stated=stated)
    assert all(one.line for one in linted.findings)
    return [one.what for one in linted.findings]


def linted_by(rule: Rule, *values: dict[str, Any], stated: Stated | None = None) -> Linted:
    text = yaml.safe_dump_all(deepcopy(list(values)), sort_keys=False)
    linted = judged(text, rules=(rule,), stated=stated)
    assert () == linted.not_judged
    return linted


def engine(**changes: Any) -> dict[str, Any]:
    """A container; a field that is None is left out."""
    whole = {
        "name": "engine",
        "image": IMAGE,
        "command": ["vllm", "serve"],
        "args": ["s3://models/qwen", "--load-format=runai_streamer"],
        "resources": {"limits": {GPU: 1}},
    }
    return {key: value for key, value in (whole | changes).items() if value is not None}


def deployment(
    container: dict[str, Any] | None = None,
    *,
    pod: dict[str, Any] | None = None,
    annotations: dict[str, str] | None = None,
    name: str = "qwen",
    namespace: str | None = "serving",
    **spec: Any,
) -> dict[str, Any]:
    """A Deployment with an engine in it."""
    meta: dict[str, Any] = {"labels": {"app": "qwen"}}
    if annotations:
        meta["annotations"] = annotations
    inner = {"containers": [container or engine()]} | (pod or {})
    value: dict[str, Any] = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {"template": {"metadata": meta, "spec": inner}} | spec,
    }
    if namespace:
        value["metadata"]["namespace"] = namespace
    return value


def daemon_set(*, image: str = IMAGE, pod: dict[str, Any] | None = None) -> dict[str, Any]:
    """A DaemonSet that pulls an image and waits."""
    inner = {
        "initContainers": [{"name": "pull", "image": image, "command": ["true"]}],
        "containers": [{"name": "wait", "image": "registry.k8s.io/pause:3.10"}],
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": "pull", "namespace": "serving"},
        "spec": {"template": {"spec": inner | (pod or {})}},
    }


IN_POOL: dict[str, Any] = {"nodeSelector": {"karpenter.sh/nodepool": "gpu"}}


def pool(
    *,
    name: str = "gpu",
    labels: dict[str, str] | None = None,
    required: dict[str, list[str]] | None = None,
    disruption: dict[str, Any] | None = None,
    limits: dict[str, Any] | None = None,
    **template: Any,
) -> dict[str, Any]:
    """A NodePool of the class `gpu`."""
    reference = {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "gpu"}
    listed = [{"key": k, "operator": "In", "values": v} for k, v in (required or {}).items()]
    inner = {"nodeClassRef": reference, "requirements": listed} | template
    spec: dict[str, Any] = {"template": {"metadata": {"labels": labels or {}}, "spec": inner}}
    spec["disruption"] = disruption or {"consolidationPolicy": "WhenEmpty"}
    spec |= {"limits": limits} if limits else {}
    return {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodePool",
        "metadata": {"name": name},
        "spec": spec,
    }


def node_class(*, name: str = "gpu", alias: str = "al2023@latest", **spec: Any) -> dict[str, Any]:
    """An EC2NodeClass."""
    return {
        "apiVersion": "karpenter.k8s.aws/v1",
        "kind": "EC2NodeClass",
        "metadata": {"name": name},
        "spec": {"amiSelectorTerms": [{"alias": alias}]} | spec,
    }


def claim(*modes: str, name: str = "cache", **spec: Any) -> dict[str, Any]:
    """A PersistentVolumeClaim."""
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": "serving"},
        "spec": {"accessModes": list(modes)} | spec,
    }


CLAIMED: dict[str, Any] = {
    "volumes": [{"name": "cache", "persistentVolumeClaim": {"claimName": "cache"}}]
}


def health(**fields: Any) -> dict[str, Any]:
    """A probe of the engine's own port."""
    return {"httpGet": {"path": "/health", "port": 8000}} | fields

"""The manifests of five kinds of people, and sets of objects made on the spot."""

from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from firstlight.manifests.objects import Manifest, ObjectSet

FOLDER = Path(__file__).parent / "shapes"
SHAPES = tuple(sorted(path.stem for path in FOLDER.glob("*.yaml")))


@cache
def _values(name: str) -> tuple[dict[str, Any], ...]:
    documents = [d for d in yaml.safe_load_all((FOLDER / f"{name}.yaml").read_text()) if d]
    return tuple(v for d in documents for v in (d["items"] if d["kind"] == "List" else [d]))


def shape(name: str) -> ObjectSet:
    """The objects of one of the files; a List as what is in it."""
    return ObjectSet(
        manifests=tuple(
            Manifest(value=deepcopy(value), artefact=f"{name}.yaml") for value in _values(name)
        )
    )


def objects(*values: dict[str, Any]) -> ObjectSet:
    return ObjectSet(manifests=tuple(Manifest(value=v) for v in values))


def deployment(container: dict[str, Any], **pod: Any) -> dict[str, Any]:
    """A Deployment with one engine in it."""
    engine = {"name": "vllm", "image": "vllm/vllm-openai:v0.26.0"} | container
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "llm", "namespace": "ns"},
        "spec": {"template": {"spec": {"containers": [engine]} | pod}},
    }


def engine(of: ObjectSet) -> dict[str, Any]:
    """The container of a set that `deployment` is the first object of."""
    found: dict[str, Any] = of.manifests[0].value["spec"]["template"]["spec"]["containers"][0]
    return found

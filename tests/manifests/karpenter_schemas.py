"""
Karpenter's two kinds, as schemas that were written by reading its sources; each names the
file and the commit.

They are closed, so that a misspelt field fails. For a control plane they become structural
schemas: those are closed by pruning, and take no such keyword.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

FOLDER = Path(__file__).parent / "schemas"
_PLURALS = {"NodePool": "nodepools", "EC2NodeClass": "ec2nodeclasses"}


@cache
def schemas() -> dict[str, Any]:
    """By kind."""
    read = [json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))]
    return {schema["properties"]["kind"]["enum"][0]: schema for schema in read}


def complaints(value: dict[str, Any]) -> list[str]:
    """What is wrong with an object of Karpenter's, each with its path."""
    found = Draft202012Validator(schemas()[value["kind"]]).iter_errors(value)
    return [f"{error.json_path}: {error.message}" for error in found]


def crd(kind: str) -> dict[str, Any]:
    """The definition under which an API server takes this kind."""
    schema = schemas()[kind]
    group, _, version = schema["properties"]["apiVersion"]["enum"][0].partition("/")
    open_schema = _structural(schema)
    # The server has its own idea of these.
    open_schema["properties"] |= {
        "metadata": {"type": "object"},
        "apiVersion": {"type": "string"},
        "kind": {"type": "string"},
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{_PLURALS[kind]}.{group}"},
        "spec": {
            "group": group,
            "scope": "Cluster",
            "names": {"plural": _PLURALS[kind], "singular": kind.lower(), "kind": kind},
            "versions": [
                {
                    "name": version,
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": open_schema},
                }
            ],
        },
    }


def _structural(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_structural(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: _structural(value)
        for key, value in schema.items()
        if key not in ("$schema", "title") and (key, value) != ("additionalProperties", False)
    }

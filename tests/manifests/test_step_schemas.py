"""Every object of every step is one that the server of each supported version takes."""

import re
from collections.abc import Iterator
from typing import Any

import kubernetes_validate  # type: ignore[import-untyped]
import pytest

from firstlight.manifests.objects import Manifest
from tests.manifests.intents import NAMES
from tests.manifests.karpenter_schemas import complaints, crd, schemas
from tests.manifests.rendered import example_steps

VERSIONS = ("1.33", "1.34", "1.35", "1.36")
KARPENTERS = frozenset(schemas())


def objects(name: str) -> Iterator[tuple[str, Manifest]]:
    """Each with the step that it is new or other in, for whoever reads a failure."""
    seen: list[dict[str, Any]] = []
    for step in example_steps(name):
        for manifest in step.objects:
            if manifest.value not in seen:
                seen.append(manifest.value)
                yield f"step {step.number}: {manifest.identity}", manifest


def invalid(value: dict[str, Any], version: str) -> str:
    """What Kubernetes' own schema says against it; empty where nothing."""
    try:
        kubernetes_validate.validate(value, version, strict=True)
    except kubernetes_validate.ValidationError as e:
        return str(e)
    return ""


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("version", VERSIONS)
def test_every_object_is_valid(name: str, version: str) -> None:
    """Strictly: a field that the version does not know fails."""
    found = [
        (where, said)
        for where, manifest in objects(name)
        if manifest.identity.kind not in KARPENTERS
        if (said := invalid(manifest.value, version))
    ]

    assert [] == found


@pytest.mark.parametrize("name", NAMES)
def test_karpenters_objects_are_valid(name: str) -> None:
    """By schemas that were written from Karpenter's sources, for the same reason closed."""
    seen = [(where, m) for where, m in objects(name) if m.identity.kind in KARPENTERS]

    assert KARPENTERS == {manifest.identity.kind for _, manifest in seen}
    assert [] == [(where, said) for where, m in seen for said in complaints(m.value)]


@pytest.mark.parametrize("name", NAMES)
def test_the_schemas_cover_what_is_rendered(name: str) -> None:
    """No kind passes because nobody looks at it."""
    core = {"", "apps"}
    kinds = {(m.identity.group, m.identity.kind) for _, m in objects(name)}

    assert KARPENTERS == {kind for group, kind in kinds if group not in core}


def broken(value: dict[str, Any], path: str, new: Any) -> dict[str, Any]:
    """A copy with another value in one place."""
    first, _, rest = path.partition("/")
    inner = broken(value[first], rest, new) if rest else new
    return value | {first: inner}


@pytest.mark.parametrize(
    ("kind", "path", "new"),
    [
        ("NodePool", "spec/disruption/consolidateAfter", "soon"),
        ("NodePool", "spec/disruption/consolidationPolicy", "WhenUnderutilized"),
        ("NodePool", "spec/disruption/expireAfter", "720h"),
        ("NodePool", "spec/template/spec/nodeClassRef", {"name": "x"}),
        ("NodePool", "spec/template/spec/requirements", [{"key": "zone", "operator": "In"}]),
        ("NodePool", "spec/limits", {"nvidia.com/gpu": 2}),
        ("EC2NodeClass", "spec/amiSelectorTerms", [{"alias": "al2023"}]),
        ("EC2NodeClass", "spec/amiSelectorTerms", []),
        ("EC2NodeClass", "spec/instanceProfile", "both-it-and-a-role"),
        ("EC2NodeClass", "spec/instanceStorePolicy", "RAID1"),
        ("EC2NodeClass", "spec/blockDeviceMappings", [{"deviceName": "/dev/xvda", "ebs": {}}]),
        ("EC2NodeClass", "spec/userdata", "#!/bin/sh"),
    ],
)
def test_karpenters_schemas_can_say_no(kind: str, path: str, new: Any) -> None:
    """A schema that takes everything proves nothing."""
    (good, *_) = (m.value for _, m in objects("intent") if m.identity.kind == kind)

    assert [] == complaints(good)
    assert complaints(broken(good, path, new))


@pytest.mark.parametrize("kind", sorted(KARPENTERS))
@pytest.mark.parametrize("version", VERSIONS)
def test_the_definitions_for_a_control_plane_are_valid(kind: str, version: str) -> None:
    """They are installed in the tests of the dry run."""
    assert "" == invalid(crd(kind), version)


@pytest.mark.parametrize("kind", sorted(KARPENTERS))
def test_a_schema_names_what_it_was_read_from(kind: str) -> None:
    """Whoever doubts a field can look at the same lines."""
    assert re.search(
        r"pkg/apis/v1/\w+\.go at commit [0-9a-f]{40}\b", schemas()[kind]["description"]
    )

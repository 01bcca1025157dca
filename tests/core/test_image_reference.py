"""One image in its many spellings."""

import pytest

from firstlight.core.image_reference import (
    are_one_image,
    full_name,
    is_pinned,
    is_reference,
    registry,
    repository,
)

DIGEST = f"sha256:{'a' * 64}"


@pytest.mark.parametrize(
    ("reference", "full"),
    [
        ("nginx", "docker.io/library/nginx:latest"),
        ("nginx:1", "docker.io/library/nginx:1"),
        ("docker.io/nginx:1", "docker.io/library/nginx:1"),
        ("index.docker.io/nginx:1", "docker.io/library/nginx:1"),
        ("index.docker.io/library/nginx:1", "docker.io/library/nginx:1"),
        ("vllm/vllm-openai", "docker.io/vllm/vllm-openai:latest"),
        (f"vllm/vllm-openai:v1@{DIGEST}", f"docker.io/vllm/vllm-openai@{DIGEST}"),
        (f"vllm/vllm-openai@{DIGEST}", f"docker.io/vllm/vllm-openai@{DIGEST}"),
        ("quay.io/vllm:1", "quay.io/vllm:1"),
        ("registry:5000/vllm", "registry:5000/vllm:latest"),
        (f"registry:5000/vllm:1@{DIGEST}", f"registry:5000/vllm@{DIGEST}"),
        ("localhost/vllm:1", "localhost/vllm:1"),
        ("Registry/vllm:1", "Registry/vllm:1"),
    ],
)
def test_what_a_reference_leaves_out_is_implied(reference: str, full: str) -> None:
    """The registry, its folder, the tag; a tag beside a digest means nothing, a port is no tag."""
    assert full == full_name(reference)
    assert full == full_name(full)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("vllm/v:1", "docker.io/vllm/v:1", True),
        (f"vllm/v:1@{DIGEST}", f"index.docker.io/vllm/v@{DIGEST}", True),
        ("nginx:1", "docker.io/library/nginx:1", True),
        ("vllm/v:1", "vllm/v:2", False),
        ("vllm/v:1", "quay.io/vllm/v:1", False),
        (f"vllm/v@{DIGEST}", f"vllm/v@sha256:{'b' * 64}", False),
        ("vllm/v:1", f"vllm/v@{DIGEST}", None),
        (f"vllm/v:1@{DIGEST}", "vllm/v:1", None),
        ("vllm/w:1", f"vllm/v@{DIGEST}", False),
    ],
)
def test_two_references_are_one_image_or_not(one: str, other: str, same: bool | None) -> None:
    """Which digest a tag meant is known to nobody here."""
    assert [same, same] == [are_one_image(one, other), are_one_image(other, one)]


def test_a_repository_and_its_registry() -> None:
    """Without tag and digest."""
    assert ["docker.io/library/nginx", "registry:5000"] == [
        repository(f"nginx:1@{DIGEST}"),
        registry("registry:5000/a/b:1"),
    ]


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("vllm/vllm-openai", True),
        ("registry.example.com:5000/a/b__c:v0.32.0", True),
        (f"a@sha256:{'0' * 64}", True),
        (f"a:v1@sha256:{'0' * 64}", True),
        ("A/b", True),
        ("a/B", False),
        ("a:", False),
        ("a b", False),
        ("${IMAGE}", False),
        ("a@sha256:12", False),
        ("a:v1\n", False),
        ("", False),
    ],
)
def test_what_is_a_reference(text: str, *, is_one: bool) -> None:
    """A repository has small letters; a host has not."""
    assert is_one == is_reference(text)


@pytest.mark.parametrize(
    ("reference", "pinned"),
    [
        ("vllm/vllm-openai", False),
        ("vllm/vllm-openai:latest", False),
        ("localhost:5000/vllm", False),
        ("vllm/vllm-openai:v0.32.0", True),
        (f"vllm/vllm-openai:latest@sha256:{'0' * 64}", True),
    ],
)
def test_a_version_or_a_digest_pins_an_image(reference: str, *, pinned: bool) -> None:
    """A registry's port is no tag."""
    assert pinned == is_pinned(reference)

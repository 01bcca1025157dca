"""Variables of the key that are others in each pod."""

from typing import Any

import pytest

from tests.lint.rules.engines import CACHES, CLAIM, EMPTY_DIR, HOST_PATH, engine, hits

CODE = "compile-key-per-pod"


def field(path: str) -> dict[str, Any]:
    return {"fieldRef": {"fieldPath": path}}


def kept(env: dict[str, Any], image: str = "v0.32.0", **other: Any) -> str:
    fields = {"volumes": {"/cache": HOST_PATH}, **other}
    return engine(env={**CACHES, **env}, image=f"vllm/vllm-openai:{image}", **fields)


@pytest.mark.parametrize(
    ("name", "image", "is_hashed"),
    [
        ("VLLM_NIXL_SIDE_CHANNEL_HOST", "v0.11.2", False),
        ("VLLM_NIXL_SIDE_CHANNEL_HOST", "v0.20.2", True),
        ("VLLM_NIXL_SIDE_CHANNEL_HOST", "v0.22.1", False),
        ("VLLM_NIXL_SIDE_CHANNEL_HOST", "latest", False),
        ("VLLM_LOOPBACK_IP", "v0.32.0", True),
        ("VLLM_LOOPBACK_IP", "latest", True),
        ("VLLM_HOST_IP", "v0.32.0", False),
        ("VLLM_LOGGING_PREFIX", "v0.32.0", False),
        ("VLLM_PROCESS_NAME_PREFIX", "v0.26.0", True),
        ("VLLM_P2P_SIDE_CHANNEL_HOST", "v0.24.0", False),
        ("VLLM_P2P_SIDE_CHANNEL_HOST", "v0.26.0", True),
        ("VLLM_OF_NOBODY", "v0.32.0", False),
        ("MY_IP", "v0.32.0", False),
        ("VLLM_DP_RANK", "v0.32.0", False),
        ("VLLM_NIXL_SIDE_CHANNEL_PORT", "v0.32.0", False),
        ("RANK", "v0.32.0", False),
        ("LOCAL_RANK", "v0.32.0", False),
    ],
)
def test_only_what_this_version_hashes_counts(name: str, image: str, is_hashed: bool) -> None:
    """Of a version that is not known, what the newest hashes; a number holds no address."""
    assert is_hashed == hits(CODE, kept({name: field("status.podIP")}, image))


@pytest.mark.parametrize(
    ("path", "kind", "differs"),
    [
        ("status.podIP", "Deployment", True),
        ("metadata.uid", "StatefulSet", True),
        ("metadata.name", "Deployment", True),
        ("metadata.name", "StatefulSet", False),
        ("metadata.namespace", "Deployment", False),
        ("spec.serviceAccountName", "Deployment", False),
        ("metadata.labels['apps.kubernetes.io/pod-index']", "StatefulSet", False),
    ],
)
def test_only_what_is_another_in_the_next_pod_counts(path: str, kind: str, differs: bool) -> None:
    """A StatefulSet's pods come back with their names."""
    assert differs == hits(CODE, kept({"VLLM_PROCESS_NAME_PREFIX": field(path)}, kind=kind))


def test_a_value_that_holds_another_variable_holds_its_field() -> None:
    """`engine-$(POD_NAME)`."""
    env = {"POD_NAME": field("metadata.name"), "VLLM_PROCESS_NAME_PREFIX": "engine-$(POD_NAME)"}
    assert hits(CODE, kept(env))
    assert not hits(CODE, kept({**env, "VLLM_PROCESS_NAME_PREFIX": "engine"}))


def test_a_field_of_the_node_is_fine_on_a_folder_of_the_node() -> None:
    """And not on a volume that pods of several nodes share."""
    env = {"VLLM_LOOPBACK_IP": field("status.hostIP")}
    assert not hits(CODE, kept(env))
    assert hits(CODE, kept(env, volumes={"/cache": CLAIM}))


def test_without_a_cache_that_is_kept_no_key_matters() -> None:
    """Nor for an engine that does not compile."""
    env = {"VLLM_LOOPBACK_IP": field("status.podIP")}
    assert not hits(CODE, kept(env, volumes={"/cache": EMPTY_DIR}))
    assert not hits(CODE, engine("--enforce-eager", env={**CACHES, **env}))

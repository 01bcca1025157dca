"""Where the compile cache lies, and what follows."""

from typing import Any

import pytest

from tests.lint.rules.engines import (
    CACHES,
    CLAIM,
    EMPTY_DIR,
    HOST_PATH,
    beside,
    engine,
    hits,
    says,
    written,
)

IN_CONTAINER = "compile-cache-in-container"
IN_EMPTY_DIR = "compile-cache-in-empty-dir"
READ_ONLY = "compile-cache-read-only"
OUTSIDE = "caches-outside-volume"
DIFFER = "compile-cache-paths-differ"
ROOT = {"VLLM_CACHE_ROOT": "/cache/vllm"}


@pytest.mark.parametrize(
    "args",
    [
        ("--enforce-eager",),
        ("-O0",),
        ("-O", "0"),
        ("--optimization-level=0",),
        ("--compilation-config.mode=0",),
        ("-cc", '{"mode": "none"}'),
        ("--compilation-config", '{"level": 0}'),
        ("$(EXTRA)",),
    ],
)
def test_an_engine_that_may_not_compile_needs_no_cache(args: tuple[str, ...]) -> None:
    """Nor does one whose arguments are not known."""
    assert hits(IN_CONTAINER, engine())
    assert not hits(IN_CONTAINER, engine(*args))


@pytest.mark.parametrize(
    ("image", "env", "limits"),
    [
        ("vllm/vllm-openai:v0.26.0", {"VLLM_DISABLE_COMPILE_CACHE": "1"}, {}),
        ("vllm/vllm-openai:v0.26.0", {"VLLM_FORCE_AOT_LOAD": "1"}, {}),
        ("vllm/vllm-openai-cpu:v0.26.0", {}, {}),
        ("vllm/vllm-tpu:v0.26.0", {}, {"google.com/tpu": "4"}),
    ],
)
def test_no_cache_is_missed_where_another_is_used(
    image: str, env: dict[str, str], limits: dict[str, str]
) -> None:
    """Switched off, brought by the image, or of another compiler."""
    assert not hits(IN_CONTAINER, engine(image=image, env=env, limits=limits))


@pytest.mark.parametrize(
    ("env", "path", "volume"),
    [
        (ROOT, "/cache", HOST_PATH),
        (ROOT, "/cache/vllm", CLAIM),
        ({}, "/root/.cache", CLAIM),
        ({}, "/root/.cache/vllm", HOST_PATH),
        ({"XDG_CACHE_HOME": "/var/xdg"}, "/var/xdg", CLAIM),
        ({"HOME": "/home/me"}, "/home/me", CLAIM),
        ({}, "/home/vllm/.cache/vllm", CLAIM),
        ({"VLLM_CACHE_ROOT": {"fieldRef": {"fieldPath": "metadata.name"}}}, "/x", HOST_PATH),
    ],
)
def test_a_cache_that_is_kept_or_not_known_is_fine(
    env: dict[str, Any], path: str, volume: dict[str, Any]
) -> None:
    """By its variable, by its default, or in a home folder that only the image tells."""
    text = engine(env=env, volumes={path: volume})
    assert not hits(IN_CONTAINER, text)
    assert not hits(IN_EMPTY_DIR, text)


def test_a_cache_that_a_script_moves_is_where_it_says() -> None:
    """An assignment of the script is one of the container."""
    text = "export VLLM_CACHE_ROOT=/cache/vllm\nexec vllm serve s3://models/qwen\n"
    assert not hits(IN_CONTAINER, engine(script=text, volumes={"/cache": HOST_PATH}))
    assert hits(IN_EMPTY_DIR, engine(script=text, volumes={"/cache": EMPTY_DIR}))


def test_a_script_that_runs_another_tells_nothing() -> None:
    """It may set any variable."""
    assert not hits(IN_CONTAINER, engine(script=". /etc/env\nexec vllm serve s3://models/qwen\n"))


def test_a_claim_of_a_stateful_set_is_kept() -> None:
    """Its volume is not in the pod's list."""
    mount = {"volumeMounts": [{"name": "cache", "mountPath": "/cache"}]}
    text = engine(kind="StatefulSet", env=ROOT, container=mount)
    claim = '"spec": {"volumeClaimTemplates": [{"metadata": {"name": "cache"}}],'
    with_claim = text.replace('"spec": {', claim, 1)
    assert hits(OUTSIDE, with_claim)
    assert not hits(OUTSIDE, text)
    assert not hits(IN_CONTAINER, with_claim, text.replace("StatefulSet", "Deployment"))


def test_an_empty_dir_counts_unless_something_fills_it() -> None:
    """An initContainer that mounts it, whatever it does."""
    volumes = {"/cache": EMPTY_DIR}
    assert hits(IN_EMPTY_DIR, engine(env=ROOT, volumes=volumes))
    filled = beside("restore", "volume-0", "/cache")
    assert not hits(IN_EMPTY_DIR, engine(env=ROOT, volumes=volumes, pod=filled))


@pytest.mark.parametrize(
    ("volume", "mount"),
    [
        (CLAIM, {"readOnly": True}),
        ({"persistentVolumeClaim": {"claimName": "cache", "readOnly": True}}, {}),
        ({"configMap": {"name": "cache"}}, {}),
        ({"image": {"reference": "registry.example/cache:1"}}, {}),
    ],
)
def test_a_read_only_cache_is_found(volume: dict[str, Any], mount: dict[str, Any]) -> None:
    """By the mount, by the volume, or by its kind."""
    assert hits(READ_ONLY, engine(env=ROOT, volumes={"/cache": volume}, mount=mount))
    assert not hits(READ_ONLY, engine("--enforce-eager", volumes={"/cache": volume}, mount=mount))


@pytest.mark.parametrize(
    ("modes", "is_found"),
    [(["ReadOnlyMany"], True), (["ReadOnlyMany", "ReadWriteMany"], False), ([], False)],
)
def test_a_claim_for_reading_makes_it_read_only(modes: list[str], is_found: bool) -> None:
    """Where it allows nothing else."""
    claim = written("PersistentVolumeClaim", "cache", {"accessModes": modes})
    said = says(READ_ONLY, claim, engine(env=ROOT, volumes={"/cache": CLAIM}))
    assert is_found == any("the claim cache that allows only ReadOnlyMany" in one for one in said)


@pytest.mark.parametrize(
    ("env", "is_kept"),
    [
        ({}, True),
        ({"POD": {"fieldRef": {"fieldPath": "metadata.name"}}}, False),
        ({"POD": "shared"}, True),
    ],
)
def test_a_folder_of_this_pods_name_is_not_kept(env: dict[str, Any], is_kept: bool) -> None:
    """So nobody has to keep the other caches beside it; a fixed value is one folder for all."""
    mount = {"subPathExpr": "$(POD)"} if env else {}
    text = engine(env={**ROOT, **env}, volumes={"/cache": HOST_PATH}, mount=mount)
    assert is_kept == hits(OUTSIDE, text)


def test_a_read_only_root_makes_the_default_cache_read_only() -> None:
    """Unless something is mounted there."""
    context = {"securityContext": {"readOnlyRootFilesystem": True}}
    assert hits(READ_ONLY, engine(container=context))
    volumes = {"/root/.cache": EMPTY_DIR}
    assert not hits(READ_ONLY, engine(container=context, volumes=volumes))


@pytest.mark.parametrize(
    ("env", "named"),
    [
        (ROOT, "Triton's in /root/.triton/cache by default and FlashInfer's in /root/.cache/"),
        ({**ROOT, "TRITON_CACHE_DIR": "/tmp/triton"}, "Triton's in /tmp/triton and FlashInfer's"),
        ({**CACHES, "FLASHINFER_WORKSPACE_BASE": "/tmp"}, "FlashInfer's in /tmp/.cache/flashinfer"),
    ],
)
def test_the_caches_that_are_lost_are_named(env: dict[str, str], named: str) -> None:
    """With the folder that each has."""
    [what] = says(OUTSIDE, engine(env=env, volumes={"/cache": HOST_PATH}))
    assert named in what


def test_caches_inside_one_that_is_not_kept_or_of_an_unknown_folder_are_fine() -> None:
    """FlashInfer by itself has its kernels in the image, unless somebody chose a folder."""
    volumes = {"/cache": HOST_PATH}
    assert not hits(OUTSIDE, engine(env=CACHES, volumes=volumes))
    assert not hits(OUTSIDE, engine(env={**ROOT, "TRITON_CACHE_DIR": "/cache/t"}, volumes=volumes))
    assert not hits(OUTSIDE, engine(env=ROOT))
    other_home = {"securityContext": {"runAsUser": 7}}
    assert not hits(OUTSIDE, engine(env=ROOT, volumes=volumes, pod=other_home))


@pytest.mark.parametrize(
    ("standalone", "is_found"),
    [("0", False), ("false", False), ("1", True), ({"fieldRef": {"fieldPath": "x"}}, False)],
)
def test_the_older_way_to_compile_moves_tritons_cache(
    standalone: str | dict[str, Any], *, is_found: bool
) -> None:
    """vLLM takes anything but 1 for off; of a value that is not known nothing is said."""
    kept = {**CACHES, "VLLM_USE_STANDALONE_COMPILE": standalone}
    env = {name: value for name, value in kept.items() if name != "TRITON_CACHE_DIR"}
    assert is_found == hits(OUTSIDE, engine(env=env, volumes={"/cache": HOST_PATH}))


def test_on_a_cpu_inductors_own_folder_counts_where_aot_is_off() -> None:
    """There vLLM does not move it."""
    off = {**ROOT, "VLLM_USE_AOT_COMPILE": "0"}
    assert hits(OUTSIDE, on_cpu(off))
    assert not hits(OUTSIDE, on_cpu(ROOT))
    assert not hits(OUTSIDE, on_cpu({**off, "TORCHINDUCTOR_CACHE_DIR": "/cache/inductor"}))


def on_cpu(env: dict[str, str]) -> str:
    image = "vllm/vllm-openai-cpu:v0.32.0"
    return engine(env=env, image=image, volumes={"/cache": HOST_PATH})


def at(path: str, *, volume: dict[str, Any] = HOST_PATH, name: str = "two", **other: Any) -> str:
    return engine(
        env={"VLLM_CACHE_ROOT": f"{path}/vllm"}, volumes={path: volume}, name=name, **other
    )


def test_one_folder_at_two_paths_is_found() -> None:
    """A folder of the node, or a claim."""
    assert hits(DIFFER, at("/cache", name="one"), at("/var/cache"))
    assert hits(DIFFER, at("/cache", name="one", volume=CLAIM), at("/var/cache", volume=CLAIM))


@pytest.mark.parametrize(
    "other",
    [
        at("/cache"),
        at("/var/cache", volume={"hostPath": {"path": "/data/other"}}),
        at("/var/cache", volume=EMPTY_DIR),
        at("/var/cache", image="vllm/vllm-openai:v0.27.0"),
        at("/var/cache", model="s3://models/other"),
        at("/var/cache", mount={"subPathExpr": "$(POD)"}),
    ],
)
def test_what_is_not_shared_may_be_anywhere(other: str) -> None:
    """Another folder, or another key in the same one."""
    assert not hits(DIFFER, at("/cache", name="one"), other)


def test_newer_engines_find_the_cache_at_any_path() -> None:
    """From 0.32 on the files hold no absolute paths."""
    image = "vllm/vllm-openai:v0.32.0"
    assert not hits(DIFFER, at("/cache", name="one", image=image), at("/var/cache", image=image))


def test_a_folder_within_another_is_the_same_folder() -> None:
    """/data at /mnt holds what /data/cache at /cache does."""
    inside = engine(
        env={"VLLM_CACHE_ROOT": "/mnt/cache/vllm"},
        volumes={"/mnt": {"hostPath": {"path": "/data"}}},
        name="two",
    )
    assert hits(DIFFER, at("/cache", name="one"), inside)


def test_a_config_map_that_is_not_there_may_hold_the_variable() -> None:
    """So nothing is said."""
    source = {"envFrom": [{"configMapRef": {"name": "settings"}}]}
    assert not hits(IN_CONTAINER, engine(container=source))
    there = written("ConfigMap", "settings", data={"LOG": "1"})
    assert hits(IN_CONTAINER, there, engine(container=source))

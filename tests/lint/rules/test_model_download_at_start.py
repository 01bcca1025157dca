"""Models of the hub, and where their files go."""

from typing import Any

import pytest

from firstlight.lint.scene import Stated
from tests.lint.judging import judged
from tests.lint.rules.engines import CLAIM, EMPTY_DIR, HOST_PATH, beside, engine, hits, says

CODE = "model-download-at-start"
MODEL = "Qwen/Qwen3-8B"


@pytest.mark.parametrize("model", ["/models/qwen", "s3://models/qwen", "./models/qwen", "gs://a/b"])
def test_a_folder_or_a_bucket_is_no_download(model: str) -> None:
    """Only `org/name` is an id of the hub."""
    assert not hits(CODE, engine(model=model))
    assert hits(CODE, engine(model=MODEL))


@pytest.mark.parametrize(
    ("env", "args"),
    [
        ({"VLLM_USE_MODELSCOPE": "True"}, ()),
        ({"HF_HUB_OFFLINE": {"secretKeyRef": {"name": "a", "key": "b"}}}, ()),
        ({}, ("--load-format=dummy",)),
        ({}, ("$(ARGS)",)),
    ],
)
def test_what_fetches_nothing_or_is_not_known_is_fine(
    env: dict[str, Any], args: tuple[str, ...]
) -> None:
    """Offline, from elsewhere, without weights."""
    assert not hits(CODE, engine(*args, model=MODEL, env=env))


@pytest.mark.parametrize(
    ("env", "args", "path"),
    [
        ({}, (), "/root/.cache/huggingface"),
        ({"HF_HOME": "/hub"}, (), "/hub"),
        ({"HF_HUB_CACHE": "/hub/models"}, (), "/hub"),
        ({"XDG_CACHE_HOME": "/xdg"}, (), "/xdg"),
        ({"HF_HOME": "/elsewhere"}, ("--download-dir=/weights",), "/weights"),
    ],
)
def test_the_hubs_cache_is_found_by_each_of_its_names(
    env: dict[str, str], args: tuple[str, ...], path: str
) -> None:
    """On a volume that is kept it is fine, on one that goes with the pod it is not."""
    for volume, is_lost in ((CLAIM, False), (HOST_PATH, False), (EMPTY_DIR, True)):
        text = engine(*args, model=MODEL, env=env, volumes={path: volume})
        assert is_lost == hits(CODE, text)


def test_an_empty_dir_that_an_init_container_mounts_may_be_filled_from_anywhere() -> None:
    """So nothing is said."""
    pod = beside("fetch", "volume-0", "/hub")
    text = engine(model=MODEL, env={"HF_HOME": "/hub"}, volumes={"/hub": EMPTY_DIR}, pod=pod)
    assert not hits(CODE, text)


def test_an_image_of_ones_own_may_bring_the_model() -> None:
    """Unless a token says that something is downloaded."""
    image = "registry.example.com/serving/llm:1.4"
    assert not hits(CODE, engine(model=MODEL, image=image))
    token = {"HF_TOKEN": {"secretKeyRef": {"name": "hub", "key": "token"}}}
    assert hits(CODE, engine(model=MODEL, image=image, env=token))
    assert not hits(CODE, engine(model=MODEL, container={"workingDir": "/models"}))


def test_the_gigabytes_and_the_price_are_said() -> None:
    """16.4 GB at 0.045 are 0.74; a mirror need not be behind the gateway."""
    stated = Stated(model_bytes=16_400_000_000, nat_price_per_gb=0.045)
    [what] = says(CODE, engine(model=MODEL), stated=stated)
    assert "Qwen/Qwen3-8B, 16.4 GB, 0.74 of NAT traffic," in what
    mirror = {"HF_ENDPOINT": "http://mirror:8080"}
    [what] = says(CODE, engine(model=MODEL, env=mirror), stated=stated)
    assert "16.4 GB, into" in what
    [what] = says(CODE, engine(model=MODEL))
    assert " GB" not in what


def test_a_stated_size_is_of_one_model() -> None:
    """Where engines have several, it is not said whose it is."""
    stated = Stated(model_bytes=16_400_000_000)
    two = (engine(model=MODEL), engine(model="Qwen/Qwen3-32B", name="other"))
    assert [True, True] == [" GB" not in what for what in says(CODE, *two, stated=stated)]


@pytest.mark.parametrize("name", ["HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"])
@pytest.mark.parametrize("volumes", [{}, {"/root/.cache/huggingface": EMPTY_DIR}])
def test_offline_without_the_model_is_an_error(name: str, volumes: dict[str, Any]) -> None:
    """The id is looked for in a cache that is empty."""
    linted = judged(engine(model=MODEL, env={name: "1"}, volumes=volumes), [CODE])
    [found] = linted.findings
    assert "error" == found.severity
    assert found.what.startswith(f"{name} forbids the download of {MODEL}, and /root/.cache/")
    assert "the start ends with an error" in found.what


@pytest.mark.parametrize(
    "changes",
    [
        {"volumes": {"/root/.cache/huggingface": CLAIM}},
        {"image": "registry.example.com/serving/llm:1.4"},
        {"model": "/models/qwen"},
        {"container": {"workingDir": "/models"}},
    ],
)
def test_offline_with_the_model_is_fine(changes: dict[str, Any]) -> None:
    """On a volume, in an image of one's own, in a folder."""
    given = {"model": MODEL, "env": {"HF_HUB_OFFLINE": "1"}, **changes}
    assert not hits(CODE, engine(**given))


@pytest.mark.parametrize(
    "words",
    [
        ["hf", "download", MODEL, "--local-dir", "/m"],
        ["huggingface-cli", "download", MODEL, "--local-dir=/m"],
        ["sh", "-c", f"pip install huggingface_hub && hf download {MODEL} --local-dir /m"],
        ["python", "-c", f"import huggingface_hub as h; h.snapshot_download('{MODEL}')"],
    ],
)
def test_an_init_container_that_downloads_into_an_empty_dir_is_found(words: list[str]) -> None:
    """On a volume that is kept it does it once."""
    mount = [{"name": "volume-0", "mountPath": "/m"}]
    fetch = {"name": "fetch", "image": "python:3.12", "command": words, "volumeMounts": mount}
    pod = {"initContainers": [fetch]}
    text = engine(model="/m/qwen", pod=pod, volumes={"/m": EMPTY_DIR})
    [what] = says(CODE, text)
    assert what.endswith("by its initContainer fetch into /m, on a volume that goes with the pod")
    assert not hits(CODE, engine(model="/m/qwen", pod=pod, volumes={"/m": CLAIM}))

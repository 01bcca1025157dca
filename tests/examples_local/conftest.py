"""What these tests share: the example's folder on the path, and the real parts it needs."""

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import boto3  # type: ignore[import-untyped]  # it comes without
import pytest

LOCAL = Path(__file__).resolve().parents[2] / "examples" / "local"
sys.path.insert(0, str(LOCAL))


def absent(what: str, packages: str) -> None:
    """Skip, and say what to install; under CI its absence is a failure."""
    reason = f"{what} is not there (Debian, as root: apt-get install {packages})"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def nginx() -> None:
    """Make sure of nginx."""
    if shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin") is None:
        absent("nginx", "nginx-light")


@pytest.fixture(scope="session")
def fuse(nginx: None) -> None:  # noqa: ARG001
    """Make sure of what a mount needs."""
    if shutil.which("s3fs") is None or shutil.which("fusermount3") is None:
        absent("s3fs", "s3fs fuse3")
    try:
        os.close(os.open("/dev/fuse", os.O_RDWR))
    except OSError as failure:
        pytest.skip(f"nothing can be mounted here: {failure}")


@pytest.fixture(scope="session")
def objects() -> dict[str, bytes]:
    """The objects of the bucket by key."""
    return {
        "model/config.json": b"{}",
        "model/model-00001-of-00002.safetensors": bytes(range(256)) * 4096,
        "model/model-00002-of-00002.safetensors": b"x" * 100_000,
        "model/deep/er/notes.txt": b"notes",
        "model-other/config.json": b"{ }",
        "with space & more+ü.txt": b"odd",
        "a": b"",
        "a0": b"0",
    }


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory, objects: dict[str, bytes]) -> Path:
    """The same as files."""
    made = tmp_path_factory.mktemp("objects")
    for key, body in objects.items():
        file = made / key
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(body)
    return made


@pytest.fixture(scope="session")
def client() -> Callable[[str], Any]:
    """Make a client of S3 for an address."""

    def made(url: str) -> Any:
        return boto3.client(
            "s3",
            endpoint_url=url,
            aws_access_key_id="nobody",
            aws_secret_access_key="nothing",  # noqa: S106 - nobody asks
            region_name="us-east-1",
        )

    return made

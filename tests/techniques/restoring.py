"""
What the tests of the restoring initContainer stand on: a bucket, a node, archives.

The store is moto's server on loopback: it speaks S3's language over real HTTP.
"""

import io
import os
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3  # type: ignore[import-untyped]  # it comes without
import pytest
from moto.server import ThreadedMotoServer

from tests.techniques.own_cards import operation

BUCKET = "caches"
PREFIX = f"s3://{BUCKET}/gemma/g7e"
CACHE = {
    "vllm/torch_compile_cache/torch_aot_compile/ab12cd34ef/rank_0_0/model": b"compiled" * 4000,
    "vllm/modelinfos/gemma.json": b"{}",
    "triton/kernel/kernel.so": b"elf" * 1000,
    "flashinfer/.cache/flashinfer/0.4/120f/ops.so": b"ops",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """A bucket, and how a container is told of it."""

    environment: Mapping[str, str]
    client: Any

    def publish(self, archive: bytes, prefix: str = PREFIX) -> None:
        key = prefix.removeprefix(f"s3://{BUCKET}/")
        self.client.put_object(Bucket=BUCKET, Key=f"{key}/cache.tar.gz", Body=archive)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The address of an S3 that knows no bucket."""
    moto = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    moto.start()
    host, port = moto.get_host_and_port()
    yield f"http://{host}:{port}"
    moto.stop()


@pytest.fixture
def store(server: str) -> Iterator[Store]:
    """A bucket with nothing in it."""
    environment = {
        "AWS_ENDPOINT_URL": server,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    client = boto3.client(
        "s3",
        endpoint_url=server,
        aws_access_key_id="test",
        aws_secret_access_key="test",  # noqa: S106 - moto asks nobody
        region_name="us-east-1",
    )
    client.create_bucket(Bucket=BUCKET)
    yield Store(environment=environment, client=client)
    for page in client.list_objects_v2(Bucket=BUCKET).get("Contents", []):
        client.delete_object(Bucket=BUCKET, Key=page["Key"])
    client.delete_bucket(Bucket=BUCKET)


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A node's folder for the cache, and what a pod's initContainer does to it."""

    folder: Path
    log: Path

    def command(self, prefix: str = PREFIX) -> list[str]:
        """As the card writes it, with the termination log of this test."""
        container = operation(
            "compile-cache-published",
            "add-init-container",
            cache_uri=prefix,
            cache_dir=str(self.folder),
            engine_image="vllm/vllm-openai:v0.26.0",
        )["container"]
        assert ["python3", "-c"] == container["command"]
        script, *arguments, termination_log = container["args"]
        assert "/dev/termination-log" == termination_log
        return [sys.executable, "-c", script, *arguments, str(self.log)]

    def restore(self, store: Store, prefix: str = PREFIX, **changed: str) -> str:
        """What the container said; it has to end with 0 and to say one line."""
        ended = subprocess.run(
            self.command(prefix),
            env={"PATH": os.environ["PATH"], **store.environment, **changed},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (0, "") == (ended.returncode, ended.stderr)
        [line] = ended.stdout.splitlines()
        assert line == self.log.read_text()
        return line

    def names(self) -> set[str]:
        """What stands in the folder itself, but for what it remembers."""
        return {entry.name for entry in self.folder.iterdir()} - {".restored"}

    def held(self) -> dict[str, bytes]:
        """Every file below the folder, but those of a restore under way."""
        files = (p for p in self.folder.rglob("*") if p.is_file())
        named = {str(p.relative_to(self.folder)): p for p in files}
        return {name: p.read_bytes() for name, p in named.items() if name[:8] != ".restore"}


@pytest.fixture
def node(tmp_path: Path) -> Node:
    """A node that never had the cache."""
    folder = tmp_path / "cache"
    folder.mkdir()
    log = tmp_path / "termination-log"
    log.touch()
    return Node(folder=folder, log=log)


def packed(files: Mapping[str, bytes], *members: tarfile.TarInfo) -> bytes:
    """A packed cache, with odd members behind its files."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for name, content in files.items():
            one = tarfile.TarInfo(f"./{name}")
            one.size = len(content)
            tar.addfile(one, io.BytesIO(content))
        for member in members:
            tar.addfile(member, io.BytesIO(b"x" * member.size))
    return packed.getvalue()


def link(name: str, target: str, kind: bytes = tarfile.SYMTYPE) -> tarfile.TarInfo:
    """A link as a member."""
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, target
    return member


def plain(name: str) -> tarfile.TarInfo:
    """A file as a member."""
    member = tarfile.TarInfo(name)
    member.size = 3
    return member

"""A manifest to begin with."""

from hashlib import sha256

from msgspec.structs import replace

from firstlight.caches.factors import Factors, key
from firstlight.caches.manifest import SCHEMA, Archive, File, Manifest

FACTORS = Factors(
    vllm="0.32.0",
    torch="2.13.0",
    triton="none",
    cuda="none",
    python="3.11",
    machine="x86_64",
    accelerator="none",
    architecture="none",
    instructions=("avx2", "avx512f", "fma"),
    model="/models/m",
    arguments={"--max-num-seqs": "8", "--enforce-eager": None},
    environment={"VLLM_USE_AOT_COMPILE": "0"},
)


def digest(data: bytes) -> str:
    """SHA-256 in hexadecimal."""
    return sha256(data).hexdigest()


def manifest(*paths: str, factors: Factors = FACTORS) -> Manifest:
    """A manifest of files with one byte each."""
    return Manifest(
        schema=SCHEMA,
        key=key(factors),
        factors=factors,
        archive=Archive(sha256=digest(b"archive"), size_bytes=7),
        files=tuple(File(path=path, size_bytes=1, sha256=digest(b"x")) for path in paths),
        roots={path.partition("/")[0]: f"/cache/{path.partition('/')[0]}" for path in paths},
        made_unix_s=1_800_000_000,
        made_by="0.6.0",
    )


def with_files(base: Manifest, *files: File) -> Manifest:
    """The same with these files."""
    return replace(base, files=files)

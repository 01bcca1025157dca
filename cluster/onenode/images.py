"""
Images made of nothing but files, in the form a registry keeps them in.

An image is a list of tar archives (its layers), a configuration, and a manifest
that names both by their digests. The layers here are not compressed: what is
pulled is then as many bytes as what is unpacked, and a test that wants a pull
of 300 MB gets one.
"""

import hashlib
import io
import json
import os
import tarfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

MANIFEST = "application/vnd.oci.image.manifest.v1+json"
CONFIG = "application/vnd.oci.image.config.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar"
INDEX = "application/vnd.oci.image.index.v1+json"
# One moment for every file, so that the same files give the same digest.
MADE_S = 1_767_225_600
MADE = "2026-01-01T00:00:00Z"
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
CHUNK_BYTES = 1 << 20


def digest_of(data: bytes) -> str:
    """Name some bytes the way registries do."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


class _Digesting(io.RawIOBase):
    """A file that knows the digest of what was written to it."""

    def __init__(self, file: IO[bytes]) -> None:
        super().__init__()
        self.file = file
        self.sha256 = hashlib.sha256()
        self.bytes = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.sha256.update(data)
        self.bytes += len(data)
        return self.file.write(data)


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """A tar archive on the disk."""

    path: Path
    digest: str
    size_bytes: int

    @classmethod
    @contextmanager
    def writing(cls, path: Path, made: "list[Layer]") -> "Iterator[tarfile.TarFile]":
        """Write an archive; the layer is appended to `made` when it is whole."""
        with path.open("wb") as file:
            digesting = _Digesting(file)
            with tarfile.open(fileobj=digesting, mode="w|") as archive:
                yield archive
        digest = f"sha256:{digesting.sha256.hexdigest()}"
        made.append(cls(path=path, digest=digest, size_bytes=digesting.bytes))

    @classmethod
    def of_files(
        cls,
        path: Path,
        files: Mapping[str, bytes],
        *,
        links: Mapping[str, str] | None = None,
        folders: Iterable[str] = (),
    ) -> "Layer":
        """Pack files given by name; all of them may be executed."""
        made: list[Layer] = []
        with cls.writing(path, made) as archive:
            for name in folders:
                archive.addfile(_entry(name, tarfile.DIRTYPE, mode=0o1777))
            for name, data in files.items():
                archive.addfile(_entry(name, size=len(data)), io.BytesIO(data))
            for name, target in (links or {}).items():
                archive.addfile(_entry(name, tarfile.SYMTYPE, target=target))
        return made[0]

    @classmethod
    def of_tree(cls, path: Path, root: Path) -> "Layer":
        """Pack a whole root file system; everything in it belongs to root."""
        made: list[Layer] = []
        with cls.writing(path, made) as archive:
            for entry in sorted(root.iterdir()):
                archive.add(entry, arcname=entry.name, filter=_owned_by_root)
        return made[0]

    @classmethod
    def of_noise(cls, path: Path, size_bytes: int, name: str = "noise") -> "Layer":
        """Pack one file that no compression or sharing makes smaller."""
        made: list[Layer] = []
        with cls.writing(path, made) as archive, open("/dev/urandom", "rb") as noise:  # noqa: PTH123
            archive.addfile(_entry(name, size=size_bytes), noise)
        return made[0]

    def described(self) -> dict[str, Any]:
        """Name it as a manifest does."""
        return {"mediaType": LAYER, "digest": self.digest, "size": self.size_bytes}


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """Layers, and what is run in them."""

    layers: tuple[Layer, ...]
    configuration: Mapping[str, Any]

    @property
    def config(self) -> bytes:
        """The configuration as a registry keeps it."""
        history = [{"created": MADE} for _ in self.layers]
        rootfs = {"type": "layers", "diff_ids": [layer.digest for layer in self.layers]}
        architecture = ARCHITECTURES.get(os.uname().machine, os.uname().machine)
        return _json(
            {
                "architecture": architecture,
                "os": "linux",
                "created": MADE,
                "config": self.configuration,
                "rootfs": rootfs,
                "history": history,
            }
        )

    @property
    def manifest(self) -> bytes:
        """The manifest, whose digest is the image's name."""
        config = {
            "mediaType": CONFIG,
            "digest": digest_of(self.config),
            "size": len(self.config),
        }
        layers = [layer.described() for layer in self.layers]
        whole = {"schemaVersion": 2, "mediaType": MANIFEST, "config": config, "layers": layers}
        return _json(whole)

    @property
    def digest(self) -> str:
        """What a registry and a node call it, whatever its tag."""
        return digest_of(self.manifest)

    @property
    def size_bytes(self) -> int:
        """What a pull has to carry."""
        layers = sum(layer.size_bytes for layer in self.layers)
        return layers + len(self.config) + len(self.manifest)

    def with_layer(self, layer: Layer) -> "Image":
        """Put one more layer on top."""
        return replace(self, layers=(*self.layers, layer))

    def save(self, folder: Path) -> None:
        """Write down which layers it is made of; they stay where they are, in this folder."""
        parts = [
            {"name": layer.path.name, "digest": layer.digest, "size_bytes": layer.size_bytes}
            for layer in self.layers
        ]
        told = {"layers": parts, "configuration": self.configuration}
        (folder / "image.json").write_bytes(_json(told))

    @classmethod
    def load(cls, folder: Path) -> "Image":
        """Read an image that was saved."""
        told = json.loads((folder / "image.json").read_bytes())
        layers = (
            Layer(
                path=folder / part["name"],
                digest=part["digest"],
                size_bytes=part["size_bytes"],
            )
            for part in told["layers"]
        )
        return cls(layers=tuple(layers), configuration=told["configuration"])

    def archive(self, path: Path, name: str) -> Path:
        """Write it with its name into one file that containerd imports."""
        described = {
            "mediaType": MANIFEST,
            "digest": self.digest,
            "size": len(self.manifest),
            "annotations": {"io.containerd.image.name": name},
        }
        index = {"schemaVersion": 2, "mediaType": INDEX, "manifests": [described]}
        files = {
            "oci-layout": _json({"imageLayoutVersion": "1.0.0"}),
            "index.json": _json(index),
            _blob(digest_of(self.config)): self.config,
            _blob(self.digest): self.manifest,
        }
        with tarfile.open(path, "w") as archive:
            for file, data in files.items():
                archive.addfile(_entry(file, size=len(data)), io.BytesIO(data))
            for layer in self.layers:
                with layer.path.open("rb") as content:
                    entry = _entry(_blob(layer.digest), size=layer.size_bytes)
                    archive.addfile(entry, content)
        return path


def _blob(digest: str) -> str:
    return f"blobs/{digest.replace(':', '/')}"


def _json(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True).encode()


def _entry(
    name: str, kind: bytes = tarfile.REGTYPE, *, size: int = 0, mode: int = 0o755, target: str = ""
) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type = kind
    entry.size = size
    entry.mode = mode
    entry.linkname = target
    entry.mtime = MADE_S
    return entry


def _owned_by_root(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = "root"
    return entry

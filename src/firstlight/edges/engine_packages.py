"""
Which versions an engine is made of, without starting it.

Importing torch takes seconds and may touch a card; a package's version stands in the folder that
pip made beside it, and what torch was built for in a file of four lines.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_VERSION = re.compile(r"^Version:\s*(\S+)\s*$", re.MULTILINE)
_CUDA = re.compile(r"^(?:cuda|hip)(?:\s*:[^=]*)?\s*=\s*['\"]([^'\"]+)['\"]", re.MULTILINE)
_PYTHON = re.compile(r"python(\d+\.\d+)")
_MOST_BYTES = 256 * 1024
NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class EnginePackages:
    """What is installed; None for what is not found."""

    vllm: str | None = None
    torch: str | None = None
    triton: str | None = None
    cuda: str | None = None
    """What torch was built for, ROCm's HIP too; `none` for a build without."""
    python: str | None = None


def engine_packages(program: Path) -> EnginePackages:
    """
    The packages of the environment that a program belongs to.

    Args:
        program: as `/venv/bin/vllm` or `/usr/bin/python3`; links to it are followed only where
            no packages lie beside it, because an environment's own Python is one.
    """
    for place in (program, program.resolve()):
        for packages in _package_folders(place.parent.parent):
            if vllm := _version(packages, "vllm"):
                return EnginePackages(
                    vllm=vllm,
                    torch=_version(packages, "torch"),
                    triton=_version(packages, "triton"),
                    cuda=_cuda(packages / "torch" / "version.py"),
                    python=python[1] if (python := _PYTHON.search(str(packages))) else None,
                )
    return EnginePackages()


def _package_folders(prefix: Path) -> Iterator[Path]:
    for pattern in ("lib/python3.*/site-packages", "lib/python3.*/dist-packages"):
        yield from sorted(prefix.glob(pattern))


def _version(packages: Path, name: str) -> str | None:
    for metadata in sorted(packages.glob(f"{name}-[0-9]*.dist-info/METADATA")):
        if found := _VERSION.search(_text(metadata)):
            return found[1]
    return None


def _cuda(version: Path) -> str | None:
    text = _text(version)
    if not text:
        return None
    found = _CUDA.search(text)
    return found[1] if found else NONE


def _text(path: Path) -> str:
    with suppress(OSError), path.open("rb") as file:
        return file.read(_MOST_BYTES).decode("utf-8", "replace")
    return ""

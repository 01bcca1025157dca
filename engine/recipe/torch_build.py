"""
Which build of torch pip chose.

An index may hold a CPU build (`2.13.0+cpu`, nothing else needed) or a CUDA
build under the bare version, whose libraries are packages of their own. vLLM
for CPU runs on either; the second is some gigabytes heavier, and its pin on
Triton is not the lock's.
"""

import re
from pathlib import Path

CUDA = re.compile(r"^cuda\b[^=]*= *'(?P<version>[^']+)'", re.MULTILINE)
# What an import says when a library is missing that another package brings: the
# first in the words of the loader, the second in torch's own.
MISSING_LIBRARY = re.compile(
    r"Error: lib\S+\.so\S*(?:: cannot open shared object| not found in the system path)"
)
# torch's CUDA build asks for exactly one Triton, so that pin must be able to give way.
GIVES_WAY = "triton"


def cuda_version(site_packages: Path) -> str | None:
    """Read the CUDA version of the installed torch without importing it; None is a CPU build."""
    try:
        text = (site_packages / "torch" / "version.py").read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    found = CUDA.search(text)
    return found["version"] if found else None


def lacks_libraries(output: str) -> bool:
    """Whether an import ended because a shared library is not there."""
    return MISSING_LIBRARY.search(output) is not None


def constraints(lock: str) -> str:
    """Give the lock without the pin that torch's CUDA build contradicts."""
    kept = [line for line in lock.splitlines() if not line.startswith(f"{GIVES_WAY}==")]
    return "\n".join(kept) + "\n"

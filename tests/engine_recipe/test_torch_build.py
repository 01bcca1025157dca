"""Which torch it is, from its own file and from the words of an import that failed."""

import importlib
from pathlib import Path
from typing import Any

import pytest


def torch_build() -> Any:
    return importlib.import_module("recipe.torch_build")


@pytest.mark.parametrize(
    ("line", "version"),
    [
        ("cuda: Optional[str] = None", None),
        ("cuda: Optional[str] = '13.0'", "13.0"),
        ("cuda = '12.8'", "12.8"),
    ],
)
def test_cuda_version(tmp_path: Path, line: str, version: str | None) -> None:
    """torch writes its build into a file that can be read where it cannot be imported."""
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "version.py").write_text(
        f"__version__ = '2.13.0'\ndebug = False\n{line}\nhip: Optional[str] = None\n"
    )

    assert version == torch_build().cuda_version(tmp_path)


@pytest.mark.parametrize(
    ("words", "lacks"),
    [
        ("OSError: libcudart.so.13: cannot open shared object file: No such file", True),
        ("ImportError: libcublas.so.13: cannot open shared object file: No such file", True),
        ("ValueError: libcublas.so.*[0-9] not found in the system path ['/usr/lib']", True),
        ("ModuleNotFoundError: No module named 'numpy'", False),
    ],
)
def test_missing_library(words: str, *, lacks: bool) -> None:
    """Only a missing shared library is cured by fetching CUDA's."""
    assert lacks == torch_build().lacks_libraries(words)


def test_constraints_let_triton_give_way() -> None:
    """torch's CUDA build wants its own Triton; everything else stays as locked."""
    lock = "torch==2.13.0\ntriton==3.9.0\ntqdm==4.70.1\n"

    assert torch_build().constraints(lock) == "torch==2.13.0\ntqdm==4.70.1\n"

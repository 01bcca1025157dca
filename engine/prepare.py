"""
Prepare the real engine: vLLM 0.32 for CPU and a tiny model, outside the clone.

    python3 engine/prepare.py                prepare it, or say that it is ready
    python3 engine/prepare.py --print-path   print its folder if it is ready

Needs nothing but Python. What it makes, how large it is, how to remove it and
what to do on other machines stands in README.md beside this file.

Exit codes: 0 ready · 1 not ready (--print-path) · 2 wrong usage · 3 the
network, the disk or the machine failed · 70 a bug of ours.
"""

import sys

# Before the imports: the system's python3 may be one that cannot read the rest.
if sys.version_info < (3, 11):  # noqa: UP036
    sys.stderr.write(
        "engine: vLLM needs Python 3.11 or newer, and this is "
        + ".".join(str(part) for part in sys.version_info[:3])
        + "\n  remedy: run it with another one, such as python3.11 engine/prepare.py\n"
    )
    sys.exit(3)

import argparse
from collections.abc import Sequence
from pathlib import Path

from recipe.build import Build, surroundings
from recipe.children import Children
from recipe.command import DONE, NOT_READY, built_once, carried_out
from recipe.failures import CannotPrepare
from recipe.ingredients import Ingredients
from recipe.machine import HOME, Machine
from recipe.place import Place
from recipe.progress import Progress, size

ENGINE = Path(__file__).resolve().parent


def arguments(given: Sequence[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="prepare.py",
        allow_abbrev=False,
        description="Prepare vLLM for CPU and a tiny model in a cache folder outside the clone.",
        epilog=f"{HOME} chooses the cache folder. More: engine/README.md",
    )
    parser.add_argument(
        "--print-path",
        action="store_true",
        help="print the engine's folder if it is ready, do nothing else (exit 1 if it is not)",
    )
    return parser.parse_args(given)


def prepare(place: Place, machine: Machine, ingredients: Ingredients, progress: Progress) -> None:
    """Build the engine, or wait for somebody who does."""

    def build(children: Children) -> None:
        Build(
            place=place,
            machine=machine,
            ingredients=ingredients,
            children=children,
            progress=progress,
        ).run()

    built_once(place, environment=surroundings(machine, place), progress=progress, build=build)


def report(place: Place) -> None:
    """Say where the engine is and how to start it."""
    said = place.ready()
    if said is None:
        raise CannotPrepare(
            f"{place.folder} was ready and is not any more", remedy="run this again"
        )
    checked = said["checked"]
    build = "CPU build" if checked["torch_cuda"] is None else f"CUDA {checked['torch_cuda']} build"
    taken = size(said["venv_bytes"] + said["model_bytes"])
    print(f"engine ready: {place.folder}")
    print(f"  vLLM {checked['vllm']}, torch {checked['torch']} ({build}), {taken}")
    print(f"  serve: {place.vllm} serve {place.model}")
    for other in place.others():
        print(f"  of another recipe, remove it when no clone uses it: {other}")


def run(given: Sequence[str], machine: Machine | None = None) -> int:
    """Carry out one call; everything expected ends in an exit code."""
    options = arguments(given)
    machine = machine or Machine.here()
    ingredients = Ingredients.beside(ENGINE)
    key = ingredients.key(python_minor=machine.python_minor, architecture=machine.architecture)
    place = Place(home=machine.home, key=key)
    ready = place.ready() is not None
    if options.print_path:
        if ready:
            print(place.folder)
            return DONE
        sys.stderr.write(f"engine: not ready\n  remedy: python3 {ENGINE / 'prepare.py'}\n")
        return NOT_READY
    if not ready:
        progress = Progress(stream=sys.stderr, terminal=sys.stderr.isatty())
        prepare(place, machine, ingredients, progress)
    report(place)
    return DONE


def main(given: Sequence[str], machine: Machine | None = None) -> int:
    """Turn failures into sentences and exit codes."""
    return carried_out("engine", lambda: run(given, machine))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

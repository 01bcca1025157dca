"""
Prepare a real Kubernetes, outside the clone: compiled, unpacked, ready to start.

    python3 cluster/prepare.py                prepare it, or say that it is ready
    python3 cluster/prepare.py --print-path   print its folder if it is ready

Needs Python and a Debian 12 machine. What it makes, how large it is, how to
remove it and what to do on other machines stands in README.md beside this file.

Exit codes: 0 ready · 1 not ready (--print-path) · 2 wrong usage · 3 the
network, the disk or the machine failed · 70 a bug of ours.
"""

import sys

# Before the imports: the system's python3 may be one that cannot read the rest.
if sys.version_info < (3, 11):  # noqa: UP036
    sys.stderr.write(
        "cluster: this needs Python 3.11 or newer\n"
        "  remedy: run it with another one, such as python3.11 cluster/prepare.py\n"
    )
    sys.exit(3)

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

CLUSTER = Path(__file__).resolve().parent
sys.path.insert(0, str(CLUSTER.parent / "engine"))

from assembly.build import Build  # noqa: E402
from assembly.place import Place, whole_key  # noqa: E402
from onenode.failures import ClusterFailed  # noqa: E402
from onenode.home import HOME, home  # noqa: E402
from recipe.children import Children  # noqa: E402
from recipe.command import DONE, NOT_READY, built_once, carried_out  # noqa: E402
from recipe.failures import CannotPrepare  # noqa: E402
from recipe.progress import Progress, size  # noqa: E402


def arguments(given: Sequence[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="prepare.py",
        allow_abbrev=False,
        description="Prepare a real Kubernetes in a cache folder outside the clone.",
        epilog=f"{HOME} chooses the cache folder. More: cluster/README.md",
    )
    parser.add_argument(
        "--print-path",
        action="store_true",
        help="print the folder if it is ready, do nothing else (exit 1 if it is not)",
    )
    return parser.parse_args(given)


def prepare(place: Place, progress: Progress) -> None:
    """Build everything, or wait for somebody who does."""

    def build(children: Children) -> None:
        Build(place=place, children=children, progress=progress).run()

    plain = {**os.environ, "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
    built_once(place, environment=plain, progress=progress, build=build)


def report(place: Place) -> None:
    """Say where it is and how to start it."""
    said = place.ready()
    if said is None:
        raise CannotPrepare(
            f"{place.folder} was ready and is not any more", remedy="run this again"
        )
    print(f"cluster ready: {place.folder}")
    print(f"  Kubernetes {said['kubernetes']}, {size(said['bytes'])}")
    print(f"  a node: python3 {CLUSTER / 'node.py'} up    (root)")
    print(f"  a control plane alone: KUBEBUILDER_ASSETS={place.bin}")
    for other in place.others():
        print(f"  of another recipe, remove it when no clone uses it: {other}")


def run(given: Sequence[str]) -> int:
    """Carry out one call; everything expected ends in an exit code."""
    options = arguments(given)
    place = Place(home=home(os.environ), key=whole_key())
    ready = place.ready() is not None
    if options.print_path:
        if ready:
            print(place.folder)
            return DONE
        sys.stderr.write(f"cluster: not ready\n  remedy: python3 {CLUSTER / 'prepare.py'}\n")
        return NOT_READY
    if not ready:
        prepare(place, Progress(stream=sys.stderr, terminal=sys.stderr.isatty()))
    report(place)
    return DONE


def main(given: Sequence[str]) -> int:
    """Turn failures into sentences and exit codes."""

    def act() -> int:
        try:
            return run(given)
        except ClusterFailed as failure:
            raise CannotPrepare(failure.message, remedy=failure.remedy) from failure

    return carried_out("cluster", act)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

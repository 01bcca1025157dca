"""
Fetch a kubectl for the tests of manifests, outside the clone; nothing is installed.

    python3 cluster/kubectl.py                fetch it, or say that it is ready (16 MB)
    python3 cluster/kubectl.py --print-path   print the program if it is ready

Exit codes: 0 ready · 1 not ready (--print-path) · 2 wrong usage · 3 the network, the disk or
the machine failed · 70 a bug of ours.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

CLUSTER = Path(__file__).resolve().parent
sys.path.insert(0, str(CLUSTER.parent / "engine"))

from assembly.kubectl import binary_of, build_kubectl, kubectl_place  # noqa: E402
from onenode.failures import ClusterFailed  # noqa: E402
from recipe.children import Children  # noqa: E402
from recipe.command import DONE, NOT_READY, built_once, carried_out  # noqa: E402
from recipe.failures import CannotPrepare  # noqa: E402
from recipe.progress import Progress  # noqa: E402


def run(given: Sequence[str]) -> int:
    """Carry out one call."""
    parser = argparse.ArgumentParser(
        prog="kubectl.py",
        allow_abbrev=False,
        description="Fetch a kubectl into a cache folder outside the clone.",
        epilog="More: cluster/README.md",
    )
    parser.add_argument(
        "--print-path",
        action="store_true",
        help="print the program if it is ready, do nothing else (exit 1 if it is not)",
    )
    options = parser.parse_args(given)
    try:
        place = kubectl_place(os.environ)
    except ClusterFailed as failure:
        raise CannotPrepare(failure.message, remedy=failure.remedy) from failure
    if place.ready() is None and options.print_path:
        sys.stderr.write(f"kubectl: not ready\n  remedy: python3 {CLUSTER / 'kubectl.py'}\n")
        return NOT_READY
    if place.ready() is None:

        def build(children: Children) -> None:
            build_kubectl(place, children)

        plain = {**os.environ, "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
        progress = Progress(stream=sys.stderr, terminal=sys.stderr.isatty())
        built_once(place, environment=plain, progress=progress, build=build)
    said = place.ready() or {}
    path = binary_of(place)
    print(path if options.print_path else f"kubectl {said.get('kubectl', '')} ready: {path}")
    return DONE


def main(given: Sequence[str]) -> int:
    """Turn failures into sentences and exit codes."""
    return carried_out("kubectl", lambda: run(given))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""
Put the image of the repository's Containerfile together where no hub is.

    python3 cluster/own_image.py                 the part of it that is Debian, once per machine
    python3 cluster/own_image.py --into FOLDER   all of it, with the wheel of this tree

Exit codes: 0 ready · 2 wrong usage · 3 the network, the disk or the machine failed · 70 a bug
of ours.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

CLUSTER = Path(__file__).resolve().parent
sys.path.insert(0, str(CLUSTER.parent / "engine"))

from assembly.own_image import OwnImage, base_place, build_base  # noqa: E402
from assembly.place import Place  # noqa: E402
from onenode.failures import ClusterFailed  # noqa: E402
from recipe.children import Children  # noqa: E402
from recipe.command import DONE, built_once, carried_out  # noqa: E402
from recipe.failures import CannotPrepare  # noqa: E402
from recipe.progress import Progress, size  # noqa: E402


def run(given: Sequence[str]) -> int:
    """Carry out one call."""
    parser = argparse.ArgumentParser(
        prog="own_image.py",
        allow_abbrev=False,
        description="Put firstlight's image together for a node of ours.",
        epilog="More: cluster/README.md",
    )
    parser.add_argument("--into", type=Path, metavar="FOLDER", help="where the image comes to")
    options = parser.parse_args(given)
    try:
        base = base_place(os.environ)
    except ClusterFailed as failure:
        raise CannotPrepare(failure.message, remedy=failure.remedy) from failure
    progress = Progress(stream=sys.stderr, terminal=sys.stderr.isatty())
    plain = {**os.environ, "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
    if base.ready() is None:
        built_once(
            base,
            environment=plain,
            progress=progress,
            build=lambda children: build_base(base, children),
        )
    if options.into is None:
        print(f"Debian for firstlight's image ready: {base.folder}")
        return DONE
    into: Path = options.into.absolute()
    into.mkdir(parents=True, exist_ok=True)
    image = assembled(base, into, plain, progress)
    print(f"{into}: {size(image)}")
    return DONE


def assembled(base: Place, into: Path, environment: dict[str, str], progress: Progress) -> int:
    """Make it; gives the bytes that a pull carries."""
    with (into / "claim").open("wb") as claim:
        children = Children(
            log=into / "log", claim=claim.fileno(), environment=environment, progress=progress
        )
        made = OwnImage(tree=CLUSTER.parent, into=into, children=children).assemble(base)
    return made.size_bytes


def main(given: Sequence[str]) -> int:
    """Turn failures into sentences and exit codes."""
    return carried_out("own_image", lambda: run(given))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

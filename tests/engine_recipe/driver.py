"""
Runs the recipe as `prepare.py` does, on a machine that the environment describes.

    driver.py ENGINE_FOLDER [ARGUMENT...]

FAKE_PYTHON is the interpreter, FAKE_FREE the free bytes. FAKE_DIE_BEFORE=N kills
this process before its N-th act that could leave a trace: opening, renaming,
removing, making a folder, starting a child.
"""

import importlib
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

ACTS = {"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "subprocess.Popen"}


def dies_before(limit: int) -> Callable[[str, tuple[object, ...]], None]:
    """Make an audit hook that counts acts and does not let the last one happen."""
    acts = 0

    def hook(event: str, _arguments: tuple[object, ...]) -> None:
        nonlocal acts
        if event in ACTS:
            acts += 1
            if acts == limit:
                os.kill(os.getpid(), signal.SIGKILL)

    return hook


def main() -> int:
    """Describe the machine and hand over."""
    engine, *arguments = sys.argv[1:]
    sys.path.insert(0, engine)
    prepare = importlib.import_module("prepare")
    machine = importlib.import_module("recipe.machine").Machine(
        python=Path(os.environ["FAKE_PYTHON"]),
        python_minor="3.11",
        architecture="x86_64",
        environment=os.environ,
        free_bytes=lambda _: int(os.environ.get("FAKE_FREE", "1000000000000")),
    )
    if "FAKE_DIE_BEFORE" in os.environ:
        sys.addaudithook(dies_before(int(os.environ["FAKE_DIE_BEFORE"])))
    code: int = prepare.main(arguments, machine)
    return code


if __name__ == "__main__":
    sys.exit(main())

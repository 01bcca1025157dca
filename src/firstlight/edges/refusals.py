"""
Why a command could not be started, from the number the kernel gave.
"""

import errno
import os
from pathlib import Path

from firstlight.core.errors import EngineFailed


def refusal(name: str, number: int | None, *, path: str | None) -> EngineFailed:
    """
    What to say about a command that was refused.

    Args:
        name: the command's first word.
        number: the errno; None where nobody said why.
        path: the PATH it was looked for on.
    """
    match number:
        case None:
            return EngineFailed(
                f"{name} was not started: the process that was to start it ended",
                remedy="try again; if memory is short, that is why",
            )
        case errno.ENOENT if _exists(name, path):
            return EngineFailed(
                f"{name} cannot be started: the interpreter that its first line names is missing",
                remedy="reinstall it, or run it with an interpreter that exists",
            )
        case errno.ENOENT:
            return EngineFailed(
                f"{name} was not started: there is no such command",
                remedy="check the name, or activate the environment that holds it",
            )
        case _:
            return EngineFailed(
                f"{name} was not started: {os.strerror(number)}",
                remedy="check that it is an executable file, made for this machine",
            )


def _exists(name: str, path: str | None) -> bool:
    if os.sep in name:
        return Path(name).exists()
    folders = (path or os.defpath).split(os.pathsep)
    return any(Path(folder, name).exists() for folder in folders)

"""
Folders that others can read, whatever umask we were started with.

An engine in the next container may be another user. One that everybody may write to would be as
bad: what lies in these folders is run.
"""

from pathlib import Path

MODE = 0o755


def make_folder(folder: Path) -> None:
    """
    Make a folder and those above it that are missing; what is there already stays as it is.

    Raises:
        OSError: as the system says it.
    """
    if folder.is_dir():
        return
    make_folder(folder.parent)
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        if not folder.is_dir():
            raise
    else:
        folder.chmod(MODE)

"""
A folder that two containers of one pod have in common, with a few small files that mean something.
"""

from pathlib import Path

from firstlight.core.errors import BadInput
from firstlight.edges.unwritable import writing
from firstlight.edges.whole_file import write_whole


class SharedFolder:
    """Files that are there or not, and are whole where they are."""

    def __init__(self, folder: Path) -> None:
        """
        Args:
            folder: it must be there.

        Raises:
            BadInput: it is not.
        """
        if not folder.is_dir():
            raise BadInput(
                f"{folder} is no folder, so nothing can be left there",
                remedy="name the folder that the engine's container has too",
            )
        self._folder = folder

    def has(self, name: str) -> bool:
        """Whether such a file was left."""
        return (self._folder / name).exists()

    def leave(self, name: str, words: str, *, instead_of: str) -> None:
        """
        Leave a file.

        Args:
            name: of the file.
            words: what stands in it.
            instead_of: another that is not true any more.

        Raises:
            OutsideFailed: it cannot be written.
        """
        place = self._folder / name
        with writing(place):
            (self._folder / instead_of).unlink(missing_ok=True)
            write_whole(place, f"{words}\n".encode("utf-8", "backslashreplace"))

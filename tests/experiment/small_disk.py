"""
A disk that is full, and gets room again: a tmpfs that only the processes of one test see.

It is mounted in a mount namespace that lives as long as a `cat` of ours: whoever ends this test,
and however, takes the mount with it.
"""

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.experiment.lab import experiment

PAGE = os.sysconf("SC_PAGE_SIZE")
PLENTY = 4096
_APART = ("unshare", "-m", "--propagation", "private")
_HOLD = 'mount -t tmpfs -o "size=$2" none "$1" && echo mounted && exec cat'


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallDisk:
    """Where it is mounted, in a namespace of its own."""

    at: Path
    holder: int

    @property
    def seen(self) -> Path:
        """The same folder, from outside."""
        return Path(f"/proc/{self.holder}/root{self.at}")

    @property
    def used(self) -> int:
        """How many pages are taken."""
        of = os.statvfs(self.seen)
        return of.f_blocks - of.f_bfree

    def resize(self, pages: int) -> None:
        """As large as so many pages."""
        within = self.within("mount", "-o", f"remount,size={pages * PAGE}", self.at)
        subprocess.run(within, check=True, capture_output=True)

    def protect(self) -> None:
        """As of now nobody may write there, root neither."""
        within = self.within("mount", "-o", "remount,ro", self.at)
        subprocess.run(within, check=True, capture_output=True)

    def within(self, *words: str | Path) -> list[str | Path]:
        """The command that runs these words where the disk is mounted."""
        return ["nsenter", "-t", str(self.holder), "-m", "--", *words]

    def say(
        self, *words: str | Path, env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """`firstlight experiment` with these words."""
        return experiment(words, env=env, through=self.within())


@contextmanager
def a_small_disk(at: Path, *, pages: int = PLENTY) -> Iterator[SmallDisk]:
    """A disk of so many pages, empty; the test is left out where nobody may mount one."""
    at.mkdir()
    with subprocess.Popen(
        [*_APART, "sh", "-c", _HOLD, "sh", at, str(pages * PAGE)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as holder:
        if holder.stdin is None or holder.stdout is None or holder.stderr is None:
            raise subprocess.SubprocessError("Popen made no pipe")
        if holder.stdout.readline() != b"mounted\n":
            why = f"no small disk can be mounted here: {holder.stderr.read().decode().strip()}"
            if os.environ.get("CI"):
                pytest.fail(why)
            pytest.skip(why)
        yield SmallDisk(at=at, holder=holder.pid)
        holder.stdin.close()

"""
Running a command of the recipe: its words go to the log, its progress to the person.

The child writes straight into the log file, so that nothing is lost or blocked
whatever becomes of us. Its arguments are not logged: an index URL may carry a
password, and pip hides it in its own lines.
"""

import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from recipe.progress import Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a command ended, and what it printed."""

    exit_code: int
    output: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Children:
    """Everything the commands of one build have in common."""

    log: Path
    claim: int
    environment: Mapping[str, str]
    progress: Progress

    def run(
        self,
        title: str,
        command: Sequence[str | Path],
        *,
        detail: Callable[[str], str] = lambda _: "",
    ) -> Outcome:
        """Run a command to its end; `detail` turns its output so far into a few words."""
        self.progress.begin(title)
        with self.log.open("ab") as log:
            log.write(f"\n== {title}\n".encode())
            log.flush()
            begin = log.tell()
            with subprocess.Popen(
                [str(part) for part in command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=dict(self.environment),
                pass_fds=(self.claim,),
            ) as process:
                try:
                    code = self._wait(process, begin, detail)
                except BaseException:
                    # Popen itself gives an interrupted child a quarter of a second and goes on.
                    process.terminate()
                    process.wait()
                    raise
        output = self._since(begin)
        if code == 0:
            self.progress.end(detail(output))
        else:
            self.progress.end("failed")
        return Outcome(exit_code=code, output=output)

    def _wait(
        self, process: "subprocess.Popen[bytes]", begin: int, detail: Callable[[str], str]
    ) -> int:
        while True:
            try:
                return process.wait(timeout=self.progress.interval_s)
            except subprocess.TimeoutExpired:
                self.progress.tick(detail(self._since(begin)))

    def _since(self, begin: int) -> str:
        with self.log.open("rb") as log:
            log.seek(begin)
            return log.read().decode(errors="replace")

"""
What the person in front of it sees while a build runs.

On a terminal the last line is rewritten every second; elsewhere (CI, a file) a
line appears every fifteen seconds, and one when a step ends.
"""

import time
from dataclasses import dataclass, field
from typing import TextIO

TERMINAL_INTERVAL_S = 1.0
PLAIN_INTERVAL_S = 15.0
ERASE_LINE = "\r\x1b[K"
NS_PER_S = 1_000_000_000


def size(count: int) -> str:
    """Write a number of bytes the way disks and networks are sold."""
    if count >= 10**9:
        return f"{count / 10**9:.1f} GB"
    return f"{count / 10**6:.0f} MB"


@dataclass(slots=True, kw_only=True)
class Progress:
    """Lines about a build, and one line about the step that runs."""

    stream: TextIO
    terminal: bool
    step_title: str = ""
    step_began_ns: int = field(default_factory=time.monotonic_ns)

    @property
    def interval_s(self) -> float:
        """How long to wait between two looks at a running step."""
        return TERMINAL_INTERVAL_S if self.terminal else PLAIN_INTERVAL_S

    def say(self, text: str) -> None:
        """Print a line that stays."""
        erase = ERASE_LINE if self.terminal else ""
        self.stream.write(f"{erase}{text}\n")
        self.stream.flush()

    def begin(self, title: str) -> None:
        """Open a step."""
        self.step_title = title
        self.step_began_ns = time.monotonic_ns()
        self.tick("")

    def tick(self, detail: str) -> None:
        """Show how far the step is."""
        seconds = (time.monotonic_ns() - self.step_began_ns) / NS_PER_S
        text = f"  {self.step_title}: {detail}{', ' if detail else ''}{seconds:.0f} s"
        if self.terminal:
            self.stream.write(f"{ERASE_LINE}{text}")
            self.stream.flush()
        elif detail:
            self.say(text)

    def end(self, detail: str = "") -> None:
        """Close the step with its time."""
        seconds = (time.monotonic_ns() - self.step_began_ns) / NS_PER_S
        between = f"{detail}, " if detail else ""
        self.say(f"  {self.step_title}: {between}{seconds:.1f} s")

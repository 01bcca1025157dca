"""
What the engine's own lines tell whoever is waiting for it.

Little is read here: where it says it listens, whether it is vLLM at all, and
its last words in case they are its last. Understanding a log is the readers'.
"""

import re
from collections import deque
from collections.abc import Iterable

_ANSI = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_LISTENS = re.compile(
    r"Starting vLLM (?:API )?server(?: \d+)? on (?P<vllm>\S+)|Uvicorn running on (?P<any>https?://\S+)"
)
_VLLM = re.compile(r"vllm|EngineCore", re.IGNORECASE)
_PREFIX = re.compile(
    r"^(?:\([\w .]+ pid=\d+\) )?(?:[A-Z]+ \d\d-\d\d \d\d:\d\d:\d\d \[?[\w./]+:\d+\] )?"
)
_KEPT_LINES = 20
_LONGEST = 300


class Heard:
    """Fed with lines as they come; remembers what matters."""

    def __init__(self) -> None:
        self.count = 0
        self.url: str | None = None
        """Where the engine says it listens, as it says it; None until it does."""
        self.url_ns = 0
        """When it said so. vLLM says it just before it listens."""
        self.is_vllm = False
        self._last: deque[str] = deque(maxlen=_KEPT_LINES)

    def take(self, lines: Iterable[tuple[int, str]]) -> None:
        """Take in lines, each with the monotonic moment of its arrival."""
        for at_ns, raw in lines:
            self.count += 1
            line = _UNPRINTABLE.sub("", _ANSI.sub("", raw)).rstrip()
            if line:
                self._last.append(line[:_LONGEST])
            self.is_vllm = self.is_vllm or bool(_VLLM.search(line))
            if found := _LISTENS.search(line):
                self.url, self.url_ns = found["vllm"] or found["any"], at_ns

    @property
    def last_lines(self) -> tuple[str, ...]:
        """The last lines that were not blank, oldest first."""
        return tuple(self._last)

    @property
    def last_words(self) -> tuple[str, ...]:
        """The same lines without the logger's prefix, for quoting."""
        return tuple(_PREFIX.sub("", line).strip() for line in self._last)

"""
What a gateway says while it runs: one JSON object a line, on standard error.

Nothing of a request is ever in it but counts: no body, no header, no path of a client's making.
What may happen a thousand times a second is said once, and how often it happened since with the
next. Nobody waits for whoever reads the lines: those that find no room are dropped, and the next
one that does says how many there were. Libraries that have something to say say it here too, so
that each line is one to parse.
"""

import json
import logging
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import TextIO

from firstlight.core.units import NS_PER_S
from firstlight.edges.gate.log_writer import LogWriter

_SELDOM_S = 10.0


class LogLines:
    """One stream of them."""

    def __init__(
        self,
        stream: TextIO | None = None,
        *,
        unix_ns: Callable[[], int] = time.time_ns,
        seldom_s: float = _SELDOM_S,
    ) -> None:
        """
        Args:
            stream: to write to, by a thread where it has a descriptor; None for standard error.
            unix_ns: what time it is.
            seldom_s: how far apart lines of one kind stand that are said seldom.
        """
        self._stream = stream or sys.stderr
        self._writer = _writer(self._stream)
        self._dropped = 0
        self._unix_ns = unix_ns
        self._seldom_ns = round(seldom_s * NS_PER_S)
        self._said: dict[str, tuple[int, int]] = {}
        """By kind: when it was last said, and how often it was not since."""

    def say(self, event: str, **values: object) -> None:
        """
        Write a line.

        Args:
            event: what happened, in one word.
            values: what else there is to it; None is left out.
        """
        told = {name: value for name, value in values.items() if value is not None}
        if self._dropped:
            told["dropped"] = self._dropped
        line = json.dumps({"at": _stamp(self._unix_ns()), "event": event, **told})
        self._dropped = 0 if self._taken(f"{line}\n") else self._dropped + 1

    def close(self) -> None:
        """The last line was said; wait a moment for it to be read."""
        if self._writer is not None:
            self._writer.close()

    def say_seldom(self, event: str, kind: str, **values: object) -> None:
        """
        Write a line, unless one of its kind was written lately.

        Args:
            event: what happened, in one word.
            kind: what makes it another; there must be few.
            values: what else there is to it.
        """
        now_ns = self._unix_ns()
        last_ns, unsaid = self._said.get(kind, (None, 0))
        if last_ns is not None and 0 <= now_ns - last_ns < self._seldom_ns:
            self._said[kind] = (last_ns, unsaid + 1)
            return
        self._said[kind] = (now_ns, 0)
        self.say(event, **values, unsaid=unsaid or None)

    def _taken(self, line: str) -> bool:
        if self._writer is not None:
            return self._writer.take(line)
        # Nobody reads it any more: that must end no request.
        with suppress(OSError, ValueError):
            if self._stream is not None:
                self._stream.write(line)
        return True


class AsLines(logging.Handler):
    """What libraries log, as lines; of an exception its kind and place alone."""

    def __init__(self, lines: LogLines) -> None:
        super().__init__(logging.WARNING)
        self._lines = lines

    def emit(self, record: logging.LogRecord) -> None:
        broken = record.exc_info[1] if record.exc_info else None
        self._lines.say_seldom(
            "library",
            f"{record.name}:{record.lineno}",
            of=record.name,
            level=record.levelname.lower(),
            # The message's own words; what was put into them may be a client's.
            words=str(record.msg),
            error=type(broken).__name__ if broken else None,
        )


def _writer(stream: TextIO | None) -> LogWriter | None:
    """For what has a descriptor; what lies in memory takes all at once."""
    with suppress(OSError, ValueError):
        return LogWriter(stream.fileno()) if stream is not None else None
    return None


def _stamp(unix_ns: int) -> str:
    at = datetime.fromtimestamp(unix_ns / NS_PER_S, UTC)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")

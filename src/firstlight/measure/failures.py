"""
What to say when a start went wrong: one sentence, and what to do.

Each names the thing, what it did instead, and quotes its last words. The root
cause of a crash is for `explain`, which understands the log; here it is said
what was seen from outside.
"""

import signal
from urllib.parse import urlsplit

from firstlight.core.errors import EngineFailed
from firstlight.core.marks import MarkKind
from firstlight.core.units import NS_PER_S
from firstlight.measure.course import Course, Step
from firstlight.measure.heard import Heard
from firstlight.measure.ports import Ended
from firstlight.measure.procedure import End, Watched

_QUOTED = 3


def port_taken(url: str) -> EngineFailed:
    """Somebody answers before anything was started."""
    return EngineFailed(
        f"something already listens on {place(url)}, so the wrong server would be measured",
        remedy="stop it, or give the engine another port and name it with --port or --url",
    )


def failure(
    watched: Watched, *, course: Course, heard: Heard, started_ns: int, log_path: str
) -> EngineFailed | None:
    """What went wrong with a start that was watched; None where nothing did."""
    after_s = (watched.at_ns - started_ns) / NS_PER_S
    match watched.end:
        case End.ANSWERED:
            return None
        case End.ENDED if watched.ended is not None:
            return _ended(watched.ended, course, heard, after_s, log_path)
        case End.ELSEWHERE:
            return EngineFailed(
                f"the engine listens on {watched.listening[0]}, not on {place(course.url)}",
                remedy="give its real address with --url, or leave --url out",
            )
        case _:
            return _never_ready(watched, course, heard, after_s, log_path)


def exit_words(code: int | None) -> str:
    """How a process ended, for people."""
    if code is None:
        return "ended, and nobody could see how"
    if code >= 0:
        return f"ended with exit code {code}"
    try:
        return f"was killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"was killed by signal {-code}"


def place(url: str) -> str:
    """Host and port, for people."""
    return urlsplit(url).netloc.rpartition("@")[2]


def _ended(
    ended: Ended, course: Course, heard: Heard, after_s: float, log_path: str
) -> EngineFailed:
    when = "before it was ready"
    if course.is_ready:
        when = "after it was ready, before its first token"
    if course.moment(MarkKind.FIRST_TOKEN) is not None:
        when = "after its first token, while it was asked more"
    if ended.exit_code == 0 and ended.left:
        return EngineFailed(
            f"the command ended with exit code 0 after {after_s:.1f} s and left "
            f"{ended.left} processes running, {when}",
            remedy="run the engine in the foreground: what it leaves behind is stopped",
        )
    remedy = f"its whole output is in {log_path}"
    if ended.exit_code == -signal.SIGKILL:
        remedy = f"look for the out-of-memory killer in the kernel's log (dmesg); {remedy}"
    return EngineFailed(
        f"the engine {exit_words(ended.exit_code)} after {after_s:.1f} s, {when}; {_said(heard)}",
        remedy=remedy,
    )


def _never_ready(
    watched: Watched, course: Course, heard: Heard, after_s: float, log_path: str
) -> EngineFailed:
    if course.step is not Step.PORT:
        return EngineFailed(
            f"the engine was not ready on {place(course.url)} within {after_s:.1f} s: "
            f"{course.last_no}; {_said(heard)}",
            remedy=f"allow more with --timeout, or read {log_path}",
        )
    instead = f"it listens on {', '.join(watched.listening)} instead; " if watched.listening else ""
    remedy = f"allow more with --timeout, or read {log_path}"
    if watched.listening:
        remedy = f"if one of these is the server, name it with --url; else {remedy}"
    return EngineFailed(
        f"the engine did not listen on {place(course.url)} within {after_s:.1f} s; "
        f"{instead}{_said(heard)}",
        remedy=remedy,
    )


def _said(heard: Heard) -> str:
    if not heard.last_lines:
        return "it printed nothing"
    quoted = " / ".join(f'"{line}"' for line in heard.last_words[-_QUOTED:])
    return f"its last words: {quoted}"

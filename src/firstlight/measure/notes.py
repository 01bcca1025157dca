"""
What a reader must know to judge the figures of a round.

None of these is an error: the start was measured, and something about it was
not as usual.
"""

import signal
from collections.abc import Iterable

from firstlight.measure.failures import place
from firstlight.measure.ports import Stopped
from firstlight.measure.whereabouts import Move


def notes(
    *,
    moves: Iterable[Move],
    no_token: str | None,
    printed: bool,
    probed: bool,
    stopped: Stopped,
    ended_itself: bool,
) -> list[str]:
    """
    Sentences, in the order of the start.

    Args:
        moves: where it was asked instead.
        no_token: why no token came; None where one did or nobody asked.
        printed: whether it printed anything.
        probed: whether the probe wrote anything, or was off.
        stopped: how its processes came to their end.
        ended_itself: whether the command was over before it was to stop.
    """
    found = [f"asked on {place(move.url)} instead, {move.why}" for move in moves]
    if no_token:
        found.append(f"no first token: {no_token}")
    if not printed:
        found.append("the engine printed nothing")
    if not probed:
        found.append(
            "the probe wrote nothing: the command runs no Python, or one without PYTHONPATH"
        )
    if stopped.ignored_sigterm and not ended_itself:
        found.append(_patience(stopped))
    elif stopped.asked:
        found.append(f"left over by the engine, and stopped: {', '.join(stopped.asked)}")
    if stopped.left:
        found.append(f"still running, not even SIGKILL ended: {', '.join(stopped.left)}")
    return found


def _patience(stopped: Stopped) -> str:
    if stopped.exit_code == -signal.SIGKILL:
        return "the engine ignored SIGTERM and was killed"
    return "the engine ended only when each of its processes had got SIGTERM"

"""
The one fact about a card that only its driver's library tells: what can be compiled for it.

`nvidia-smi` comes with the driver into every container that has a card, so no library of ours is
needed. Not seen on a card by any test: the words are those of its documentation.
"""

import re
import subprocess
from contextlib import suppress

_COMMAND = ("nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader")
_CAPABILITY = re.compile(r"\d+\.\d+")
_WITHIN_S = 10.0


def compute_capability() -> str | None:
    """Of the cards, as `9.0`; None where nobody says, or they differ."""
    with suppress(OSError, subprocess.SubprocessError):
        done = subprocess.run(
            _COMMAND, capture_output=True, timeout=_WITHIN_S, check=True, stdin=subprocess.DEVNULL
        )
        told = {line.strip() for line in done.stdout.decode("utf-8", "replace").splitlines()}
        only = next(iter(told)) if len(told) == 1 else ""
        return only if _CAPABILITY.fullmatch(only) else None
    return None

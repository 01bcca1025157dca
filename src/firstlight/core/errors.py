"""
Everything firstlight may say instead of an answer.

    FirstlightError              one sentence and a remedy; `cli` prints it
     +- BadInput                 what was given cannot be read (exit 2)
     |   +- NewerRecord          written by a newer firstlight than this one
     +- NothingFound             readable, and the answer is no (exit 1)
     +- OutsideFailed            the engine, the network, the disk (exit 3)
     |   +- EngineFailed         the engine died, never answered, or went elsewhere
     +- Interrupted              the user wanted no more of it (exit 130)

Only `cli` prints and exits. Edges translate foreign exceptions into these and
chain the cause. Anything else that reaches `cli` is our bug (exit 70).
"""


class FirstlightError(Exception):
    """A sentence about what is wrong, and one about what to do."""

    def __init__(self, message: str, *, remedy: str) -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy


class BadInput(FirstlightError):
    """What was given cannot be read: missing, empty, binary, damaged."""


class NewerRecord(BadInput):
    """A record that a newer firstlight wrote; guessing at it would be worse."""


class NothingFound(FirstlightError):
    """The input is readable, and what was asked for is not in it."""


class OutsideFailed(FirstlightError):
    """Something outside firstlight did not do its part."""


class EngineFailed(OutsideFailed):
    """The engine died, never answered, or answered somewhere else."""


class Interrupted(FirstlightError):
    """Why a record ends early: the user stopped what it is of. Nobody failed."""

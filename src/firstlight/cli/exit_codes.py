"""
Exit codes, named once.

0 done · 1 done, and the answer is no · 2 wrong usage or unreadable input · 3 the
outside failed (engine, cluster, store) · 70 our bug · 130 interrupted.
"""

from firstlight.core.errors import BadInput, FirstlightError, Interrupted, NothingFound

DONE = 0
ANSWER_IS_NO = 1
WRONG_USAGE = 2
OUTSIDE_FAILED = 3
OUR_BUG = 70
INTERRUPTED = 130


def exit_code(error: FirstlightError) -> int:
    """The code for an error of the tree."""
    if isinstance(error, NothingFound):
        return ANSWER_IS_NO
    if isinstance(error, BadInput):
        return WRONG_USAGE
    if isinstance(error, Interrupted):
        return INTERRUPTED
    return OUTSIDE_FAILED

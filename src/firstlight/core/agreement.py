"""
Whether an engine still says what it said: tokens of one question, held against each other.

Weights that did not come back after a sleep show in no status and in no log, only in the answer.
An answer tells something only where the engine is steady, so it is asked twice before: one that
gives two answers to the same question is not held to either. Otherwise what counts is how far the
two agree from the first token on, for behind the first token that differs every other follows from
another text.
"""

from collections.abc import Sequence


def agreement(once: Sequence[str], twice: Sequence[str], after: Sequence[str]) -> float | None:
    """
    The share of tokens alike from the first one on; None where it tells nothing.

    Args:
        once: what it said before.
        twice: what it said to the same, also before.
        after: what it says now.
    """
    if not once or list(once) != list(twice):
        return None
    alike = next(
        (n for n, pair in enumerate(zip(once, after, strict=False)) if pair[0] != pair[1]),
        min(len(once), len(after)),
    )
    return alike / max(len(once), len(after))

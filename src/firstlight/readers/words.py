"""
A word of a command line, whoever wrote it: an item of a list, or a piece of a script.

Kubernetes replaces `$(NAME)`, a shell replaces more than that. So a word may not be known
until the container runs, and one that is nothing but a variable may turn out to be no word,
or ten.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """One word."""

    text: str
    """Without its quotes; variables as they are written."""
    source: str
    """As it is written."""
    start: int = 0
    """Where it stands in the script, or its index in the list."""
    end: int = 0
    static: bool = True
    """What it will be is known from the text."""
    open: bool = False
    """It may be any number of words, or an argument by itself, when the container runs."""

"""
A finding that somebody has judged and wants to live with.

It is said where it stands, so that the next reader sees it: as an annotation of the object,
or as a comment at the line. Both name the rule and give a reason; a suppression without one
is a finding itself, because nobody can judge it again.
"""

from dataclasses import dataclass
from enum import StrEnum

from firstlight.manifests.objects import Manifest


class Written(StrEnum):
    """Where a suppression is said."""

    ANNOTATION = "annotation"
    COMMENT = "comment"
    OPTION = "--ignore"


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppression:
    """One rule, set aside."""

    code: str
    """Empty where it names none, or cannot be read; then it suppresses nothing."""
    reason: str
    """Empty where nobody gave one; then it suppresses nothing."""
    written: Written
    manifest: Manifest | None = None
    """The object that says it, or in whose text the comment stands; None for every object."""
    pointer: str = ""
    """Of the annotation."""
    line: int | None = None
    """Where a comment stands; None for what is no comment."""
    covers: frozenset[int] = frozenset()
    """The lines that a comment is about; empty for what is no comment."""

"""A suppression of a rule that does not exist."""

import difflib
from collections.abc import Iterator

from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.lint.suppression import Suppression, Written
from firstlight.techniques.sources import Origin, Source


def _check(scene: Scene) -> Iterator[Hit]:
    for one in scene.suppressions:
        if one.manifest is None or one.code in scene.codes or _is_unread(one):
            continue
        near = difflib.get_close_matches(one.code, scene.codes, n=1)
        yield Hit(
            manifest=one.manifest,
            pointer=one.pointer,
            line=one.line,
            what=f"this {one.written} is to set {one.code} aside, and no rule has that name"
            if one.code
            else f"this {one.written} is to set a rule aside, and names none",
            remedy=f"did you mean {near[0]}?" if near else "",
        )


def _is_unread(one: Suppression) -> bool:
    """Whether it is a comment of which not even the rule is known: `suppression-without-reason`."""
    return not one.code and one.written is Written.COMMENT


RULE = Rule(
    code="suppression-of-unknown-rule",
    severity=Severity.WARNING,
    title="A suppression must name a rule that exists",
    why=(
        "A misspelled name sets nothing aside. It stands there as if somebody had looked, while "
        "the finding comes back, or will come when its rule does."
    ),
    remedy="take it out, or name a rule that `firstlight lint --list` shows",
    sources=(Source(origin=Origin.OURS, where="docs/lint.md"),),
    check=_check,
)

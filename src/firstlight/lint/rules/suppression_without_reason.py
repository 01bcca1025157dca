"""A suppression that gives no reason."""

from collections.abc import Iterator

from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.lint.suppression import Written
from firstlight.techniques.sources import Origin, Source


def _check(scene: Scene) -> Iterator[Hit]:
    for one in scene.suppressions:
        if not one.code and one.manifest is not None and one.written is Written.COMMENT:
            yield Hit(
                manifest=one.manifest,
                pointer="",
                line=one.line,
                what="this comment begins as one that sets a rule aside, and is none: it does "
                "nothing",
                remedy="write one rule, a colon and the reason: `# firstlight: ignore CODE: why`",
            )
        if not one.reason and one.manifest is not None and one.code in scene.codes:
            yield Hit(
                manifest=one.manifest,
                pointer=one.pointer,
                line=one.line,
                what=f"this {one.written} is to set {one.code} aside and gives no reason, so it "
                "does nothing",
            )


RULE = Rule(
    code="suppression-without-reason",
    severity=Severity.WARNING,
    title="A suppression must give a reason",
    why=(
        "Whoever reads it next cannot tell a judgement from a habit, and nobody looks again when "
        "what it rested on has changed. Without a reason the finding stays."
    ),
    remedy="say why behind it: what makes this safe here, or who decided it",
    sources=(Source(origin=Origin.OURS, where="docs/lint.md"),),
    check=_check,
)

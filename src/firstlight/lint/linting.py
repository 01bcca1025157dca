"""
Rules over a scene.

A rule looks at everything and says where it is broken. What somebody set aside, with a reason,
is kept apart and not dropped. What is found comes in the order in which it is read: by object
as given, then by line.

A rule that meets something it cannot read ends there, and the others go on: which rules were
not judged to the end is a part of the answer.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from firstlight.core.errors import BadInput
from firstlight.lint.finding import LintFinding, SuppressedFinding, finding_of
from firstlight.lint.rule import Hit, Rule
from firstlight.lint.scene import Scene
from firstlight.lint.suppression import Suppression, Written


@dataclass(frozen=True, slots=True, kw_only=True)
class NotJudged:
    """A rule that could not go to its end."""

    code: str
    message: str
    remedy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Linted:
    """What the rules found."""

    findings: tuple[LintFinding, ...]
    suppressed: tuple[SuppressedFinding, ...]
    not_judged: tuple[NotJudged, ...]


def lint(scene: Scene, rules: Iterable[Rule]) -> Linted:
    """Every rule over the scene, and what its suppressions set aside."""
    order = {id(manifest): at for at, manifest in enumerate(scene.objects)}
    hits: list[tuple[Rule, Hit]] = []
    not_judged = []
    for rule in rules:
        try:
            hits.extend((rule, hit) for hit in rule.check(scene))
        except BadInput as e:
            not_judged.append(NotJudged(code=rule.code, message=e.message, remedy=e.remedy))
    judged = _Judging(scene.suppressions)
    found: dict[LintFinding, tuple[int, Suppression | None]] = {}
    for rule, hit in hits:
        finding = finding_of(rule, hit)
        found.setdefault(
            finding, (order.get(id(hit.manifest), len(order)), judged.by(finding, hit))
        )
    ordered = sorted(found.items(), key=lambda one: _place(one[0], one[1][0]))
    return Linted(
        findings=tuple(finding for finding, (_, by) in ordered if by is None),
        suppressed=tuple(
            SuppressedFinding(finding=finding, reason=by.reason, written=by.written)
            for finding, (_, by) in ordered
            if by is not None
        ),
        not_judged=tuple(not_judged),
    )


def of_all_steps(steps: Sequence[Linted]) -> Linted:
    """
    What was found in the objects of each step of an intent, each thing once.

    Args:
        steps: from step 0 on.
    """
    findings: dict[LintFinding, list[int]] = {}
    suppressed: dict[SuppressedFinding, list[int]] = {}
    for number, linted in enumerate(steps):
        for finding in linted.findings:
            findings.setdefault(finding, []).append(number)
        for one in linted.suppressed:
            suppressed.setdefault(one, []).append(number)
    return Linted(
        findings=tuple(replace(f, steps=tuple(numbers)) for f, numbers in findings.items()),
        suppressed=tuple(
            replace(s, finding=replace(s.finding, steps=tuple(numbers)))
            for s, numbers in suppressed.items()
        ),
        not_judged=tuple(dict.fromkeys(one for linted in steps for one in linted.not_judged)),
    )


def _place(finding: LintFinding, object_at: int) -> tuple[int, int, str, str, str, str]:
    return (
        object_at,
        finding.line or 0,
        finding.severity,
        finding.code,
        finding.pointer,
        finding.what,
    )


class _Judging:
    """Which suppression sets a finding aside: an annotation or a comment before an option."""

    def __init__(self, suppressions: Sequence[Suppression]) -> None:
        self._by_code: dict[str, list[Suppression]] = {}
        for one in suppressions:
            if one.reason:
                self._by_code.setdefault(one.code, []).append(one)

    def by(self, finding: LintFinding, hit: Hit) -> Suppression | None:
        """The first that does; None where none does."""
        meant = (s for s in self._by_code.get(finding.code, ()) if _covers(s, finding, hit))
        return next(iter(sorted(meant, key=lambda s: s.written is Written.OPTION)), None)


def _covers(suppression: Suppression, finding: LintFinding, hit: Hit) -> bool:
    match suppression.written:
        case Written.OPTION:
            return True
        case Written.ANNOTATION:
            return suppression.manifest is hit.manifest
        case Written.COMMENT:
            same = suppression.manifest is not None and (
                suppression.manifest.artefact == finding.artefact
            )
            return same and finding.line in suppression.covers

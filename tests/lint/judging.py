"""Rules on a text, as `firstlight lint` judges them."""

from collections.abc import Iterable, Sequence

from firstlight.lint.annotations import annotated
from firstlight.lint.choice import chosen
from firstlight.lint.comments import commented
from firstlight.lint.finding import LintFinding
from firstlight.lint.linting import Linted, lint
from firstlight.lint.rule import Rule
from firstlight.lint.rules.table import RULES
from firstlight.lint.scene import Stated, scene
from firstlight.manifests.objects import ObjectSet
from firstlight.manifests.reading import manifests_of, object_set
from firstlight.manifests.well_formed import check_form
from firstlight.readers.manifests import kubernetes_objects, refuse_others
from firstlight.readers.marked_yaml import marked_documents
from firstlight.wiring.cards import deck


def objects_of(text: str, *, name: str = "given.yaml") -> ObjectSet:
    """The objects of a text, each with its lines."""
    objects, others = kubernetes_objects(name, marked_documents(name, text.encode()))
    refuse_others(name, others)
    return object_set(manifests_of(name, objects))


def judged(
    text: str,
    codes: Sequence[str] = (),
    *,
    stated: Stated | None = None,
    rules: Iterable[Rule] = RULES,
    name: str = "given.yaml",
) -> Linted:
    """What the rules of some codes, or all, find in a text."""
    objects = objects_of(text, name=name)
    check_form(objects)
    known = tuple(rules)
    suppressions = (*annotated(objects), *commented(text, objects.manifests))
    looked_at = scene(
        objects,
        stated,
        deck=deck(),
        suppressions=suppressions,
        codes=frozenset(rule.code for rule in known),
    )
    return lint(looked_at, chosen(codes, known))


def found(linted: Linted) -> list[tuple[str, int | None]]:
    """Code and line of each finding, in order."""
    return [(one.code, one.line) for one in linted.findings]


def said(linted: Linted) -> list[str]:
    """The sentences."""
    return [one.what for one in linted.findings]


def codes_of(findings: Iterable[LintFinding]) -> list[str]:
    """The codes, each once, in order of name."""
    return sorted({one.code for one in findings})

"""What the rules say becomes findings: each with its place, once, in order."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.core.errors import BadInput
from firstlight.lint.linting import of_all_steps
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.techniques.sources import Origin, Source
from tests.lint.judging import found, judged, said

TEXT = """\
apiVersion: v1
kind: Service
metadata:
  name: one
spec:
  ports:
  - port: 1
  - port: 2
---
apiVersion: v1
kind: Service
metadata:
  name: two
spec:
  ports:
  - port: 3
"""


def rule(code: str, *pointers: str, severity: Severity = Severity.WARNING) -> Rule:
    """A rule that fires at these places of every Service."""

    def check(scene: Scene) -> Iterator[Hit]:
        for service in scene.of_kind("Service"):
            for pointer in pointers:
                yield Hit(manifest=service, pointer=pointer, what=f"{code} {pointer}")

    return Rule(
        code=code,
        severity=severity,
        title="It",
        why="Why.",
        remedy="the rule's",
        sources=(Source(origin=Origin.OURS, where="here"),),
        check=check,
    )


def test_a_finding_says_where_it_is() -> None:
    """File, line, object, and the path in both ways of writing."""
    linted = judged(TEXT, rules=[rule("a", "/spec/ports/1/port")])

    first = linted.findings[0]
    assert ("given.yaml", 8) == (first.artefact, first.line)
    assert ("Service", "one") == (first.object.kind, first.object.name)
    assert ("/spec/ports/1/port", "spec.ports[1].port") == (first.pointer, first.path)
    assert ("the rule's", "Why.") == (first.remedy, first.why)


def test_a_place_that_is_not_there_has_the_line_of_what_holds_it() -> None:
    """A rule may point at what is missing."""
    linted = judged(TEXT, rules=[rule("a", "/spec/type")])

    assert [("a", 6), ("a", 15)] == found(linted)


def test_findings_come_as_one_reads() -> None:
    """By object, then by line, then the worse first; not by rule."""
    rules = [
        rule("a", "/spec", severity=Severity.NOTE),
        rule("b", "/spec/ports/0/port", "/metadata/name"),
        rule("c", "/spec", severity=Severity.ERROR),
    ]

    linted = judged(TEXT, rules=rules)

    assert [("b", 4), ("c", 6), ("a", 6), ("b", 7)] == found(linted)[:4]


def test_what_is_said_twice_is_one_finding() -> None:
    """Two engines of a pod may lead a rule to one place."""
    linted = judged(TEXT, rules=[rule("a", "/spec", "/spec")])

    assert ["a /spec", "a /spec"] == said(linted)
    assert 2 == len({one.object for one in linted.findings})


def test_a_hit_may_know_better_what_to_do_and_where() -> None:
    """Its own remedy goes before the rule's; a comment has a line and no pointer."""

    def check(scene: Scene) -> Iterator[Hit]:
        for one in scene.of_kind("Service"):
            yield Hit(manifest=one, pointer="", what="it", remedy="this", line=3)

    linted = judged(TEXT, rules=[replace(rule("a"), check=check)])

    assert [("this", 3)] * 2 == [(one.remedy, one.line) for one in linted.findings]


def test_a_rule_that_cannot_read_something_does_not_stop_the_others() -> None:
    """What it had found stays, and that it was not judged is said."""

    def check(scene: Scene) -> Iterator[Hit]:
        yield from rule("broken", "/spec").check(scene)
        raise BadInput("this cannot be read", remedy="put it right")

    broken = replace(rule("broken"), check=check)

    linted = judged(TEXT, rules=[broken, rule("after", "/spec")])

    assert {"broken", "after"} == {one.code for one in linted.findings}
    (one,) = linted.not_judged
    assert ("broken", "this cannot be read", "put it right") == (one.code, one.message, one.remedy)


def test_of_several_steps_each_thing_is_said_once() -> None:
    """With the steps that have it."""
    first, second = judged(TEXT, rules=[rule("a", "/spec")]), judged(TEXT, rules=[])
    third = judged(TEXT, rules=[rule("a", "/spec"), rule("b", "/spec")])

    linted = of_all_steps([first, second, third])

    assert [("a", (0, 2)), ("a", (0, 2)), ("b", (2,)), ("b", (2,))] == sorted(
        (one.code, one.steps) for one in linted.findings
    )


@given(st.permutations(["/spec", "/metadata/name", "/spec/ports/0", "/kind"]))
def test_the_order_of_rules_and_hits_does_not_matter(pointers: list[str]) -> None:
    """Two machines print the same."""
    rules = [rule(pointer.strip("/").replace("/", "-"), pointer) for pointer in pointers]

    assert found(judged(TEXT, rules=sorted(rules, key=lambda r: r.code))) == found(
        judged(TEXT, rules=rules)
    )


def test_an_unknown_rule_is_refused() -> None:
    """With the one that was meant."""
    with pytest.raises(BadInput, match="no rule is called alhpa") as refused:
        judged(TEXT, ["alhpa"], rules=[rule("alpha")])

    assert "did you mean alpha?" == refused.value.remedy

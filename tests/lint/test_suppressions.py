"""What somebody set aside, with a reason, is kept apart; without one it stays."""

import pytest

from firstlight.lint.rule import Rule
from firstlight.lint.rules.table import RULES
from tests.lint.judging import found, judged, said
from tests.lint.test_linting import rule

SERVICE = """\
apiVersion: v1
kind: Service
metadata:
  name: one{annotations}
spec:
  type: ClusterIP
  ports:
  - port: 1
"""
ANNOTATED = '\n  annotations:\n    firstlight/ignore-{}: "{}"'
META = [one for one in RULES if one.code.startswith("suppression-")]


def rules(*pointers: str) -> list[Rule]:
    return [rule("alpha", *pointers), *META]


def test_an_annotation_sets_a_rule_aside() -> None:
    """On its object; what was found is kept, with the reason."""
    text = SERVICE.format(annotations=ANNOTATED.format("alpha", "one node, by hand"))

    linted = judged(text, rules=rules("/spec"))

    assert () == linted.findings
    (one,) = linted.suppressed
    assert ("alpha", "one node, by hand", "annotation") == (
        one.finding.code,
        one.reason,
        one.written,
    )


def test_only_of_its_object() -> None:
    """The next one has it still."""
    text = SERVICE.format(annotations=ANNOTATED.format("alpha", "why"))
    other = SERVICE.format(annotations="").replace("name: one", "name: two")

    linted = judged(f"{text}---\n{other}", rules=rules("/spec"))

    assert ["two"] == [one.object.name for one in linted.findings]


def test_a_pods_template_may_say_it() -> None:
    """Charts often take annotations for the pods and none for the Deployment."""
    text = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    metadata:
      annotations: {firstlight/ignore-suppression-without-reason: ""}
    spec: {containers: [{name: web, image: web}]}
"""

    linted = judged(text, rules=rules())

    assert [("suppression-without-reason", 7)] == found(linted)


@pytest.mark.parametrize("reason", ["", "   "])
def test_without_a_reason_it_does_nothing(reason: str) -> None:
    """And is a finding itself, beside the one that stays."""
    text = SERVICE.format(annotations=ANNOTATED.format("alpha", reason))

    linted = judged(text, rules=rules("/spec"))

    assert [("suppression-without-reason", 6), ("alpha", 8)] == found(linted)


def test_of_a_rule_that_is_not_there() -> None:
    """The one that was meant is named."""
    text = SERVICE.format(annotations=ANNOTATED.format("alhpa", "why"))

    linted = judged(text, rules=rules("/spec"))

    assert [("suppression-of-unknown-rule", 6), ("alpha", 8)] == found(linted)
    assert "did you mean alpha?" == linted.findings[0].remedy


COMMENTED = [
    ("spec:\n  # firstlight: ignore alpha: it is meant\n  type: ClusterIP\n", "above"),
    ("spec:\n  type: ClusterIP # firstlight: ignore alpha: it is meant\n", "behind"),
    ("spec:\n  # firstlight: ignore alpha: it is meant\n\n  # more\n  type: ClusterIP\n", "apart"),
    ("spec:\r\n  # firstlight: ignore alpha: it is meant\r\n  type: ClusterIP\r\n", "windows"),
]


@pytest.mark.parametrize(("spec", "_where"), COMMENTED, ids=[where for _, where in COMMENTED])
def test_a_comment_sets_its_line_aside(spec: str, _where: str) -> None:
    """Behind the line, or above it."""
    linted = judged(
        SERVICE.partition("spec:")[0].format(annotations="") + spec, rules=rules("/spec/type")
    )

    assert () == linted.findings
    (one,) = linted.suppressed
    assert ("it is meant", "comment") == (one.reason, one.written)


def test_a_comment_above_a_key_is_about_its_map() -> None:
    """Whose first value stands in the line after it."""
    text = SERVICE.format(annotations="").replace(
        "spec:", "# firstlight: ignore alpha: it is meant\nspec:"
    )

    assert [] == said(judged(text, rules=rules("/spec")))
    assert ["alpha /spec/ports/0"] == said(judged(text, rules=rules("/spec/ports/0")))


def test_a_comment_is_about_no_other_line() -> None:
    """Nor about another rule."""
    text = SERVICE.format(annotations="").replace(
        "  - port: 1", "  - port: 1 # firstlight: ignore alpha: it is meant"
    )

    assert ["alpha /spec/type"] == said(judged(text, rules=rules("/spec/type")))
    assert [] == said(judged(text, rules=rules("/spec/ports/0/port")))


def test_a_comment_without_a_reason_or_a_rule() -> None:
    """Each is found at its own line."""
    text = SERVICE.format(annotations="").replace(
        "spec:",
        "spec:\n  # firstlight: ignore alpha\n  # firstlight: ignore alpha:  \n"
        "  # firstlight: ignore beta: why",
    )

    linted = judged(text, rules=rules())

    assert [
        ("suppression-without-reason", 6),
        ("suppression-without-reason", 7),
        ("suppression-of-unknown-rule", 8),
    ] == found(linted)


@pytest.mark.parametrize(
    "line",
    [
        "  note: 'see firstlight: ignore alpha: it'",
        "  # firstlight ignores alpha: it",
        "  # the words firstlight: ignore are explained in docs/lint.md",
        '  x: "a#firstlight: ignore alpha: it"',
    ],
)
def test_what_only_looks_like_one(line: str) -> None:
    """A text with such words, or a comment about them."""
    text = SERVICE.format(annotations="").replace("spec:", f"spec:\n{line}")

    linted = judged(text, rules=rules("/spec/type"))

    assert ["alpha /spec/type"] == said(linted)
    assert () == linted.suppressed


def test_in_json_there_are_no_comments() -> None:
    """An annotation works there too."""
    text = (
        '{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a", "annotations":'
        ' {"firstlight/ignore-alpha": "why"}}, "spec": {}}'
    )

    assert "why" == judged(text, rules=rules("/spec")).suppressed[0].reason


@pytest.mark.parametrize(
    "comment",
    [
        "# firstlight: ignore",
        "# firstlight: ignore alpha why without a colon",
        "# firstlight: ignore alpha, beta: two at once",
        "# firstlight: ignore: why",
        "# Firstlight: IGNORE alpha - why",
        "#firstlight:ignore alpha # why",
    ],
)
def test_a_comment_that_begins_as_one_and_is_none_is_said(comment: str) -> None:
    """Whoever wrote it believes that it does something."""
    text = SERVICE.format(annotations="").replace("  type: ClusterIP", f"  type: x {comment}")

    linted = judged(text, rules=rules("/spec/type"))

    assert [("alpha", 6), ("suppression-without-reason", 6)] == found(linted)
    assert any("begins as one that sets a rule aside" in one for one in said(linted))


def test_the_words_may_be_written_large() -> None:
    """As a sentence begins."""
    text = SERVICE.format(annotations="").replace("IP", "IP # Firstlight: Ignore alpha: by hand", 1)

    linted = judged(text, rules=rules("/spec/type"))

    assert ["by hand"] == [one.reason for one in linted.suppressed]


def test_an_annotation_that_names_no_rule_is_said() -> None:
    """In words that have a name in them."""
    linted = judged(SERVICE.format(annotations=ANNOTATED.format("", "why")), rules=rules())

    assert ["this annotation is to set a rule aside, and names none"] == said(linted)

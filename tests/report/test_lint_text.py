"""The findings as text, made of the document alone."""

import io
from typing import Any

import pytest
from rich.console import Console

from firstlight.report.lint_text import print_lint


def finding(**more: Any) -> dict[str, Any]:
    return {
        "code": "a-rule",
        "severity": "warning",
        "artefact": "vllm.yaml",
        "line": 3,
        "object": {"group": "apps", "kind": "Deployment", "namespace": "llm", "name": "vllm"},
        "pointer": "/spec",
        "path": "spec",
        "what": "it is so",
        "why": "Because.",
        "remedy": "make it otherwise",
        "steps": [],
    } | more


def document(*findings: dict[str, Any], **more: Any) -> dict[str, Any]:
    counts = dict.fromkeys(("error", "warning", "note", "suppressed"), 0)
    for one in findings:
        counts[one["severity"]] += 1
    engine = {"object": finding()["object"], "container": "engine", "unknown": []}
    return {
        "intent": None,
        "counts": counts,
        "objects": 2,
        "engines": [engine],
        "findings": [*findings],
        "suppressed": [],
        "not_judged": [],
        "notes": [],
    } | more


def text(of: dict[str, Any], *, suppressed: bool = False, width: int = 60) -> str:
    out = io.StringIO()
    console = Console(file=out, width=width, highlight=False, markup=False, emoji=False)
    print_lint(console, of, suppressed=suppressed)
    return out.getvalue()


def test_three_lines_a_finding_and_a_summary() -> None:
    """However narrow the terminal: programs read the first of them."""
    what = "it is so, and " + "more, " * 30

    said = text(document(finding(what=what)))

    assert said.splitlines()[:3] == [
        f"vllm.yaml:3: warning a-rule: {what}",
        "  deployment/vllm spec",
        "  → make it otherwise",
    ]
    assert "1 warning in 2 objects with 1 engine; why: firstlight lint --explain a-rule" in said


def test_without_a_file_the_object_is_the_place() -> None:
    """With its namespace, as kubectl takes it."""
    said = text(document(finding(artefact=None, line=None)))

    assert said.startswith("deployment/vllm -n llm: warning a-rule: it is so\n")


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ([2], "step 2"),
        ([0, 1], "steps 0-1"),
        ([0, 1, 2, 4], "steps 0-2, 4"),
        ([1, 3, 5], "steps 1, 3, 5"),
        ([0, 2, 3, 4], "steps 0, 2-4"),
    ],
)
def test_steps_are_said_as_rows(steps: list[int], expected: str) -> None:
    """Of an intent."""
    said = text(document(finding(artefact=None, line=None, steps=steps), intent="i.yaml"))

    assert said.startswith(f"i.yaml {expected} deployment/vllm: warning")


def test_what_was_set_aside_is_shown_when_asked_for() -> None:
    """And counted always."""
    of = document(suppressed=[finding(reason="it is meant", by="comment")])
    of["counts"]["suppressed"] = 1

    assert "set aside by comment: it is meant" in text(of, suppressed=True)
    assert "it is meant" not in text(of)
    assert "nothing found in 2 objects with 1 engine; 1 set aside" in text(of)


def test_what_was_not_judged_or_not_known_is_said() -> None:
    """A rule that met something unreadable, an engine with unknown arguments, no engine."""
    engine = document()["engines"][0] | {"unknown": ["$EXTRA, vllm.yaml line 3"]}
    said = text(
        document(
            engines=[engine],
            not_judged=[{"code": "a-rule", "message": "it is odd", "remedy": "put it right"}],
            notes=["values.yaml line 1 is left out: it has no kind"],
        ),
        width=400,
    )

    assert "a-rule was not judged: it is odd\n  → put it right\n" in said
    assert (
        "deployment/vllm [engine]: not all arguments are known ($EXTRA, vllm.yaml line 3)" in said
    )
    assert "about the input: values.yaml line 1 is left out" in said
    assert "no container here is seen to run vLLM" in text(document(engines=[]), width=400)


def test_foreign_words_are_made_visible() -> None:
    """A name or a reason may hold anything."""
    bad = finding(what="\x1b[31m", path="\x1b", remedy="\x1b")
    bad["object"] = bad["object"] | {"name": "\x1b"}

    assert "\x1b" not in text(document(bad, notes=["\x1b"]), width=400)


def test_the_last_line_asks_for_the_reason_of_the_worst() -> None:
    """Not of the first that happens to stand there."""
    findings = [
        finding(severity=severity, code=f"of-{severity}")
        for severity in ("note", "warning", "error", "warning")
    ]

    assert "why: firstlight lint --explain of-error" in text(document(*findings), width=200)

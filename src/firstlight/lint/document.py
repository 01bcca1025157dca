"""
What `firstlight lint` says, as one document: the JSON contract, and what the text is made of.

Fields may be added, not renamed.
"""

from typing import Any

from firstlight.core.records import Form
from firstlight.lint.answer import LintAnswer
from firstlight.lint.engines_seen import EngineSeen
from firstlight.lint.finding import LintFinding
from firstlight.lint.rule import Rule, Severity
from firstlight.manifests.objects import Identity

LINT = Form(name="lint")
RULES = Form(name="rules")


def document(answer: LintAnswer) -> dict[str, Any]:
    """The answer."""
    linted, stated = answer.linted, answer.stated
    return {
        "schema": LINT.schema,
        "intent": answer.intent or None,
        "counts": {
            **{str(severity): answer.count(severity) for severity in Severity},
            "suppressed": len(linted.suppressed),
        },
        "objects": answer.objects,
        "engines": [_engine(one) for one in answer.engines],
        "findings": [_finding(one) for one in linted.findings],
        "suppressed": [
            {**_finding(one.finding), "reason": one.reason, "by": str(one.written)}
            for one in linted.suppressed
        ],
        "not_judged": [
            {"code": one.code, "message": one.message, "remedy": one.remedy}
            for one in linted.not_judged
        ],
        "rules": [rule.code for rule in answer.rules],
        "stated": {
            "start_p95_s": stated.start_p95_s,
            "start_p95_count": stated.start_p95_count,
            "model_bytes": stated.model_bytes,
            "nat_price_per_gb": stated.nat_price_per_gb,
            "policies_enforced": stated.policies_enforced,
        },
        "notes": list(answer.notes),
    }


def rules_document(rules: tuple[Rule, ...]) -> dict[str, Any]:
    """Rules, with everything that is said of them."""
    return {"schema": RULES.schema, "rules": [_rule(rule) for rule in rules]}


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "code": rule.code,
        "severity": str(rule.severity),
        "title": rule.title,
        "why": rule.why,
        "remedy": rule.remedy,
        "sources": [{"origin": str(one.origin), "where": one.where} for one in rule.sources],
        "techniques": list(rule.techniques),
        "live": rule.live,
    }


def _finding(one: LintFinding) -> dict[str, Any]:
    return {
        "code": one.code,
        "severity": str(one.severity),
        "artefact": one.artefact or None,
        "line": one.line,
        "object": _object(one.object),
        "pointer": one.pointer,
        "path": one.path,
        "what": one.what,
        "why": one.why,
        "remedy": one.remedy,
        "steps": list(one.steps),
    }


def _engine(one: EngineSeen) -> dict[str, Any]:
    return {
        "object": _object(one.object),
        "container": one.container,
        "unknown": list(one.unknown),
    }


def _object(one: Identity) -> dict[str, Any]:
    return {"group": one.group, "kind": one.kind, "namespace": one.namespace, "name": one.name}

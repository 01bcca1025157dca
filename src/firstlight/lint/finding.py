"""
What a rule found, with everything that is said of it.
"""

from dataclasses import dataclass

from firstlight.core.shortened import shortened
from firstlight.lint.readable_path import readable_path
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.manifests.objects import Identity
from firstlight.readers.json_pointer import nearest


@dataclass(frozen=True, slots=True, kw_only=True)
class LintFinding:
    """One place where a rule is broken."""

    code: str
    severity: Severity
    artefact: str
    """The file; empty where no file holds the object."""
    line: int | None
    """None where no file holds the object."""
    object: Identity
    pointer: str
    """Into the object; empty for the object as a whole."""
    path: str
    """The pointer as people read it."""
    what: str
    why: str
    remedy: str
    steps: tuple[int, ...] = ()
    """The steps of an intent whose objects have it; empty where objects were given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuppressedFinding:
    """A finding that somebody set aside."""

    finding: LintFinding
    reason: str
    written: str
    """Where that is said: `annotation`, `comment` or `--ignore`."""


def finding_of(rule: Rule, hit: Hit) -> LintFinding:
    """A hit with what its rule says about all of them."""
    manifest = hit.manifest
    line = hit.line or manifest.lines.get(nearest(hit.pointer, manifest.lines))
    return LintFinding(
        code=rule.code,
        severity=hit.severity or rule.severity,
        artefact=manifest.artefact,
        line=line if manifest.artefact else None,
        object=manifest.identity,
        pointer=hit.pointer,
        path=shortened(readable_path(manifest.value, hit.pointer)),
        what=shortened(hit.what),
        why=rule.why,
        remedy=shortened(hit.remedy or rule.remedy),
    )

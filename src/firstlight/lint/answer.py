"""
What `lint` says: what was found, and of what.
"""

from dataclasses import dataclass

from firstlight.lint.engines_seen import EngineSeen
from firstlight.lint.linting import Linted
from firstlight.lint.rule import Rule, Severity
from firstlight.lint.scene import Stated

_ORDER = (Severity.NOTE, Severity.WARNING, Severity.ERROR)


@dataclass(frozen=True, slots=True, kw_only=True)
class LintAnswer:
    """The answer to one question."""

    linted: Linted
    rules: tuple[Rule, ...]
    """Those that were judged."""
    objects: int
    """How many were looked at."""
    engines: tuple[EngineSeen, ...]
    stated: Stated
    notes: tuple[str, ...]
    """What there is to say about the input, in sentences."""
    intent: str = ""
    """The file of the intent whose steps were looked at; empty where objects were given."""

    def count(self, severity: Severity) -> int:
        """How many findings are of a severity."""
        return sum(one.severity is severity for one in self.linted.findings)

    def fails(self, threshold: Severity) -> bool:
        """Whether something is as bad as the threshold, or worse."""
        worst = _ORDER.index(threshold)
        return any(_ORDER.index(one.severity) >= worst for one in self.linted.findings)

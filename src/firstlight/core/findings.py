"""
Findings: something worth knowing, and what to do about it.

Every finding ends in a remedy. One without is an observation, and observations
belong into the timeline.
"""

from dataclasses import dataclass

from firstlight.core.evidence import Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One finding, of any rule."""

    code: str
    """Stable, kebab-case; people filter by it."""
    where: str
    what: str
    remedy: str
    evidence: tuple[Evidence, ...] = ()

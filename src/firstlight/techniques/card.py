"""
A technique: one change with a claim.

Experiments, manifests, lint, decisions and reports all hang on these cards. One YAML file
a technique, in this folder; adding a technique is adding a file. A card says what shrinks
and who found that, what exactly is changed, how one sees that the change took effect, what
it requires and risks, and what was decided about it, with the condition to look again.

Which seconds of a given start are at stake is worked out in `explain`, what the change is
in somebody's own objects in `manifests`, whether a decision still stands in `decisions`.
"""

from enum import StrEnum
from typing import Literal

import msgspec

from firstlight.core.effects import EffectState
from firstlight.techniques.check import Check
from firstlight.techniques.operations import Operation
from firstlight.techniques.parameter_kinds import Kind
from firstlight.techniques.sources import Origin, Source


class _Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every part of a card is a value, and an unknown field is a mistake."""


class Claim(_Part, frozen=True, kw_only=True):
    """What shrinks, by how much, and who found it."""

    says: str
    """One sentence."""
    phases: tuple[str, ...]
    """The phases it shrinks, by their names in the JSON contract; a child after a slash."""
    before_s: float | None = None
    """None where nobody measured it."""
    after_s: float | None = None
    figures_of: Literal["phases", "start"] = "phases"
    """What the two figures are seconds of: its phases together, or a whole start, which says
    nothing of the share of a phase."""
    keeps: float | None = None
    """The share of its phases that is left, by an estimate, where nobody measured both figures
    of them; None where nobody can say."""
    scenarios: tuple[str, ...] = ()
    """The kinds of start it helps: `cold` (a node was made), `warm` (the node was there), `wake`;
    empty for all."""
    sources: tuple[Source, ...]


class Need(_Part, frozen=True, kw_only=True):
    """Something without which it does not work, or must not be done."""

    says: str
    sources: tuple[Source, ...]


class Risk(_Part, frozen=True, kw_only=True):
    """What can go wrong, and what to do about it."""

    says: str
    remedy: str
    sources: tuple[Source, ...]


class Parameter(_Part, frozen=True, kw_only=True):
    """A word of the change that differs from one user to the next."""

    says: str
    default: str | None = None
    """None where only the user, or the objects, can tell."""
    kind: Kind = Kind.TEXT
    """What it has to be; see `parameter_kinds`."""


class Sign(_Part, frozen=True, kw_only=True):
    """One thing a start can show, and what it means for this technique."""

    sign: str
    """A name of `core.signs`."""
    means: EffectState
    says: str
    """How it looks: the words of a log line or an event."""
    sources: tuple[Source, ...]


class KubernetesChange(_Part, frozen=True, kw_only=True):
    """The change in a cluster: operations, or why there are none."""

    operations: tuple[Operation, ...] = ()
    refused: str | None = None
    """Why no patch is offered, in a sentence; None where there is one."""
    prerequisites: tuple[str, ...] = ()
    """What the cluster must have first: drivers, plugins, identities. Parameters in a command
    are put in as words of a shell."""
    refuse_when: tuple[Check, ...] = ()
    """What must not be there, as far as the objects show it."""


class ProcessChange(_Part, frozen=True, kw_only=True):
    """The change for an engine started on a host."""

    arguments: dict[str, str | None] = {}
    """None for a flag."""
    environment: dict[str, str] = {}
    wrapper: tuple[str, ...] = ()
    """Words before the command."""
    before: str | None = None
    """What to do before the start, in a sentence; None for nothing."""
    refused: str | None = None


class Change(_Part, frozen=True, kw_only=True):
    """The change itself."""

    kubernetes: KubernetesChange
    process: ProcessChange


class Status(StrEnum):
    """What was decided."""

    RECOMMENDED = "recommended"
    CONDITIONAL = "conditional"
    EXCLUDED = "excluded"


class LookAgain(_Part, frozen=True, kw_only=True):
    """When the decision has to be made again."""

    when: str
    """A condition over facts, such as `ebs_gbps > stream_gbps`; see `decisions.condition`. Of a
    recommended or excluded technique it says when that is over, of a conditional one when the
    technique pays."""
    says: str
    origin: Origin


class Decision(_Part, frozen=True, kw_only=True):
    """What was decided about a technique, by whom, and why."""

    status: Status
    reason: str
    origin: Origin
    sources: tuple[Source, ...]
    look_again: LookAgain


class Card(_Part, frozen=True, kw_only=True):
    """One technique."""

    id: str
    title: str
    says: str
    """Two or three sentences for somebody who has never heard of it."""
    claim: Claim
    change: Change
    parameters: dict[str, Parameter] = {}
    proof: tuple[Sign, ...]
    requires: tuple[Need, ...] = ()
    risks: tuple[Risk, ...] = ()
    builds_on: tuple[str, ...] = ()
    """Techniques that must be there first, by id."""
    replaces: tuple[str, ...] = ()
    """Techniques whose place it takes: its change undoes theirs."""
    excludes: tuple[str, ...] = ()
    """Techniques that it cannot be combined with."""
    lint: tuple[str, ...] = ()
    """Codes of the lint rules that guard it."""
    decision: Decision

"""
How a way of running an engine makes a step of the one before.

What a plan may combine and how its steps are called is the same wherever it is run, and is
`steps`' to see to. What the engine is started from differs: a command on this host, or objects
of a cluster. Each of them draws a change on that, and proves that nothing else came with it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from firstlight.experiment.command_difference import CommandDifference
from firstlight.experiment.command_setup import CommandSetup
from firstlight.experiment.object_difference import ObjectDifference
from firstlight.experiment.object_setup import ObjectSetup
from firstlight.experiment.plan import PlannedStep
from firstlight.experiment.step import Step
from firstlight.techniques.card import Card


@dataclass(frozen=True, slots=True, kw_only=True)
class Coming:
    """The change that the next step is."""

    name: str
    planned: PlannedStep
    card: Card | None
    """None for a change of one's own."""
    there: Mapping[str, Card]
    """The techniques that hold at the step before and go on to hold."""
    gone: tuple[Card, ...]
    """Those whose place it takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """What the engine is started from at a step."""

    setup: CommandSetup | ObjectSetup
    difference: tuple[CommandDifference | ObjectDifference, ...] = ()
    """All that is not as at the step before."""
    beforehand: tuple[str, ...] = ()
    """What has to be done before the plan is run, in sentences."""


class Chain(Protocol):
    """Makes what an engine is started from, each on the one before."""

    as_given: str
    """What the base is where it has no technique."""

    def first(self, card: Card | None) -> Made:
        """
        The base.

        Args:
            card: the technique whose change makes it; None where it is taken as it is.

        Raises:
            BadInput: the technique does not go here.
        """
        ...

    def next(self, coming: Coming, before: Step) -> Made:
        """
        What comes after a step, proven to be one change on it.

        Raises:
            BadInput: the change does not go here, or is not one change.
        """
        ...

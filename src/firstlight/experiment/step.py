"""
One step of a plan: a way in which the engine is started, and how it differs from the one before.
"""

from dataclasses import dataclass

from firstlight.experiment.command_difference import CommandDifference
from firstlight.experiment.command_setup import CommandSetup
from firstlight.experiment.object_difference import ObjectDifference
from firstlight.experiment.object_setup import ObjectSetup
from firstlight.techniques.card import Card

BASELINE = "baseline"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One way the engine is started."""

    number: int
    """0 for the baseline."""
    name: str
    """A technique's id, the name of one's own change, or `baseline`."""
    says: str
    setup: CommandSetup | ObjectSetup
    """A command on this host, or objects of a cluster: the same for all steps of a plan."""
    card: Card | None
    """None for a change of one's own, and for a base without a technique."""
    claims: tuple[str, ...]
    """The phases it should move, fixed before anything runs; a child after a slash."""
    changes: tuple[str, ...] = ()
    """Names of the fingerprint that it is said to move beside what differs."""
    difference: tuple[CommandDifference | ObjectDifference, ...] = ()
    """All that is not as at the step before; empty for the baseline."""
    beforehand: tuple[str, ...] = ()
    """What has to be done before the plan is run, in sentences."""
    brings_cache: bool = False
    """Whether it, or a step before it, is what a cold start may find a compile cache by."""
    active: tuple[str, ...] = ()
    """The names of the changes that hold at it, the base's first."""

    @property
    def technique(self) -> str | None:
        """The technique's id; None for a change of one's own."""
        return self.card.id if self.card else None

    @property
    def process(self) -> CommandSetup:
        """
        The command; asked for only where the plan is one of a process.

        Raises:
            TypeError: it is a step on objects.
        """
        if isinstance(self.setup, CommandSetup):
            return self.setup
        raise TypeError(f"{self.name} is a step on objects")

    @property
    def objects(self) -> ObjectSetup:
        """
        The objects; asked for only where the plan is one of a cluster.

        Raises:
            TypeError: it is a step of a process.
        """
        if isinstance(self.setup, ObjectSetup):
            return self.setup
        raise TypeError(f"{self.name} is a step of a process")

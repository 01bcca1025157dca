"""
How an engine is started at a step on a host: the words of its command, and what is around them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from firstlight.experiment.command_change import CommandChange
from firstlight.experiment.command_words import with_argument, with_head, without_argument


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandSetup:
    """A command and what is put into its environment, `${container}` and `${node}` left in."""

    command: tuple[str, ...]
    environment: Mapping[str, str]
    wrapper: tuple[str, ...] = ()
    """Words before the command, whose options are none of its."""
    unset: tuple[str, ...] = ()
    """Variables that a change took away: the engine does not get them from elsewhere either."""

    @property
    def words(self) -> tuple[str, ...]:
        """All that is started."""
        return (*self.wrapper, *self.command)

    @property
    def digested(self) -> dict[str, Any]:
        """What two runs of one plan have in common."""
        told = {"command": self.words, "environment": dict(sorted(self.environment.items()))}
        return {**told, "unset": sorted(self.unset)} if self.unset else told

    def with_changes(self, changes: Sequence[CommandChange]) -> "CommandSetup":
        """The same with these, one on top of the other."""
        found = self
        for change in changes:
            found = found.changed(change)
        return found

    def changed(self, change: CommandChange) -> "CommandSetup":
        """The same with this change."""
        command = with_head(self.command, change.head) if change.head else self.command
        for name in change.without_arguments:
            command = without_argument(command, name)
        for name, value in change.arguments.items():
            command = with_argument(command, name, value)
        gone = {*self.unset, *change.without_environment} - change.environment.keys()
        kept = {name: v for name, v in self.environment.items() if name not in gone}
        return replace(
            self,
            command=command,
            wrapper=(*change.wrapper, *self.wrapper),
            environment={**kept, **change.environment},
            unset=tuple(sorted(gone)),
        )

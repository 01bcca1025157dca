"""
How an engine is started at a step: the words around its command, and what changes them.

A change is names with values, whether a card's or one's own, so it can be put in, taken out
again by the card that replaces it, and be held against what really differs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from firstlight.core.secrets import redacted_values
from firstlight.experiment.command_words import read_command, with_argument

ENVIRONMENT = "environment "
WORDS = "the words of the command"
WRAPPER = "the words before the command"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What one technique, or a change of one's own, does to the words of a command."""

    arguments: Mapping[str, str | None] = field(default_factory=dict)
    """None for a flag."""
    environment: Mapping[str, str] = field(default_factory=dict)
    wrapper: tuple[str, ...] = ()

    @property
    def is_nothing(self) -> bool:
        return not (self.arguments or self.environment or self.wrapper)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """A command and what is put into its environment, `${container}` and `${node}` left in."""

    command: tuple[str, ...]
    environment: Mapping[str, str]
    wrapper: tuple[str, ...] = ()
    """Words before the command, whose options are none of its."""

    @property
    def words(self) -> tuple[str, ...]:
        """All that is started."""
        return (*self.wrapper, *self.command)

    @property
    def digested(self) -> dict[str, Any]:
        """What two runs of one plan have in common."""
        return {"command": self.words, "environment": dict(sorted(self.environment.items()))}

    def with_changes(self, changes: Sequence[Change]) -> "Setup":
        """The same with these, one on top of the other."""
        found = self
        for change in changes:
            found = found.changed(change)
        return found

    def changed(self, change: Change) -> "Setup":
        """The same with this change."""
        command = self.command
        for name, value in change.arguments.items():
            command = with_argument(command, name, value)
        return replace(
            self,
            command=command,
            wrapper=(*change.wrapper, *self.wrapper),
            environment={**self.environment, **change.environment},
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One thing that is not the same in two setups."""

    name: str
    """`--port`, `environment NAME`, or which words of the command."""
    before: str | None
    """None where it was not there; empty for a flag."""
    after: str | None

    @property
    def line(self) -> str:
        """For people; a secret is blacked out."""
        before, after = self._shown(self.before), self._shown(self.after)
        if self.before is None:
            return f"{self.name}: {after} (was not there)"
        if self.after is None:
            return f"{self.name}: taken away (was {before})"
        return f"{self.name}: {before} -> {after}"

    def _shown(self, value: str | None) -> str:
        name = self.name.removeprefix(ENVIRONMENT)
        return redacted_values({name: value})[name] if value else "set"


def differences(before: Setup, after: Setup) -> tuple[Difference, ...]:
    """All that is not the same in two setups, however their commands are spelled."""
    found: list[Difference] = []
    one, other = read_command(before.command), read_command(after.command)
    if one.words != other.words:
        found.append(
            Difference(name=WORDS, before=" ".join(one.words), after=" ".join(other.words))
        )
    if before.wrapper != after.wrapper:
        earlier, later = (" ".join(setup.wrapper) or None for setup in (before, after))
        found.append(Difference(name=WRAPPER, before=earlier, after=later))
    for name in dict.fromkeys((*one.options, *other.options)):
        pair = _told(one.options, name), _told(other.options, name)
        if pair[0] != pair[1]:
            found.append(Difference(name=name, before=pair[0], after=pair[1]))
    for name in dict.fromkeys((*before.environment, *after.environment)):
        was, now = before.environment.get(name), after.environment.get(name)
        if was != now:
            found.append(Difference(name=f"{ENVIRONMENT}{name}", before=was, after=now))
    return tuple(found)


def _told(options: Mapping[str, str | None], name: str) -> str | None:
    return (options[name] or "") if name in options else None

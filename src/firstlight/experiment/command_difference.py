"""
What is not the same in how an engine is started at two steps, however the commands are spelled.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from firstlight.core.secrets import redacted_values
from firstlight.experiment.command_setup import CommandSetup
from firstlight.experiment.command_words import read_command

ENVIRONMENT = "environment "
WORDS = "the words of the command"
WRAPPER = "the words before the command"


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandDifference:
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


def command_differences(before: CommandSetup, after: CommandSetup) -> tuple[CommandDifference, ...]:
    """All that is not the same in two setups, however their commands are spelled."""
    found: list[CommandDifference] = []
    one, other = read_command(before.command), read_command(after.command)
    if one.words != other.words:
        found.append(
            CommandDifference(name=WORDS, before=" ".join(one.words), after=" ".join(other.words))
        )
    if before.wrapper != after.wrapper:
        earlier, later = (" ".join(setup.wrapper) or None for setup in (before, after))
        found.append(CommandDifference(name=WRAPPER, before=earlier, after=later))
    for name in dict.fromkeys((*one.options, *other.options)):
        pair = _told(one.options, name), _told(other.options, name)
        if pair[0] != pair[1]:
            found.append(CommandDifference(name=name, before=pair[0], after=pair[1]))
    for name in dict.fromkeys((*before.environment, *after.environment)):
        was, now = before.environment.get(name), after.environment.get(name)
        if was != now:
            found.append(CommandDifference(name=f"{ENVIRONMENT}{name}", before=was, after=now))
    return tuple(found)


def _told(options: Mapping[str, str | None], name: str) -> str | None:
    return (options[name] or "") if name in options else None

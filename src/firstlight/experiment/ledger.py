"""
What was run, as it is written down after each round: one JSON object a line.

The first line says which plan it is, each later one what became of a round, or why the plan
stopped. A line is on disk before the next round begins, so whoever is killed loses at most the
round that was on. A last line that is cut off is what a kill leaves, and no damage; anything
else that cannot be read is, and is refused: which rounds there were must not be guessed.

Reading and writing the file is the edges', what is to be run next is worked out in `next_slot`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from firstlight.core.errors import BadInput
from firstlight.core.records import LEDGER

PLAN, ROUND, STOPPED = "plan", "round", "stopped"


class PlanEntry(msgspec.Struct, frozen=True, kw_only=True, tag_field="entry", tag=PLAN):
    """Which plan this is the ledger of."""

    schema: str
    digest: str
    """Of the steps, scenarios and rounds as they were worked out."""
    name: str
    substrate: str
    settings: dict[str, str] = {}
    """What `${NAME}` stood for."""
    where: dict[str, str] = {}
    """Context, server and namespace of the cluster; empty for a plan of a process."""
    began_ns: int
    """Unix nanoseconds, as all moments here."""


class RoundEntry(msgspec.Struct, frozen=True, kw_only=True, tag_field="entry", tag=ROUND):
    """What became of one try of one round."""

    slot: str
    attempt: int
    """From 1."""
    folder: str
    """Below the run's folder."""
    outcome: str
    """ready or failed."""
    cause: str | None = None
    """Why it failed, in a sentence; None where it did not."""
    effect: str = "unknown"
    """Whether the start shows the step's technique at work: a state of `core.effects`."""
    effect_says: str = ""
    cache: str = "unknown"
    """What the compile cache did: a verdict of `core.starts`."""
    serving: str | None = None
    """The digest of what the engine answered; None where it was not asked, or did not answer."""
    begun_ns: int
    ended_ns: int

    @property
    def is_ready(self) -> bool:
        return self.outcome == "ready"


class StoppedEntry(msgspec.Struct, frozen=True, kw_only=True, tag_field="entry", tag=STOPPED):
    """The plan stopped before its end."""

    slot: str
    why: str
    at_ns: int


Entry = PlanEntry | RoundEntry | StoppedEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """A ledger, read."""

    plan: PlanEntry
    entries: tuple[RoundEntry | StoppedEntry, ...] = ()
    torn: bool = False
    """Whether the last line was cut off, by a kill or a full disk."""
    whole_bytes: int = field(default=0, compare=False)
    """Where the last whole line ends."""

    @property
    def rounds(self) -> tuple[RoundEntry, ...]:
        """Every try of every round, in order."""
        return tuple(entry for entry in self.entries if isinstance(entry, RoundEntry))

    @property
    def stopped(self) -> StoppedEntry | None:
        """Why it stopped; None where the last thing that happened is a round."""
        last = self.entries[-1] if self.entries else None
        return last if isinstance(last, StoppedEntry) else None


def line(entry: Entry) -> bytes:
    """An entry as it is written, with the end of its line."""
    return msgspec.json.encode(entry) + b"\n"


def read_ledger(artefact: str, data: bytes) -> Ledger | None:
    """
    A ledger from its bytes.

    Args:
        artefact: what to call it in an error.
        data: the file.

    Returns:
        None where not even its first line was written to the end.

    Raises:
        BadInput: a line is damaged, or the first is not a plan's.
        NewerRecord: a newer firstlight wrote it.
    """
    *lines, rest = data.split(b"\n")
    entries: list[Entry] = []
    for number, text in enumerate(lines, start=1):
        entries.append(_entry(artefact, number, text))
    if not entries:
        return None
    first, *others = entries
    if not isinstance(first, PlanEntry):
        raise _damaged(artefact, 1, "it does not say which plan it is the ledger of")
    for number, entry in enumerate(others, start=2):
        if isinstance(entry, PlanEntry):
            raise _damaged(artefact, number, "a second plan begins")
    return Ledger(
        plan=first,
        entries=tuple(entry for entry in others if not isinstance(entry, PlanEntry)),
        torn=bool(rest),
        whole_bytes=len(data) - len(rest),
    )


_DECODER = msgspec.json.Decoder(Entry)


def _entry(artefact: str, number: int, text: bytes) -> Entry:
    try:
        if number == 1:
            schema: Any = msgspec.json.decode(text)
            if not isinstance(schema, Mapping) or not LEDGER.reads(
                schema.get("schema"), artefact=artefact
            ):
                raise _damaged(artefact, 1, "it does not say that it is a firstlight.ledger")
        return _DECODER.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError) as broken:
        raise _damaged(artefact, number, f"it is no entry of a ledger ({broken})") from broken


def _damaged(artefact: str, number: int, how: str) -> BadInput:
    return BadInput(
        f"{artefact} line {number} is damaged: {how}",
        remedy="restore it from a copy, or start the plan anew in another folder; the rounds' "
        "folders are whole and `firstlight explain` reads them",
    )


def tries(rounds: Sequence[RoundEntry], slot: str) -> tuple[RoundEntry, ...]:
    """Every try of one round, in order."""
    return tuple(entry for entry in rounds if entry.slot == slot)

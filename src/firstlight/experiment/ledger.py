"""
What was run, as it is written down after each round: one JSON object a line.

The first line says which plan it is, each later one what became of a round, why the plan
stopped, or how it was changed. A line is on disk before the next round begins, so whoever is
killed loses at most the round that was on. A last line that is cut off is what a kill leaves,
and no damage; anything else that cannot be read is, and is refused: which rounds there were
must not be guessed.

Reading and writing the file is the edges', what is to be run next is worked out in `next_slot`.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from firstlight.core.errors import BadInput
from firstlight.core.records import LEDGER
from firstlight.core.shortened import shortened
from firstlight.core.starts import Outcome

_FOLDER = re.compile(r"rounds/([^/.\x00-\x1f\x7f][^/\x00-\x1f\x7f]{0,199})/round-[0-9]{1,9}")
"""Where a run puts its rounds, and nowhere else: a line must not lead out of it."""
_PLAN_FILE = re.compile(r"plan-[0-9]{1,9}\.yaml")
PLAN, ROUND, STOPPED, CHANGED = "plan", "round", "stopped", "changed"


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
    home: str | None = None
    """The run's folder when it began, absolute; None in ledgers of earlier versions."""
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
    def label(self) -> str | None:
        """The label under which its folder lies; None where that is no folder of a round."""
        found = _FOLDER.fullmatch(self.folder)
        return found[1] if found else None

    @property
    def is_ready(self) -> bool:
        return self.outcome == Outcome.READY


class StoppedEntry(msgspec.Struct, frozen=True, kw_only=True, tag_field="entry", tag=STOPPED):
    """The plan stopped before its end."""

    slot: str
    why: str
    at_ns: int


class ChangedEntry(msgspec.Struct, frozen=True, kw_only=True, tag_field="entry", tag=CHANGED):
    """From here on the run goes on by a plan that was changed."""

    digest: str
    name: str
    settings: dict[str, str] = {}
    plan: str
    """The file beside the ledger that holds it."""
    rounds: int
    aside: tuple[str, ...] = ()
    """Folders of rounds before this line that count no more."""
    at_ns: int


Entry = PlanEntry | RoundEntry | StoppedEntry | ChangedEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """A ledger, read."""

    plan: PlanEntry
    entries: tuple[RoundEntry | StoppedEntry | ChangedEntry, ...] = ()
    torn: bool = False
    """Whether the last line was cut off, by a kill or a full disk."""
    whole_bytes: int = field(default=0, compare=False)
    """Where the last whole line ends."""

    @property
    def rounds(self) -> tuple[RoundEntry, ...]:
        """Every try of every round of the plan as it is now, in order."""
        return self._rounds(aside=False)

    @property
    def aside(self) -> tuple[RoundEntry, ...]:
        """What was tried of the plan as it was before a change, and counts no more."""
        return self._rounds(aside=True)

    @property
    def changes(self) -> tuple[ChangedEntry, ...]:
        """How the plan was changed, in order."""
        return tuple(entry for entry in self.entries if isinstance(entry, ChangedEntry))

    @property
    def meant(self) -> PlanEntry | ChangedEntry:
        """The plan as it is now: its digest, name and settings."""
        return self.changes[-1] if self.changes else self.plan

    @property
    def since_stop(self) -> tuple[RoundEntry, ...]:
        """The rounds after the plan last stopped."""
        stops = [n for n, one in enumerate(self.entries) if isinstance(one, StoppedEntry)]
        later = self.entries[stops[-1] + 1 :] if stops else self.entries
        return replace(self, entries=(*later, *self.changes)).rounds

    def _rounds(self, *, aside: bool) -> tuple[RoundEntry, ...]:
        rounds = [entry for entry in self.entries if isinstance(entry, RoundEntry)]
        gone = {folder for one in self.changes for folder in one.aside}
        return tuple(one for one in rounds if (one.folder in gone) is aside)

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
        BadInput: a line is damaged, the first is not a plan's, or one stands there twice.
        NewerRecord: a newer firstlight wrote it.
    """
    *lines, rest = data.split(b"\n")
    entries: list[Entry] = []
    seen = _Seen()
    for number, text in enumerate(lines, start=1):
        entry = _entry(artefact, number, text)
        if isinstance(entry, RoundEntry) and (how := seen.wrong(entry)):
            raise _damaged(artefact, number, how)
        if isinstance(entry, ChangedEntry):
            if not _PLAN_FILE.fullmatch(entry.plan):
                raise _damaged(artefact, number, f"{shortened(entry.plan)!r} is no file of a plan")
            seen.put_aside(entry)
        entries.append(entry)
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


class _Seen:
    """The rounds of the lines so far: each was tried, and lies in a folder, once."""

    def __init__(self) -> None:
        self._tries: dict[str, tuple[str, int]] = {}
        """By folder."""
        self._counting: set[tuple[str, int]] = set()

    def wrong(self, entry: RoundEntry) -> str:
        """Why a line cannot stand after those before it; empty where it can."""
        if entry.label is None:
            return f"{shortened(entry.folder)!r} is no folder of a round"
        one_try = entry.slot, entry.attempt
        if one_try in self._counting:
            return f"try {entry.attempt} of {shortened(entry.slot)} stands there a second time"
        if entry.folder in self._tries:
            return f"the folder {shortened(entry.folder)} stands there a second time"
        self._counting.add(one_try)
        self._tries[entry.folder] = one_try
        return ""

    def put_aside(self, entry: ChangedEntry) -> None:
        """Rounds that count no more may be tried from the first again, in other folders."""
        self._counting -= {self._tries[folder] for folder in entry.aside if folder in self._tries}


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
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as broken:
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

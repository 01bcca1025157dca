"""What is to happen, drawn from a seed: cycles, and the requests of each."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from tests.gating_chaos.engine import MOST_WORDS, Spoil
from tests.gating_chaos.wanted import Leaving, Sending, Wanted


class Kind(StrEnum):
    """What a cycle is about. The first ones touch nobody."""

    QUIET = "nothing goes wrong"
    SLOW_WAKE = "it wakes slowly"
    SLOW_SLEEP = "it falls asleep slowly, and is asked meanwhile"
    FAILED_SLEEP = "a sleep answers 500, and it says that it sleeps"
    SLEEP_BY_OTHERS = "somebody else puts it to sleep"
    NOBODY_LEFT = "all leave that it wakes for, and others come"
    SLEEP_ORDERED = "an admin wants it asleep while it works"
    SPOILED = "some answers are cut, or no HTTP"
    WAKE_BY_OTHERS = "somebody else wakes it, in the wrong order where there is one"
    CROWD = "more come than may wait"
    WAKE_KILLS = "a wake-up kills its core"
    WAKE_HANGS = "a wake-up never ends"
    WAKE_LATE = "a sleep and a wake-up take longer than is waited"
    NONSENSE = "a wake-up answers 200, and its weights are not back"
    MUTE = "after a wake-up it generates nothing"
    SLEEP_HANGS = "a sleep never ends"
    KILLED_AWAKE = "its process is killed while it works"
    KILLED_ASLEEP = "its process is killed while it sleeps"
    KILLED_WAKING = "its process is killed while it wakes"
    CORE_DIES = "its core dies while it works"
    CORE_HANGS = "its core hangs while it works"
    CORE_PAUSES = "its core hangs for a while, and goes on"
    DRAIN_AWAKE = "the gateway is told to end while it works"
    DRAIN_ASLEEP = "the gateway is told to end while requests wait"
    DRAIN_FALLING = "the gateway is told to end while it falls asleep"


HARMLESS = tuple(Kind)[: tuple(Kind).index(Kind.WAKE_BY_OTHERS)]
DRAINS = (Kind.DRAIN_AWAKE, Kind.DRAIN_ASLEEP, Kind.DRAIN_FALLING)
FAULTS = tuple(kind for kind in Kind if kind not in {*HARMLESS, *DRAINS})
_SOON_OVER = (
    *(Kind.WAKE_KILLS, Kind.NONSENSE, Kind.KILLED_AWAKE, Kind.KILLED_ASLEEP, Kind.CORE_DIES),
    *(Kind.DRAIN_AWAKE, Kind.DRAIN_ASLEEP),
)
_CROWD = 170


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """How much of it there is."""

    requests: int
    cycles: int
    """At least one of each kind is among them."""
    faults: tuple[Kind, ...]
    faults_share: float = 0.0
    """Of the cycles beyond those."""
    spread_s: float = 0.7
    """So long after one another the requests of a cycle begin."""


SHORT = Form(requests=1_000, cycles=24, faults=_SOON_OVER, spread_s=0.3)
LONG = Form(requests=10_000, cycles=240, faults=(*FAULTS, *DRAINS), faults_share=0.35)
SOAK = Form(requests=3_000, cycles=60, faults=FAULTS, faults_share=0.2)
"""In one life of the gateway, and again and again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cycle:
    """One of them."""

    number: int
    kind: Kind
    wanted: tuple[Wanted, ...]
    chance: random.Random
    """For what else is drawn in it."""


def cycles(seed: int, form: Form) -> Iterator[Cycle]:
    """
    All of a run.

    Args:
        seed: draws the same again.
        form: how much.
    """
    chance = random.Random(seed)  # noqa: S311 - drawn again from its seed
    kinds = [*HARMLESS, *form.faults]
    while len(kinds) < form.cycles:
        faulty = chance.random() < form.faults_share
        kinds.append(chance.choice(form.faults if faulty else HARMLESS))
    chance.shuffle(kinds)
    sizes = [_CROWD if kind is Kind.CROWD else 0 for kind in kinds]
    left, others = form.requests - sum(sizes), sizes.count(0)
    each = 0
    for number, kind in enumerate(kinds):
        size = sizes[number]
        if kind is not Kind.CROWD:
            size = left // others
            left, others = left - size, others - 1
        names = [f"{seed}-{each + one}" for one in range(size)]
        streams = [(each + one) % 2 == 0 for one in range(size)]
        each += size
        wanted = tuple(
            _wanted(chance, kind, name, form.spread_s, stream=stream)
            for name, stream in zip(names, streams, strict=True)
        )
        yield Cycle(number=number, kind=kind, wanted=wanted, chance=chance)


def _wanted(
    chance: random.Random, kind: Kind, name: str, spread_s: float, *, stream: bool
) -> Wanted:
    leaving = chance.choice(list(Leaving)) if chance.random() < 0.12 else None
    if leaving is Leaving.READING and not stream:
        leaving = Leaving.WAITING
    spoiled = kind is Kind.SPOILED and leaving is None and chance.random() < 0.2
    spoils = [one for one in Spoil if stream or one is not Spoil.NO_CHUNK]
    return Wanted(
        name=name,
        words=chance.randint(1, MOST_WORDS),
        stream=stream,
        chat=chance.random() < 0.3,
        padding_bytes=chance.choice((0, 0, 0, 10, 1_000, 30_000, 150_000)),
        # Most at once, some while it answers, and a few around the moment when it falls asleep.
        after_s=chance.choice((0.0, chance.uniform(0, 0.2), chance.uniform(0, spread_s))),
        sending=chance.choice((*[Sending.WHOLE] * 8, Sending.SLOWLY, Sending.CHUNKED)),
        keeps_connection=chance.random() < 0.5 and leaving is None,
        leaving=leaving,
        leaves_after_s=chance.uniform(0, 0.3),
        resets=leaving is not None and chance.random() < 0.5,
        spoil=chance.choice(spoils) if spoiled else None,
    )

"""
A wake-up as a start: from the wake call to one token.

The engine was there all the time, so nothing of how it came up belongs to the round. Its
timeline has two parts: until the call was answered, and until a token came.

An answer to a call is no proof. vLLM on a CPU answers each of them and ignores them, so the
engine's own line in the log has to say that it woke; without one there is no wake-up to time.

Through a gateway nothing calls the engine but the gateway, and the round is one request of a
client: until the gateway says that the engine woke, until it knows that the engine says what it
said before, until the token came.
"""

import json
from collections.abc import Iterator
from dataclasses import replace

import msgspec

from firstlight.core.evidence import Evidence
from firstlight.core.records import WAKE
from firstlight.core.scenarios import WAKE as SLEPT
from firstlight.core.signs import Sign
from firstlight.core.starts import Outcome, Start, Total
from firstlight.core.timeline import Span, Stretch, Timeline
from firstlight.experiment.plan import GATEWAY
from firstlight.readers.own_records import read_record

WAKE_UP, VERIFY, FIRST_TOKEN = "wake_up", "verify", "first_token"
_RESOLUTION_NS = 1_000_000
"""Of both ends: the calls are answered, not polled for."""


class FixedRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What one and the same request took, in seconds."""

    before: float | None = None
    """The sleep."""
    after: float | None = None
    """The wake-up, before anybody else was answered."""


class Woken(msgspec.Struct, frozen=True, kw_only=True):
    """What stands in wake.json."""

    schema: str
    level: int
    problem: str | None = None
    through: str | None = None
    """Who was asked; None for the engine by its own calls."""
    wake_asked_ns: int | None = None
    """When the wake call was made, or the request that wakes."""
    woken_ns: int | None = None
    verified_ns: int | None = None
    """When a gateway had found that it says what it said before."""
    first_token_ns: int | None = None
    agreement: float | None = None
    """The share of tokens that were the same before and after; None where the engine does not
    say the same twice, or was not asked."""
    fixed_request_s: FixedRequest | None = None
    """As a gateway measured it."""
    gate_log: tuple[str, ...] = ()
    """What a gateway said meanwhile."""


def why_not(start: Start, woken: Woken | None) -> str | None:
    """Why a round shows no wake-up; None where it does."""
    if woken is None:
        return "it gave no token, so it was not put to sleep"
    if woken.problem is None and Sign.WOKE not in start.signs:
        what = "it answered a request" if woken.through else "it answered the wake call"
        return (
            f"{what}, and its log does not say that it woke, "
            "or says that it ignores orders to sleep"
        )
    return woken.problem


def read_woken(artefact: str, data: bytes) -> Woken:
    """
    What stands in a wake.json.

    Raises:
        BadInput: it is damaged.
        NewerRecord: a newer firstlight wrote it.
    """
    return read_record(WAKE, Woken, artefact, data, what="wake-up")


def as_start(start: Start, woken: Woken | None, artefact: str) -> Start:
    """The start of the engine, turned into its wake-up; without a total where it did not wake."""
    spans = _spans(start, woken, artefact) if woken else ()
    if not spans:
        return replace(start, scenario=SLEPT, total=None, phases=(), outcome=Outcome.FAILED)
    timeline = Timeline(
        start_ns=spans[0].stretches[0].start_ns, end_ns=spans[-1].stretches[0].end_ns, spans=spans
    )
    total = Total(
        timeline=timeline,
        uncertainty_ns=_RESOLUTION_NS,
        starts_at="request_sent" if woken and woken.through else "wake_asked",
        ends_at="first_token",
    )
    return replace(
        start,
        scenario=SLEPT,
        total=total,
        phases=spans,
        first_token_ns=None,
        transfers=(),
        unexplained=(),
        activities=(),
        at_stake=None,
    )


def _spans(start: Start, woken: Woken, artefact: str) -> tuple[Span, ...]:
    asked, answered, token = woken.wake_asked_ns, woken.woken_ns, woken.first_token_ns
    if why_not(start, woken) or asked is None or answered is None or token is None:
        return ()
    came = Evidence(artefact=artefact, text=_answered(woken))
    signs = start.signs[Sign.WOKE]
    if woken.through == GATEWAY:
        verified = answered if woken.verified_ns is None else woken.verified_ns
        sent = f"one request through a gateway, the engine asleep at level {woken.level}"
        woke = (Evidence(artefact=artefact, text=sent), *signs, *_said(woken, "woke", artefact))
        return (
            _span(WAKE_UP, asked, answered, woke),
            _span(VERIFY, answered, verified, tuple(_said(woken, "verified", artefact))),
            _span(FIRST_TOKEN, verified, token, (came,)),
        )
    call = Evidence(artefact=artefact, text=f"POST /wake_up, level {woken.level}")
    return (
        _span(WAKE_UP, asked, answered, (call, *signs)),
        _span(FIRST_TOKEN, answered, token, (came,)),
    )


def _said(woken: Woken, event: str, artefact: str) -> Iterator[Evidence]:
    """The lines of a gateway about one kind of thing."""
    for line in woken.gate_log:
        try:
            told = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(told, dict) and told.get("event") == event:
            yield Evidence(artefact=artefact, text=line)


def _answered(woken: Woken) -> str:
    if woken.agreement is None:
        return "the first token came"
    if woken.agreement == 1:
        return "the first token came; to a fixed prompt it says the same as before the sleep"
    # Rounded down: what is not the same is never called 100 %.
    share = int(woken.agreement * 100)
    return f"the first token came; {share} % of an answer are the same as before the sleep"


def _span(name: str, start_ns: int, end_ns: int, evidence: tuple[Evidence, ...]) -> Span:
    return Span(
        name=name,
        stretches=(Stretch(start_ns=start_ns, end_ns=max(end_ns, start_ns + 1)),),
        uncertainty_ns=_RESOLUTION_NS,
        evidence=evidence,
    )

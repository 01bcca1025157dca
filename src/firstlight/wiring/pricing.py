"""
Joining `breakeven` to the request times, the records and the dice.
"""

import io
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firstlight.breakeven.answer import Question, answer
from firstlight.breakeven.choices import Scenario
from firstlight.breakeven.course import Arrivals
from firstlight.breakeven.document import document
from firstlight.breakeven.drawn import drawn
from firstlight.breakeven.facts_text import facts_text
from firstlight.breakeven.from_records import FromRecords, from_records
from firstlight.breakeven.poisson import Poisson
from firstlight.breakeven.prices import HOUR_S, Prices
from firstlight.breakeven.request_times import read_request_times
from firstlight.breakeven.sample import Sample, read_stated
from firstlight.breakeven.shapes import HOURS, SHAPES, is_flat, read_shape
from firstlight.breakeven.trace import trace
from firstlight.core.amounts import length
from firstlight.core.errors import BadInput, NothingFound
from firstlight.edges.decision_files import write_new
from firstlight.edges.input_files import find_inputs

_MOST_BYTES = 500_000_000
_GIVE_TIMES = "give a CSV with the times of requests, one request a line, or a rate: --per-hour"


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenArrivals:
    """Requests as they were given: a file, or a rate."""

    requests: str | None = None
    """A CSV of times; None for a rate."""
    column: str | None = None
    per_hour: float | None = None
    shape: str = "flat"
    days: int = 30
    seed: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenStarts:
    """Start times as they were given."""

    records: Sequence[str] = ()
    """Whatever `explain` reads."""
    stated: Mapping[str, str] | None = None
    """By scenario, seconds on the command line; None for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenRule:
    """When the engine goes down, and how long its node stays."""

    idle_s: float
    request_s: float
    retention_s: float | None
    """None to look for the best one."""


def price_choices(
    arrivals: GivenArrivals,
    *,
    starts: GivenStarts,
    rule: GivenRule,
    prices: Prices,
    facts: Path | None = None,
) -> dict[str, Any]:
    """
    Price the four choices.

    Args:
        arrivals: the requests.
        starts: the start times.
        rule: idle time, length of a request, retention window.
        prices: of the node and of waiting.
        facts: a new file that the facts for `decide` are written to; None for none.

    Raises:
        BadInput: something given cannot be read.
        NothingFound: there are start times enough for no choice but staying awake.
    """
    requests, about, odd = _arrivals(arrivals)
    recorded = _recorded(starts.records)
    given = _joined(recorded, starts.stated or {})
    question = Question(
        arrivals=requests,
        idle_s=rule.idle_s,
        request_s=rule.request_s,
        retention_s=rule.retention_s,
        prices=prices,
        given=given,
        left_out={s: few for s, few in recorded.left_out.items() if s not in given},
        apart=recorded.apart,
        drawn=arrivals.per_hour is not None and not isinstance(requests, Poisson),
    )
    # Chance in a bootstrap guards no secret.
    uniform = random.Random(arrivals.seed).random  # noqa: S311
    try:
        found = answer(question, uniform=uniform)
    except NothingFound as e:
        # Why starts were left out is what whoever is refused has to know.
        known = [few.why for few in recorded.left_out.values() if few.why]
        notes = [note for note in recorded.notes if not any(why in note for why in known)]
        message = "; ".join((e.message, *notes))
        raise NothingFound(message, remedy=e.remedy) from e
    if facts is not None:
        write_new(facts, facts_text(question, found, arrivals=about))
    return document(question, found, arrivals=about, notes=[*odd, *recorded.notes])


def _arrivals(given: GivenArrivals) -> tuple[Arrivals, str, Sequence[str]]:
    """The requests, in words too, and what is odd about them."""
    if given.requests is not None:
        times = read_request_times(
            _lines(given.requests), artefact=given.requests, column=given.column
        )
        came = trace(times.seconds)
        about = f"{len(times.seconds):,} requests in {_days(came.days)} ({given.requests})"
        return came, about, times.notes
    if given.per_hour is None:
        raise ValueError("either a file or a rate is given")
    weights = read_shape(given.shape)
    rate = f"{given.per_hour:g} request{'' if given.per_hour == 1 else 's'} an hour"
    if is_flat(weights):
        law = Poisson(per_s=given.per_hour / HOUR_S)
        return law, f"{rate}, at random, in closed form", ()
    times_s = drawn(
        per_hour=given.per_hour,
        weights=weights,
        days=given.days,
        uniform=random.Random(given.seed).random,  # noqa: S311
    )
    if not times_s:
        raise BadInput(
            f"no request was drawn for {given.days} days at {rate}", remedy="give more --days"
        )
    name = given.shape if given.shape in SHAPES else f"{HOURS} weights"
    about = (
        f"{rate}, at random, {name}: {len(times_s):,} drawn for {given.days} days, "
        f"seed {given.seed}"
    )
    return trace(times_s, end_s=given.days * HOURS * HOUR_S), about, ()


def _days(days: float) -> str:
    return f"{days:.1f} days" if days >= 1 else length(days * HOURS * HOUR_S)


def _lines(given: str) -> Iterator[str]:
    if Path(given).is_dir():
        raise BadInput(f"{given} is a folder", remedy=_GIVE_TIMES)
    try:
        files = find_inputs(given)
    except BadInput as e:
        # Others are told to give a log.
        raise BadInput(e.message, remedy=_GIVE_TIMES) from e
    if len(files) != 1:
        raise BadInput(f"{given} holds {len(files)} files", remedy=_GIVE_TIMES)
    data = b"".join(_at_most(files[0].chunks(allow_empty=True), given))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as e:
        raise BadInput(f"{given} is no text in UTF-8", remedy="give a CSV of request times") from e
    return iter(io.StringIO(text, newline=""))


def _at_most(chunks: Iterable[bytes], given: str) -> Iterator[bytes]:
    size = 0
    for chunk in chunks:
        size += len(chunk)
        if size > _MOST_BYTES:
            raise BadInput(
                f"{given} is larger than {_MOST_BYTES} bytes",
                remedy="give the column of times alone, of some days",
            )
        yield chunk


def _recorded(given: Sequence[str]) -> FromRecords:
    if not given:
        return FromRecords()
    # Reading starts takes every reader there is; who states numbers needs none.
    from firstlight.wiring.explaining import explain_inputs  # noqa: PLC0415

    try:
        return from_records(explain_inputs(given))
    except NothingFound as e:
        # Exit code 1 means that the records are too few.
        raise BadInput(e.message, remedy=e.remedy) from e


def _joined(recorded: FromRecords, stated: Mapping[str, str]) -> dict[Scenario, Sample]:
    """Measured and stated times, never both for one scenario; records that are too few yield."""
    given = dict(recorded.samples)
    for name, text in stated.items():
        scenario, option = Scenario(name), f"--{name}-s"
        if scenario in given:
            raise BadInput(
                f"{name} starts are in the records and stated too, and the two are not mixed",
                remedy=f"leave out {option}, or the records",
            )
        given[scenario] = read_stated(text, option=option)
    return given

"""
Whether a start tells how long a phase took, be it no time at all.

A phase without a span is one of two things. It took no time: an image that was there is not
pulled, and between the phases around it nothing is left. Or nothing shows it: an engine that is
silent, a wake-up that has no such phase, a log that knows of no node. Then its seconds lie in
what is unexplained, or outside the total, and it has no length; the length is not 0.

Parts of a phase are told where any of them is: a part that is missing then was not there.
"""

from firstlight.core.marks import MarkKind
from firstlight.core.phases import Phase
from firstlight.core.starts import Start
from firstlight.core.units import NS_PER_S

_PLACES = (
    {Phase.NODE_PROVISIONING, Phase.SCHEDULING},
    {Phase.CONTAINER_SETUP, Phase.IMAGE_PULL, Phase.INIT_CONTAINERS},
    {Phase.PROCESS_INIT},
    {Phase.WEIGHT_LOAD},
    {Phase.ENGINE_INIT},
    {Phase.API_START},
    {Phase.READINESS_LAG},
)
"""Which phases come after which; those of one place take turns."""
_PLACE = {phase.value: at for at, phases in enumerate(_PLACES) for phase in phases}
_LAST = len(_PLACES) - 1
_TWO_STAMPS_NS = 2 * NS_PER_S
_SERVER_LINE = "server_line"
"""How a total is said to end that nobody outside the engine saw the end of."""


def tells(start: Start, name: str) -> bool:
    """
    Whether the length of a phase is known.

    Args:
        start: one that came up.
        name: of the phase, a part after a slash.
    """
    phase, _, part = name.partition("/")
    spans = [span for span in start.phases if span.name == phase]
    if spans:
        return not part or any(span.children for span in spans)
    return phase == Phase.UNEXPLAINED or _took_no_time(start, phase)


def _took_no_time(start: Start, phase: str) -> bool:
    """Whether the total passes the phase, and leaves no time that could be the phase's."""
    total, place = start.total, _PLACE[phase]
    pieces = _in_time(start)
    known = [at for at, _ in pieces if at is not None]
    if total is None or not known:
        return False
    first = 0 if total.starts_at == MarkKind.POD_CREATED else known[0]
    last = _LAST - 1 if total.ends_at == _SERVER_LINE else _LAST
    if not first <= place <= last:
        return False
    could_be_ns, before = 0, first
    for number, (at, length_ns) in enumerate(pieces):
        after = next((at for at, _ in pieces[number:] if at is not None), last)
        if at is None and before <= place <= after:
            could_be_ns += length_ns
        before = before if at is None else at
    # What the clocks do not tell apart is no time either; a slow probe is no clock of phases.
    return could_be_ns <= min(total.uncertainty_ns, _TWO_STAMPS_NS)


def _in_time(start: Start) -> list[tuple[int | None, int]]:
    """The pieces of a start in order, each with its phase's place and its length."""
    pieces = sorted(
        ((piece, _PLACE.get(span.name)) for span in start.phases for piece in span.stretches),
        key=lambda one: one[0],
    )
    return [(place, piece.length_ns) for piece, place in pieces]

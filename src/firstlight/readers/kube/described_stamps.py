"""
Stamps in what `kubectl describe` prints.

A description has no nanoseconds and, of a container, the reader's own zone. An age, which
some versions print in the place of a stamp, counts back from a moment that is not known
where the field stands, and is none.
"""

from firstlight.core.evidence import Evidence
from firstlight.core.marks import Clock
from firstlight.readers.kube.described import Field
from firstlight.readers.kube.model import Stamp
from firstlight.readers.kube.printed_moments import printed


def field_stamp(
    artefact: str, field: Field | None, clock: Clock, *, also: str = ""
) -> Stamp | None:
    """The stamp that is a field's value; None where there is none.

    Args:
        artefact: its name, for evidence.
        field: the line of the description; None where it was not printed.
        clock: whose time it is.
        also: words that say what the stamp is of.
    """
    return words_stamp(artefact, field, field.value, clock, also=also) if field else None


def words_stamp(
    artefact: str, field: Field, words: str, clock: Clock, *, also: str = ""
) -> Stamp | None:
    """The stamp that some words of a line are; None where they are none."""
    moment = printed(words)
    if moment is None or moment.is_age:
        return None
    return Stamp(
        at_ns=moment.ns,
        resolution_ns=moment.resolution_ns,
        clock=clock,
        evidence=Evidence(artefact=artefact, line=field.line, text=field.text + also),
    )

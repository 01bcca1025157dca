"""
The words of a piece of evidence, without the head that every line has.

The whole line is in the JSON; a table has room for what was said.
"""

from firstlight.core.evidence import Evidence
from firstlight.readers.log_line import read_line
from firstlight.report.escape import visible


def place(evidence: Evidence) -> str:
    """Where: the artefact and, where it has lines, the line; a file may be called anything."""
    artefact = visible(evidence.artefact)
    return f"{artefact}:{evidence.line}" if evidence.line else artefact


def words(evidence: Evidence, *, most: int | None = None) -> str:
    """What was said there, safe for a terminal, in so many characters at most."""
    message = read_line(0, evidence.text).message
    return visible(message if message.strip() else evidence.text, most=most)

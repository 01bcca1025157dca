"""
What people save of a cluster as text, as values.

One text may hold a table of events, several descriptions, Karpenter's log, single lines,
and a vLLM log behind all of it. Each line is offered to those who know their own; what
nobody knows is passed over. Ages wait until the whole text is read: only then is it known
whether something in it tells when they were asked for.
"""

import re

from firstlight.core.evidence import Evidence
from firstlight.readers.kube.described import Outline
from firstlight.readers.kube.event_rows import Row
from firstlight.readers.kube.event_tables import EventTables
from firstlight.readers.kube.karpenter_log import KarpenterLog
from firstlight.readers.kube.loose_lines import ConditionLine, LooseLines, StepLine
from firstlight.readers.kube.model import ClusterSeen
from firstlight.readers.kube.pod_rows import PodRow, pod_row
from firstlight.readers.kube.text_values import Found, as_values
from firstlight.readers.stamps import STAMP

_LONGEST_ROW = 8 * 1024
_LONGEST_JSON = 64 * 1024
"""Of a longer line the rest is not looked at; the API keeps messages of one KiB."""
_SHIPPED = re.compile(rf"(?=\S{{22,40}}Z )({STAMP}) ")
"""A CI system's stamp: a fraction, then one blank."""


def looks_like_text(head: str) -> bool:
    """Whether the first 64 KiB hold something that `read_text` reads."""
    return not read_text("", head, None).is_empty


def read_text(artefact: str, text: str, captured_ns: int | None) -> ClusterSeen:
    """Everything a text says about a cluster; empty if it says nothing.

    Args:
        artefact: its name, for evidence.
        text: anything.
        captured_ns: when it was saved, for its ages; None if nobody knows.
    """
    reader = _Reader(artefact)
    for number, line in enumerate(text.split("\n"), 1):
        reader.read(number, line)
    return as_values(artefact, reader.found(), captured_ns)


class _Reader:
    """Offers each line to those who know their own."""

    def __init__(self, artefact: str) -> None:
        self._tables = EventTables()
        self._outline = Outline()
        self._karpenter = KarpenterLog(artefact)
        self._loose = LooseLines()
        self._rows: list[tuple[int, Row]] = []
        self._pods: list[tuple[Evidence, PodRow]] = []
        self._conditions: list[tuple[Evidence, ConditionLine]] = []
        self._steps: list[tuple[Evidence, StepLine]] = []
        self._artefact = artefact
        self._table = -1
        self._is_shipped = False

    def read(self, number: int, raw: str) -> None:
        line = raw[:_LONGEST_JSON].rstrip()
        if not line:
            return
        line = line.removeprefix("> ")
        bare = self._unstamped(line)
        forms = [bare] if bare == line else [bare, line]
        if any(self._karpenter.read(number, form) for form in forms):
            return
        forms = [form[:_LONGEST_ROW] for form in forms]
        if any(self._row(number, form) for form in forms[: 1 if self._is_shipped else 2]):
            return
        if pod := pod_row(forms[0]):
            self._pods.append((self._evidence(number, forms[0]), pod))
        elif not any(self._single(number, form) for form in forms):
            self._outline.feed(number, forms[0])

    def _unstamped(self, line: str) -> str:
        """The line without a stamp that a CI system put before it.

        The same stamp may be the first column of a table; then more than one blank follows
        it, and the lines around are not stamped.
        """
        shipped = _SHIPPED.match(line)
        if shipped is None:
            self._is_shipped = False
            return line
        bare = line[shipped.end() :]
        self._is_shipped = self._is_shipped or not bare.startswith((" ", "\t"))
        return bare

    def found(self) -> Found:
        rows, steps = self._rows, self._steps
        dated = self._outline.sections or self._karpenter.read_any or self._conditions
        if dated or not all(_is_undated(row) for _, row in rows):
            # Beside dates, a time of day without one would lie decades away.
            rows = [(group, row) for group, row in rows if not _is_undated(row)]
            steps = [(words, step) for words, step in steps if not step.moment.is_undated]
        return Found(
            rows=rows,
            sections=self._outline.sections,
            pods=self._pods,
            conditions=self._conditions,
            steps=steps,
            claims=self._karpenter.claims(),
            events=tuple(self._karpenter.events),
        )

    def _row(self, number: int, line: str) -> bool:
        """A row of events, or the header of such rows."""
        if "  " not in line and "\t" not in line:
            return False
        if self._tables.is_header(line):
            self._table -= 1
            return True
        row = self._tables.row(number, line)
        if row is None:
            return False
        section = self._outline.in_events
        described = row.text.startswith(("Normal", "Warning"))
        self._rows.append((section if described and section is not None else self._table, row))
        return True

    def _single(self, number: int, line: str) -> bool:
        read = self._loose.read(number, line)
        match read:
            case Row():
                self._rows.append((self._table, read))
            case ConditionLine():
                self._conditions.append((self._evidence(number, line), read))
            case StepLine():
                self._steps.append((self._evidence(number, line), read))
        return read is not None

    def _evidence(self, number: int, line: str) -> Evidence:
        return Evidence(artefact=self._artefact, line=number, text=line.strip())


def _is_undated(row: Row) -> bool:
    return row.first is not None and row.first.is_undated

"""
The table of phases: where the seconds went, and what proves it.

A phase is a row, its longest parts are rows under it, and what a part consists
of stands in one line: a start of three processes has hundreds of names, and a
tired engineer has ten seconds.
"""

from rich.table import Table
from rich.text import Text

from firstlight.core.starts import Start
from firstlight.core.timeline import Span
from firstlight.core.units import NS_PER_S
from firstlight.report.escape import visible
from firstlight.report.words import words

BAR_CELLS = 20
SMALL_NS = 300_000_000
"""Children shorter than this are added up in one row."""
_MOST_CHILDREN = 6
_MOST_PARTS = 5
_FINEST_PART_NS = 10_000_000
"""A part that would read 0.00 is one of the rest."""
_PROOF_CELLS = 200


class PhaseTable:
    """The table of phases: everything its rows have in common."""

    def __init__(self, start: Start, everything: bool, bar_cells: int) -> None:  # noqa: FBT001
        self._start = start
        self._everything = everything
        self._bar_cells = bar_cells
        self._whole_ns = start.total.timeline.length_ns if start.total else 0
        self._table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), expand=True)

    def table(self) -> Table:
        table = self._table
        table.add_column("phase", no_wrap=True, overflow="ellipsis")
        table.add_column("seconds", justify="right", no_wrap=True, min_width=7)
        if self._whole_ns:
            table.add_column("share", justify="right", no_wrap=True, min_width=5)
            if self._bar_cells:
                table.add_column("", no_wrap=True, width=self._bar_cells)
        table.add_column("what proves it", ratio=1, no_wrap=True, overflow="ellipsis")
        for span in self._start.phases:
            self._row(span, depth=0)
            self._children(span, depth=1)
        if self._whole_ns:
            # The sum is exact: it is the window, cut.
            total = [
                Text(cell, style="bold") for cell in ("total", in_seconds(self._whole_ns), "100 %")
            ]
            table.add_row(*total)
        return table

    def _children(self, span: Span, *, depth: int) -> None:
        """The longest parts, in order of time; what is short is added up in one row."""
        children = sorted(span.children, key=lambda c: -c.length_ns)
        shown = children
        if not self._everything:
            shown = [c for c in children if c.length_ns >= SMALL_NS][:_MOST_CHILDREN]
        for child in sorted(shown, key=lambda c: c.stretches[0].start_ns):
            self._row(child, depth=depth)
            if self._everything:
                self._children(child, depth=depth + 1)
        rest = [c for c in children if c not in shown]
        if rest and shown:
            name = f"{'  ' * depth}{len(rest)} smaller"
            seconds = in_seconds(sum(c.length_ns for c in rest))
            self._table.add_row(Text(name, style="dim"), Text(seconds, style="dim"))

    def _row(self, span: Span, *, depth: int) -> None:
        named = span.explained or bool(span.children)
        style = f"{'' if named else 'yellow'}{' bold' if depth == 0 else ''}"
        row = [Text("  " * depth + visible(span.name), style=style), Text(_told(span))]
        if self._whole_ns:
            share = span.length_ns / self._whole_ns
            cells = round(share * self._bar_cells)
            row.append(Text(f"{share:.0%}".replace("%", " %")))
            if self._bar_cells:
                row.append(Text(("█" * cells or "▏") if depth == 0 else "░" * cells, style="cyan"))
        parts = depth > 0 and span.children and not self._everything
        row.append(_parts(span) if parts else _proof(span))
        self._table.add_row(*row)


def _parts(span: Span) -> Text:
    """What a part consists of, longest first: one row instead of ten."""
    parts = sorted(span.children, key=lambda c: -c.length_ns)
    shown = [c for c in parts[:_MOST_PARTS] if c.length_ns >= _FINEST_PART_NS] or parts[:1]
    told = [f"{visible(c.name)} {in_seconds(c.length_ns)}" for c in shown]
    rest = parts[len(shown) :]
    if rest:
        told.append(f"{len(rest)} more {in_seconds(sum(c.length_ns for c in rest))}")
    return Text(" · ".join(told))


def _proof(span: Span) -> Text:
    if not span.evidence:
        return Text()
    evidence = span.evidence[-1]
    text = Text(f"{evidence.line}: " if evidence.line else "", style="dim")
    text.append(words(evidence, most=_PROOF_CELLS), style="not dim")
    return text


def _told(span: Span) -> str:
    """A length in the digits that its clocks can tell: stamps of whole seconds tell seconds."""
    if span.uncertainty_ns >= NS_PER_S:
        return str(round(span.length_ns / NS_PER_S))
    return in_seconds(span.length_ns)


def in_seconds(length_ns: int) -> str:
    """Seconds in as many digits as a reader wants: 183.0, 9.25."""
    seconds = length_ns / NS_PER_S
    return f"{seconds:.1f}" if seconds >= 10 or seconds == 0 else f"{seconds:.2f}"  # noqa: PLR2004

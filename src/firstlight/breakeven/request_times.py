"""
Request times out of a CSV, as an access log or a query of metrics gives them.

One column holds times: seconds since 1970, or RFC 3339 with its offset. A header may stand
above. Where there are several columns it must be clear which one is meant: a latency is a number
too, and would be taken for a moment in 1970 without a word. Lines out of order are usual, a log
is written when a request ends, and so are two requests at one moment; both are said and kept.
A line that holds no time ends the reading: one that is left out is a user who does not wait.
"""

import csv
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from firstlight.core.errors import BadInput
from firstlight.core.moments import read_moment
from firstlight.core.plain_numbers import plain_number
from firstlight.core.units import NS_PER_S

_NAMES = frozenset({"time", "timestamp", "ts", "date", "datetime", "at", "arrival", "arrived"})
_LATEST_S = 1e11
"""The year 5138; what is beyond it was milliseconds or finer."""
_REMEDY = (
    "give one request a line: seconds since 1970, or RFC 3339 with an offset (2026-03-04T05:06:07Z)"
)


_MORE = "give the times of requests over some days"


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestTimes:
    """Times in order, and what was odd about them."""

    seconds: list[float]
    notes: tuple[str, ...] = ()


def read_request_times(
    lines: Iterable[str], *, artefact: str, column: str | None = None
) -> RequestTimes:
    """
    The times in a CSV.

    Args:
        lines: of the file.
        artefact: what to call it in an error.
        column: the name of the column, or its number from 1 on; None to find it.

    Raises:
        BadInput: a line holds no time, there is none, or it is not clear which column is meant.
    """
    rows = _rows(lines, artefact)
    at, header, first = _column(rows, artefact, column)
    seconds: list[float] = []
    numbers: list[int] = []
    for number, row in rows if first is None else chain([first], rows):
        try:
            second = plain_number(row[at])
        except (ValueError, IndexError):
            second = _time(row, at, artefact, number)
        if not 0 <= second <= _LATEST_S:
            second = _time(row, at, artefact, number)
        seconds.append(second)
        numbers.append(number)
    if len(seconds) < _FEWEST:
        what = "a header and " if header else ""
        count = "one request, and nothing comes back after one" if seconds else "no request"
        raise BadInput(f"{artefact} holds {what}{count}", remedy=_MORE)
    if min(seconds) == max(seconds):
        raise BadInput(
            f"{artefact} holds {len(seconds)} requests, all at one moment: they are no trace",
            remedy=_MORE,
        )
    return RequestTimes(seconds=sorted(seconds), notes=tuple(_odd(seconds, numbers, artefact)))


_FEWEST = 2
_MOST_DIGITS = 9
_BEGINS_A_NUMBER = frozenset("0123456789+-.")


def _rows(lines: Iterable[str], artefact: str) -> Iterator[tuple[int, list[str]]]:
    """The lines that hold something, each with its number."""
    reader = csv.reader(lines)
    try:
        for row in reader:
            if row and (len(row) > 1 or row[0].strip()):
                yield reader.line_num, row
    except csv.Error as e:
        raise BadInput(
            f"{artefact}:{reader.line_num} is no line of a CSV: {e}", remedy=_REMEDY
        ) from e


def _column(
    rows: Iterator[tuple[int, list[str]]], artefact: str, column: str | None
) -> tuple[int, bool, tuple[int, list[str]] | None]:
    """Which column holds the times, whether a header was read, and the first row if not."""
    number, row = next(rows, (0, []))
    if not row:
        raise BadInput(f"{artefact} holds no request", remedy=_REMEDY)
    names = [cell.strip().lower() for cell in row]
    is_header = not any(_read(cell) is not None for cell in row)
    if column is not None:
        at = _asked(column, names, is_header=is_header, artefact=artefact)
    elif len(row) == 1:
        at = 0
        if is_header and names[0][:1] in _BEGINS_A_NUMBER:
            _time(row, at, artefact, number)
    else:
        named = [k for k, name in enumerate(names) if is_header and name in _NAMES]
        if len(named) != 1:
            raise BadInput(
                f"{artefact}:{number} has {len(row)} columns, and it is not clear which one holds "
                "the time of the request",
                remedy="say it: --column NAME, or --column NUMBER from 1 on",
            )
        (at,) = named
    return at, is_header, None if is_header else (number, row)


def _asked(column: str, names: list[str], *, is_header: bool, artefact: str) -> int:
    wanted = column.strip().lower()
    if is_header and wanted in names:
        return names.index(wanted)
    if wanted.isdecimal() and len(wanted) <= _MOST_DIGITS and 1 <= int(wanted) <= len(names):
        return int(wanted) - 1
    there = f"its columns are {', '.join(names)}" if is_header else f"it has {len(names)} columns"
    raise BadInput(
        f"{artefact} has no column {column}: {there}", remedy="give one of these as --column"
    )


def _time(row: list[str], at: int, artefact: str, number: int) -> float:
    cell = row[at].strip() if at < len(row) else ""
    seconds = _read(cell)
    if seconds is None:
        raise BadInput(
            f"{artefact}:{number} holds no time: {cell[:40]!r}{_why(cell)}", remedy=_REMEDY
        )
    return seconds


def _why(cell: str) -> str:
    """What may be wrong with it, for a sentence; empty where nobody knows."""
    if (moment := read_moment(cell)) is not None:
        return "" if moment.has_zone else ", which says no offset from UTC"
    try:
        beyond = _LATEST_S < abs(plain_number(cell)) < math.inf
    except ValueError:
        return ""
    return ", which is too large for seconds since 1970: milliseconds?" if beyond else ""


def _read(cell: str) -> float | None:
    """Seconds; None for what is no time."""
    try:
        seconds = plain_number(cell)
    except ValueError:
        pass
    else:
        return seconds if math.isfinite(seconds) and 0 <= seconds <= _LATEST_S else None
    moment = read_moment(cell.strip())
    return moment.at_ns / NS_PER_S if moment is not None and moment.has_zone else None


def _odd(seconds: list[float], numbers: list[int], artefact: str) -> Iterator[str]:
    """A sentence for lines out of order, and one for requests at the same moment."""
    back = [n for n, a, b in zip(numbers[1:], seconds, seconds[1:], strict=False) if b < a]
    if back:
        yield (
            f"{artefact}:{back[0]} is earlier than the line before it, "
            + (f"as {len(back)} lines are: they were" if len(back) > 1 else "which alone was")
            + " put in order"
        )
    if len(set(seconds)) == len(seconds):
        return
    seen: set[float] = set()
    same = [n for n, s in zip(numbers, seconds, strict=True) if s in seen or _added(seen, s)]
    yield (
        f"{artefact}:{same[0]} is at the same moment as one before it, "
        + (f"as {len(same)} requests are: all of them" if len(same) > 1 else "and both")
        + " count"
    )


def _added(seen: set[float], second: float) -> bool:
    """Takes it in; false, so that it can stand in a condition."""
    seen.add(second)
    return False

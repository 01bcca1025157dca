"""
The two lines around time that nothing names.

An unexplained stretch is worth a look at the log, and these are the lines to
look between. Where one silence makes up nearly all of the stretch, its two
neighbouring lines are quoted; else the lines at the stretch's own ends.
"""

from collections.abc import Sequence

from firstlight.core.evidence import Evidence
from firstlight.core.marks import Mark
from firstlight.core.starts import UnexplainedStretch
from firstlight.core.timeline import Span, Stretch
from firstlight.explain.axis import Axis
from firstlight.explain.group import Group

LONG_NS = 500_000_000
"""From this length on an unexplained stretch is quoted."""
_MOST_QUOTED = 5
_NEARLY_ALL = 0.9


def quote_unexplained(
    group: Group, axis: Axis, phases: Sequence[Span], known: Sequence[Mark] = ()
) -> tuple[UnexplainedStretch, ...]:
    """The longest stretches without a name, in order of time, each with two lines.

    Args:
        group: the start's observations.
        axis: the clock to read them by.
        phases: what was explained.
        known: what others than the log saw, on the same axis.
    """
    found = [
        (stretch, span)
        for span in phases
        for stretch in span.unexplained_stretches()
        if stretch.length_ns >= LONG_NS
    ]
    found.sort(key=lambda f: -f[0].length_ns)
    quoted = []
    for stretch, span in found[:_MOST_QUOTED]:
        before, after = _silence(group, axis, stretch) or _ends(group, axis, stretch, span, known)
        if before and after:
            quoted.append(
                UnexplainedStretch(stretch=stretch, within=span.name, before=before, after=after)
            )
    return tuple(sorted(quoted, key=lambda u: u.stretch.start_ns))


def _silence(group: Group, axis: Axis, stretch: Stretch) -> tuple[Evidence, Evidence] | None:
    """The neighbouring lines of a silence that makes up nearly all of the stretch."""
    for silence in group.silences:
        before, after = axis.moment(silence.before), axis.moment(silence.after)
        if not before or not after:
            continue
        shared = min(after.at_ns, stretch.end_ns) - max(before.at_ns, stretch.start_ns)
        if shared >= stretch.length_ns * _NEARLY_ALL:
            return group.quote(silence.before), group.quote(silence.after)
    return None


def _ends(
    group: Group, axis: Axis, stretch: Stretch, span: Span, known: Sequence[Mark]
) -> tuple[Evidence | None, Evidence | None]:
    """The nearest known lines before and after; the phase's own evidence where there are none."""
    lines = [o.line for o in group.observations]
    lines += [line for s in group.silences for line in (s.before, s.after)]
    placed = [
        (moment.at_ns, line.number, group.quote(line))
        for line in lines
        if (moment := axis.moment(line))
    ]
    placed += [(mark.at_ns, 0, mark.evidence) for mark in known]
    placed.sort(key=lambda p: p[:2])
    before = [words for at_ns, _, words in placed if at_ns <= stretch.start_ns]
    after = [words for at_ns, _, words in placed if at_ns >= stretch.end_ns]
    own = span.evidence
    return (
        before[-1] if before else own[0] if own else None,
        after[0] if after else own[-1] if own else None,
    )

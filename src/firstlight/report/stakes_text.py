"""
What has most seconds at stake, in a few lines at the end of a start.

Estimates, and called so in the heading: nobody has measured them on this workload. Each
with what shows the change and the command that proves it.
"""

from typing import TYPE_CHECKING

from rich.text import Text

from firstlight.core.effects import EffectState
from firstlight.core.starts import Start
from firstlight.core.units import NS_PER_S
from firstlight.report.escape import visible

if TYPE_CHECKING:
    from firstlight.core.evidence import Evidence

_LONGEST_COMMAND = 1000
_WORTH_SAYING = (EffectState.APPLIED, EffectState.RACED, EffectState.VOID)


def at_work(start: Start) -> list[Text]:
    """The techniques that the start shows at work, whole or in part, in one line."""
    seen = [one for one in start.effects if one.state in _WORTH_SAYING]
    if not seen:
        return []
    alike: dict[tuple[EffectState, tuple[Evidence, ...]], list[str]] = {}
    for one in seen:
        told = visible(one.technique)
        if one.state is not EffectState.APPLIED:
            told += f" ({one.state.value})"
        alike.setdefault((one.state, one.evidence), []).append(told)
    return [
        Text(f"techniques at work: {', '.join(' or '.join(names) for names in alike.values())}")
    ]


def stakes_lines(start: Start) -> list[Text]:
    """The section; empty where nobody asked."""
    if start.at_stake is None:
        return []
    if not start.at_stake:
        return [Text(), Text("no technique known here has much at stake in this start")]
    heading = Text("most seconds at stake here", style="bold")
    heading.append(" (estimates)", style="not bold dim")
    lines = [Text(), heading]
    for stake in start.at_stake:
        line = Text(f"  about {stake.seconds_ns // NS_PER_S} s  ")
        line.append(visible(stake.technique), style="bold")
        line.append(f"  {visible(stake.because)}", style="dim")
        lines.append(line)
        for name, command in (("show", stake.show), ("prove", stake.prove)):
            told = Text(f"    {name:<6}", style="dim")
            told.append(visible(command, most=_LONGEST_COMMAND), style="not dim green")
            lines.append(told)
    return lines

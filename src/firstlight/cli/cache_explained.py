"""What `firstlight cache explain` prints."""

from typing import Any

from rich.text import Text

from firstlight.caches.explaining import Explained, Side
from firstlight.report.escape import visible


def explained_document(first: Side, second: Side, found: Explained) -> dict[str, Any]:
    """The answer for machines."""
    return {
        "schema": "firstlight.cache.explained/1",
        "filled": first.name,
        "missed": second.name,
        "verdicts": [first.verdict, second.verdict],
        "causes": [{"what": one.line, "remedy": one.remedy} for one in found.causes],
        "same": list(found.same),
        "beside": list(found.beside),
        "unknown": list(found.unknown),
        "cost_s": None if found.cost_s is None else round(found.cost_s, 3),
    }


def explained_text(first: Side, second: Side, found: Explained) -> Text:
    """The answer for people."""
    lines = [
        f"{side.name}: its compile cache was a {side.verdict}"
        for side in (first, second)
        if side.verdict not in {None, "unknown"}
    ]
    if found.causes:
        count = len(found.causes)
        lines.append("the key differs in one thing:" if count == 1 else f"{count} things differ:")
    else:
        lines.append("nothing that is known of both makes another key")
    for cause in found.causes:
        lines += [f"  {cause.line}", f"    {cause.remedy}"]
    if found.same:
        lines.append(f"the same in both: {', '.join(found.same)}")
    if found.cost_s is not None:
        lines.append(f"engine init took {found.cost_s:+.1f} s in {second.name}")
    lines += [f"beside: {line}" for line in found.beside]
    if found.unknown:
        lines.append(f"not known: {', '.join(found.unknown)}")
    return Text("\n".join(map(visible, lines)))

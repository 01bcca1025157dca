"""
Differences between two sets of objects, one line each.
"""

import json
from typing import Any

from firstlight.manifests.differences import Difference
from firstlight.manifests.identity_document import identity_document

_WIDEST = 72
"""Letters of a value; a whole container would fill the page."""


def difference_line(difference: Difference) -> str:
    """What came (+), went (-) or became something else (~)."""
    before, after = difference.before, difference.after
    if before is None:
        return f"+ {difference}: {_short(after)}"
    if after is None:
        return f"- {difference}: {_short(before)}"
    return f"~ {difference}: {_short(before)} -> {_short(after)}"


def difference_document(difference: Difference) -> dict[str, Any]:
    """The same for machines."""
    return {
        **identity_document(difference.identity),
        "path": difference.path,
        "before": difference.before,
        "after": difference.after,
    }


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    words = " ".join(text.split())
    return words if len(words) <= _WIDEST else f"{words[: _WIDEST - 3]}..."

"""
Which taints keep a pod off a node, and which of its tolerations cover them.

The rules are the scheduler's: a toleration without a key is for every taint, one without an
effect for each effect, and only `NoSchedule` and `NoExecute` keep a pod away.
"""

from collections.abc import Mapping
from typing import Any

KEEPS_AWAY = frozenset({"NoSchedule", "NoExecute"})
"""Effects; `PreferNoSchedule` only makes a node less wanted."""


def covers(toleration: Mapping[str, Any], taint: Mapping[str, Any]) -> bool:
    """Whether a toleration of a pod is for this taint."""
    effect, key = toleration.get("effect"), toleration.get("key")
    if effect and effect != taint.get("effect"):
        return False
    if toleration.get("operator") == "Exists":
        return not key or key == taint.get("key")
    same = str(toleration.get("value") or "") == str(taint.get("value") or "")
    return key == taint.get("key") and same

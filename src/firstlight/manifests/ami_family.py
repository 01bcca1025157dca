"""
Which system the nodes of an EC2NodeClass run.

A class says its family, or chooses its images by an alias that begins with it. What user
data may be depends on that: a script, or settings.
"""

from collections.abc import Mapping
from typing import Any


def ami_family(node_class: Mapping[str, Any]) -> str | None:
    """The family of a class's images, in small letters; None where it does not say one."""
    spec = node_class.get("spec") or {}
    if spec.get("amiFamily"):
        return str(spec["amiFamily"]).lower()
    for term in spec.get("amiSelectorTerms") or []:
        if alias := term.get("alias"):
            return str(alias).partition("@")[0].lower()
    return None

"""
What a bundle says about itself: `bundle.json`, schema `firstlight.bundle/1`.
"""

import json
from dataclasses import dataclass

from firstlight.core.records import BUNDLE


@dataclass(frozen=True, slots=True, kw_only=True)
class NotAllowed:
    """Something the capture was not allowed to read."""

    what: str
    consequence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleNotes:
    """When a bundle was made, and what is missing in it."""

    captured_ns: int | None
    not_allowed: tuple[NotAllowed, ...] = ()
    notes: tuple[str, ...] = ()


def read_bundle_notes(data: bytes) -> BundleNotes | None:
    """The notes; None where this is another file of that name.

    Raises:
        NewerRecord: a newer firstlight wrote it.
    """
    try:
        told = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(told, dict) or not BUNDLE.reads(told.get("schema")):
        return None
    captured_ns = told.get("captured_at_ns")
    refused = told.get("not_allowed")
    notes = told.get("notes")
    return BundleNotes(
        captured_ns=captured_ns if type(captured_ns) is int else None,
        not_allowed=tuple(
            NotAllowed(what=str(r.get("what", "")), consequence=str(r.get("consequence", "")))
            for r in (refused if isinstance(refused, list) else ())
            if isinstance(r, dict)
        ),
        notes=tuple(n for n in (notes if isinstance(notes, list) else ()) if isinstance(n, str)),
    )

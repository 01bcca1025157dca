"""
Where a statement of a card comes from.

A card is only as good as its sources: every claim, reason and condition says who found it
and where that can be read. What nobody measured is not dressed up as a figure.
"""

from enum import StrEnum

import msgspec


class Origin(StrEnum):
    """Who says so."""

    REFERENCE_CASE = "reference-case"
    """The published case this product starts from: measured there, not here."""
    MEASURED = "measured"
    """Measured by us; `where` names the command that does it again."""
    UPSTREAM = "upstream"
    """The source or documentation of the engine, of Kubernetes, of a cloud."""
    REPORTED = "reported"
    """Other people's measurement or trouble, published by them."""
    OURS = "ours"
    """Our judgement, from the facts that are named."""


class Source(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One source."""

    origin: Origin
    where: str
    """An address, a document with its place, or a command."""

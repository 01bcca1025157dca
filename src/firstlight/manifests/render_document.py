"""
A rendering as JSON: `firstlight.render/1`.
"""

from typing import Any

from firstlight.manifests.identity_document import identity_document
from firstlight.manifests.rendered import Drawn, Rendered

SCHEMA = "firstlight.render/1"


def render_document(rendered: Rendered) -> dict[str, Any]:
    """Everything that the text says, and the objects whole."""
    return {
        "schema": SCHEMA,
        "warnings": list(rendered.warnings),
        "notes": list(rendered.notes),
        "techniques": [_technique(one) for one in rendered.drawn],
        "objects": [one.value for one in rendered.after],
    }


def _technique(one: Drawn) -> dict[str, Any]:
    card, change = one.card, one.change
    return {
        "technique": card.id,
        "title": card.title,
        "patches": [
            {"target": identity_document(patch.target), "operations": list(patch.operations)}
            for patch in change.patches
        ],
        "added": [added.value for added in change.added],
        "removed": [identity_document(gone) for gone in change.removed],
        "assumptions": list(change.assumptions),
        "prerequisites": list(change.prerequisites),
        "requires": [need.says for need in card.requires],
        "risks": [{"says": risk.says, "remedy": risk.remedy} for risk in card.risks],
    }

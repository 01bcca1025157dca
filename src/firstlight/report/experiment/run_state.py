"""
How a run went, apart from what its steps came to: how far it is, what failed, whether it drifted.
"""

from collections.abc import Mapping
from typing import Any

from firstlight.report.experiment import words


def unfinished(document: Mapping[str, Any]) -> str:
    """How far a run is that is not at its end, and how it goes on; empty for one that is."""
    progress = document.get("progress")
    if not progress or progress["done"] >= progress["results"]:
        return ""
    return (
        f"{progress['done']} of {words.counted(progress['results'], 'result round')}; "
        "`firstlight experiment resume RUN` goes on"
    )


def drift(document: Mapping[str, Any]) -> str:
    """Whether the run drifted, or that it was looked for; empty where nobody could have looked."""
    if "drift" not in document:
        return ""
    found = document["drift"]
    if found is None:
        return "Drift: not looked for, there are too few rounds."
    figures = (
        f"rank correlation {words.sentence(format(found['correlation'], '+.2f'))}, "
        f"p {found['p']:.3f}, {words.counted(found['rounds'], 'round')}"
    )
    if not found["seen"]:
        return f"Drift: looked for, none seen ({figures})."
    grew = "longer" if found["correlation"] > 0 else "shorter"
    return f"Drift: later rounds are {grew}, whatever was changed ({figures})."


def failed(document: Mapping[str, Any]) -> list[str]:
    """Each try that did not come up, with its cause."""
    return [
        f"{one['slot']} ({step['name']}), try {one['attempt']}: {one['cause']}"
        for step in document["steps"]
        for told in step["scenarios"].values()
        for one in told["rounds"]
        if one["outcome"] != "ready"
    ]


def otherwise(document: Mapping[str, Any]) -> list[str]:
    """For whoever ran it: a baseline that does not answer, each step that answers otherwise."""
    lacks = [
        f"{scenario}: {words.baseline_unanswered(document['steps'], scenario)}"
        for scenario in document["scenarios"]
        if words.baseline_unanswered(document["steps"], scenario)
    ]
    return lacks + [
        f"at {step['name']}, {scenario}, the engine does not answer as the baseline's does: "
        f"{words.serving(step, scenario)}"
        for step in document["steps"]
        for scenario in step["scenarios"]
        if step["number"] and words.serves_otherwise(step, scenario)
    ]

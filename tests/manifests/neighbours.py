"""
The differences between neighbouring steps, from the objects and from the golden files.

The files were read beside the cards: a difference in them that no card asks for is a fault.
"""

import json
from pathlib import Path
from typing import Any

from firstlight.manifests.differences import Difference, differences
from firstlight.manifests.set.whole import bare_objects
from tests.manifests.intents import example
from tests.manifests.rendered import example_steps

GOLDEN = Path(__file__).parent / "golden_steps"


def told(value: Any) -> str:
    """A value whole, but for its scripts: the cards' own tests run those."""
    if isinstance(value, str):
        return "(a script)" if "\n" in value else value
    return json.dumps(without_scripts(value))


def without_scripts(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_scripts(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [without_scripts(inner) for inner in value]
    return told(value) if isinstance(value, str) else value


def line(one: Difference) -> str:
    if one.before is None:
        return f"+ {one}: {told(one.after)}"
    if one.after is None:
        return f"- {one}: {told(one.before)}"
    return f"~ {one}: {told(one.before)} -> {told(one.after)}"


def written(name: str) -> list[list[str]]:
    """The lines of each step, as they stand in the golden file."""
    steps: list[list[str]] = []
    for said in (GOLDEN / f"{name}.txt").read_text().splitlines():
        if said.startswith("step "):
            steps.append([said])
        elif said:
            steps[-1].append(said)
    return steps


def found(name: str) -> list[list[str]]:
    """The same from the objects."""
    steps = example_steps(name)
    befores = [bare_objects(example(name)), *(step.objects for step in steps)]
    return [
        [
            f"step {step.number}, {step.technique}",
            *(line(one) for one in differences(before, step.objects)),
        ]
        for before, step in zip(befores, steps, strict=False)
    ]

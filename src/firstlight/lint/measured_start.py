"""
How long a start takes, as the user stated or measured it, and for which engines.

One number is one engine's. Beside another model's it says nothing, so with several models
among the objects it is held against none of them.
"""

from firstlight.lint.model_named import one_model
from firstlight.lint.scene import Scene
from firstlight.manifests.measured_p95 import FEWEST


def start_p95_s(scene: Scene) -> float | None:
    """The 95th percentile; None where nobody stated it, or it is one of several engines'."""
    return scene.stated.start_p95_s if one_model(scene) else None


def said_of_starts(scene: Scene) -> str:
    """What the number says of starts, for a sentence; empty where there is none."""
    seconds, count = start_p95_s(scene), scene.stated.start_p95_count
    if seconds is None:
        return ""
    if count is None or count >= FEWEST:
        return f"one start in twenty takes longer than {seconds:.0f} s"
    longest = "the one start" if count == 1 else f"the longest of {count} starts"
    return f"{longest} that {'was' if count == 1 else 'were'} measured took {seconds:.0f} s"


def not_held(scene: Scene) -> str:
    """Why the number is held against nothing; empty where it is, or there is none."""
    if scene.stated.start_p95_s is None or one_model(scene):
        return ""
    return (
        f"p95 of a start is held against no probe: {len(scene.engines)} engines are here, and "
        "it is not known that they run one model; give each engine's objects alone"
    )

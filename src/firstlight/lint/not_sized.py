"""
Which rules had nothing to judge by, because nobody said how large the model is.

Said once and only where an engine is there that such a rule is about: silence would read as fine.
"""

from collections.abc import Iterator

from firstlight.lint.load_format import STREAMER_FORMATS, load_format
from firstlight.lint.memory_limit import memory_limit
from firstlight.lint.model_named import stated_model_bytes
from firstlight.lint.scene import Scene


def not_sized(scene: Scene) -> str:
    """Why such rules were not judged; empty where they were, or are about nothing here."""
    if stated_model_bytes(scene) is not None:
        return ""
    codes = sorted(set(_codes(scene)))
    if not codes:
        return ""
    why = (
        "engines of several models are here; give each engine's objects alone"
        if scene.stated.model_bytes is not None
        else "say --model-size"
    )
    return f"{' and '.join(codes)} cannot be judged without the size of the model: {why}"


def _codes(scene: Scene) -> Iterator[str]:
    for engine in scene.engines:
        if memory_limit(engine) is None:
            continue
        if engine.has("--enable-sleep-mode"):
            yield "sleep-host-memory"
        if load_format(engine) in STREAMER_FORMATS:
            yield "streamer-memory"

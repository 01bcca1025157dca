"""Pods that ask for a compile cache of an engine that they no longer are."""

from collections.abc import Iterator

import msgspec

from firstlight.caches.factors import (
    Disagreement,
    Factors,
    briefly,
    disagreements,
    said,
)
from firstlight.core.errors import BadInput
from firstlight.lint.engine import Engine
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.manifests.expected_factors import EXPECTED, expected_factors, written_expectation
from firstlight.techniques.sources import Origin, Source


def _check(scene: Scene) -> Iterator[Hit]:
    for engine in scene.engines:
        # Of arguments that are elsewhere too, it is not known whether they are other ones.
        if engine.line is None or any(source.known is None for source in engine.hidden):
            continue
        written = written_expectation(engine.workload)
        what = _wrong(engine, written) if written is not None else None
        if what is not None:
            template = engine.workload.template_pointer
            key = EXPECTED.replace("/", "~1")
            yield Hit(
                manifest=engine.manifest,
                pointer=f"{template}/metadata/annotations/{key}",
                what=what,
            )


def _wrong(engine: Engine, written: str) -> str | None:
    try:
        asked = msgspec.json.decode(written, type=Factors)
    except msgspec.DecodeError as broken:
        return f"the annotation {EXPECTED} cannot be read: {broken}, so no cache is pulled"
    try:
        now = expected_factors(engine.workload, engine.objects)
    except BadInput:
        return None
    found = disagreements(asked, now)
    if not found:
        return None
    differ = briefly([_line(one) for one in found])
    return f"the pods ask for the compile cache of another engine than theirs: {differ}"


def _line(one: Disagreement) -> str:
    return f"{one.name} is {said(one.here)}, and the annotation says {said(one.cache)}"


RULE = Rule(
    code="cache-expectation-stale",
    severity=Severity.WARNING,
    title="The cache that pods ask for must be the one of their engine",
    why=(
        "What the initContainer looks for in the bucket stands in an annotation, made from the "
        "engine's image, model, arguments and variables. Where those were changed by hand and it "
        "was not, a cache is pulled that the engine does not look at: the seconds of the pull are "
        "paid, and those of the compilation as well."
    ),
    remedy="render compile-cache-published once more, and publish a cache for the engine as it is",
    sources=(
        Source(origin=Origin.OURS, where="the initContainer of compile-cache-published"),
        Source(origin=Origin.UPSTREAM, where="vllm/compilation/backends.py, the key"),
    ),
    check=_check,
    techniques=("compile-cache-published",),
)

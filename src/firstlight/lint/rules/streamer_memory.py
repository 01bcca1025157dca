"""The Run:ai streamer, in a container that may not use as much memory as its buffer takes."""

import json
from collections.abc import Iterator

from firstlight.lint.engine import Engine, Known
from firstlight.lint.load_format import SHARDED, STREAMER_FORMATS, load_format
from firstlight.lint.memory_limit import gb, gib, memory_limit
from firstlight.lint.model_named import fewest_ranks_in_pod, model_named, stated_model_bytes
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.techniques.sources import Origin, Source

_VARIABLE = "RUNAI_STREAMER_MEMORY_LIMIT"
_EXTRA = "--model-loader-extra-config"
_DEFAULT = 40_000_000_000
_UNLIMITED = -1
_BUCKETS = ("s3://", "gs://", "az://")


def _check(scene: Scene) -> Iterator[Hit]:
    model = stated_model_bytes(scene)
    for engine in scene.engines:
        limit = memory_limit(engine)
        if limit is None or not _streams(engine):
            continue
        buffer = _buffer(engine, model)
        if buffer is not None and buffer[0] >= limit[0]:
            size, says = buffer
            yield Hit(
                manifest=engine.manifest,
                pointer=limit[1],
                what=f"the container may use {gib(limit[0])}, and the streamer's buffer takes "
                f"{gib(size)}: {says}",
            )


def _streams(engine: Engine) -> bool:
    if load_format(engine) == "auto":
        # For a model in a bucket vLLM takes the streamer by itself.
        model = model_named(engine)
        return model is not None and model.text.startswith(_BUCKETS)
    return load_format(engine) in STREAMER_FORMATS


def _buffer(engine: Engine, model: int | None) -> tuple[int, str] | None:
    """How large the buffer becomes, and why; None where nobody can tell."""
    given = _given(engine)
    if given is None:
        return None
    limit, says = given
    if limit is None:
        # A smaller model takes a smaller buffer, so without its size nothing follows.
        limit, says = (_DEFAULT if model is not None else 0), f"{gb(_DEFAULT)} is its default"
    ranks = _buffers(engine)
    # Of a sharded model each rank reads its own files: together they hold it once.
    holders = 1 if load_format(engine) == SHARDED else ranks
    if limit > 0 and (model is None or limit * ranks < model * holders):
        return limit * ranks, says + (f", and each of {ranks} ranks has one" if ranks > 1 else "")
    if model is None or (limit <= 0 and limit != _UNLIMITED):
        return None
    return model * holders, _of_model(holders) + ("" if limit > 0 else f", for {says}")


def _of_model(ranks: int) -> str:
    return "the whole model" if ranks == 1 else f"the whole model in each of {ranks} ranks"


def _buffers(engine: Engine) -> int:
    """How many ranks of the pod have a buffer of their own, as far as is known."""
    extra = engine.argument(_EXTRA)
    dotted = engine.argument(f"{_EXTRA}.distributed")
    config = _json(engine.text_of(extra)) or {}
    # What may be distributed is taken for it: then the ranks share the reading.
    together = (
        extra.known is Known.UNKNOWN
        or config.get("distributed", False) is not False
        or (dotted.known is not Known.ABSENT and engine.text_of(dotted) not in {"false", "False"})
    )
    return 1 if together else fewest_ranks_in_pod(engine) or 1


def _given(engine: Engine) -> tuple[int | None, str] | None:
    """
    The streamer's memory limit, and where it is from.

    Returns:
        A limit of None where nobody chose one; None where it is not known.
    """
    extra = engine.argument(_EXTRA)
    if extra.known is Known.GIVEN:
        config = _json(engine.text_of(extra))
        if config is None:
            return None
        if isinstance(at := config.get("memory_limit"), int):
            return at, f"memory_limit is {at}"
    dotted = engine.argument(f"{_EXTRA}.memory_limit")
    if dotted.known is Known.GIVEN:
        return _number(engine.text_of(dotted), f"{_EXTRA}.memory_limit")
    written = engine.variable(_VARIABLE)
    if Known.UNKNOWN in (extra.known, written.known):
        return None
    return (None, "") if written.value is None else _number(written.value, _VARIABLE)


def _number(text: str | None, name: str) -> tuple[int, str] | None:
    try:
        return int(text or ""), f"{name} is {text}"
    except ValueError:
        return None


def _json(text: str | None) -> dict[str, object] | None:
    try:
        read = json.loads(text or "")
    except (ValueError, RecursionError):
        return None
    return read if isinstance(read, dict) else None


RULE = Rule(
    code="streamer-memory",
    severity=Severity.ERROR,
    title="The memory limit must hold the Run:ai streamer's buffer",
    why=(
        "The streamer reads into a buffer of host memory: as large as its limit allows, 40 GB by "
        "default in 0.17, the whole model where it has none. With tensor parallelism each rank has "
        "one, unless streaming is distributed. A container with less is killed while it loads, "
        "with exit code 137 and no line in its log. A buffer of the default size is never larger "
        "than the model, so it is judged only with --model-size."
    ),
    remedy='give --model-loader-extra-config {"memory_limit": BYTES} well below the limit, or '
    "raise the limit",
    sources=(
        Source(
            origin=Origin.UPSTREAM,
            where="runai-model-streamer 0.17.1, file_streamer/requests_iterator.py: "
            "DEFAULT_MEMORY_LIMIT_STRING and _ring_sizing",
        ),
        Source(origin=Origin.REPORTED, where="github.com/run-ai/runai-model-streamer/issues/76"),
        Source(
            origin=Origin.UPSTREAM, where="github.com/run-ai/runai-model-streamer/pull/85 and 72"
        ),
    ),
    check=_check,
    techniques=("stream-weights",),
)

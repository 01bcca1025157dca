"""
Why a cache that is there was not used: what differs between who filled it and who missed it.

Two sides are held against each other: two pods, a pod and a manifest, two logs. Of some only
four hashes are known, of others every argument and variable; whatever both sides tell is
compared, and what decides the key is kept apart from what differs and does not matter, because
the latter is what people look at first.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from firstlight.caches.factors import (
    INSTRUCTIONS,
    OF_ENVIRONMENT,
    Disagreement,
    Factors,
    disagreements,
    said,
)
from firstlight.caches.hashed import hashed_environment, is_service_link
from firstlight.core.secrets import redacted_values
from firstlight.core.starts import CacheVerdict
from firstlight.readers.compile_factors import PARTS, CompileFactors

_ADDRESS = re.compile(r"(?:\d{1,3}\.){3}\d{1,3}|[0-9a-f]*(?::[0-9a-f]*){2,}", re.IGNORECASE)
_REMEDIES = {
    "vllm": "publish one after each upgrade: the publishing Job belongs into the release",
    "torch": "publish one for this image",
    "triton": "publish one for this image",
    "cuda": "publish one for this image",
    "python": "publish one for this image",
    "image": "publish one for this image",
    "accelerator": "publish one for each kind of card, and let pods ask for that kind",
    "architecture": "publish one for each kind of card, and let pods ask for that kind",
    "machine": "publish one for each architecture",
    INSTRUCTIONS: "fill the cache on the oldest processor of the pool, or publish one for each",
    "model": "give both the same string: a path, an s3:// URL and a name are three keys",
}
_OF_PARTS = {
    "env": "print the variables of both (VLLM_LOGGING_LEVEL=DEBUG, or cache_key_factors.json), "
    "and ask again",
    "cfg": "compare the arguments of both, defaults of two versions included",
    "comp": "use one image, on one kind of card",
    "code": "use one image, with its packages at one path",
}
_ARGUMENT = "give both the same, or publish one for each"
_VARIABLE = "leave the variable away, or give all pods one value"
_OF_THE_POD = "it is an address, which is another in each pod: leave it away, or give a name"
_LINK = "it comes from a Service of that name: set enableServiceLinks: false in the pod"


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """What is known of one of the two."""

    name: str
    factors: Factors
    compiled: CompileFactors | None = None
    """What the engine itself said of its key."""
    environment: Mapping[str, str] | None = None
    """All variables that are known, hashed or not; None where they are not."""
    verdict: str | None = None
    """What its start did with its cache: hit, miss, fill, ..."""
    engine_init_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """One thing that makes another key."""

    line: str
    remedy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """The answer."""

    causes: tuple[Cause, ...]
    same: tuple[str, ...]
    """The parts of the key that are known to be the same."""
    beside: tuple[str, ...]
    """What differs and is no part of the key, or ends a start for another reason."""
    unknown: tuple[str, ...]
    """What one of the two does not tell."""
    cost_s: float | None
    """What engine init took longer on the second side; None where one was not measured."""


def explained(first: Side, second: Side) -> Explained:
    """
    What differs.

    Args:
        first: who filled the cache, or hit it.
        second: who missed.
    """
    causes = [*_of_factors(first, second), *_of_engine(first, second)]
    beside = [*_beside(first, second)]
    if second.verdict == CacheVerdict.HIT:
        # Whatever differs, it is nothing that makes another key.
        beside += [f"{cause.line}: {second.name} was a hit all the same" for cause in causes]
        causes = []
    cost = None
    if first.engine_init_s is not None and second.engine_init_s is not None:
        cost = second.engine_init_s - first.engine_init_s
    return Explained(
        causes=tuple({cause.line: cause for cause in causes}.values()),
        same=tuple(_same(first, second)),
        beside=tuple(dict.fromkeys(beside)),
        unknown=tuple(_unknown(first, second)),
        cost_s=cost,
    )


def _of_factors(first: Side, second: Side) -> Iterator[Cause]:
    for one in disagreements(first.factors, second.factors):
        yield _cause(one, first, second)
    yield from _of_secrets(first, second)


def _of_secrets(first: Side, second: Side) -> Iterator[Cause]:
    """Variables of the key that differ in what is not shown, and so in no factor."""
    if first.environment is None or second.environment is None:
        return
    for name in hashed_environment(first.environment):
        was, now = first.environment[name], second.environment.get(name)
        if now not in {None, was} and _hidden(name, was) == _hidden(name, now):
            line = f"environment {name} is {_hidden(name, was)} in {first.name} and another in "
            yield Cause(line=f"{line}{second.name}", remedy=_VARIABLE)


def _cause(one: Disagreement, first: Side, second: Side) -> Cause:
    was, now = said(one.cache), said(one.here)
    if one.name == INSTRUCTIONS:
        line = f"the processor of {second.name} lacks {was}"
    else:
        line = f"{one.name} is {was} in {first.name} and {now} in {second.name}"
    return Cause(line=line, remedy=_remedy(one))


def _remedy(one: Disagreement) -> str:
    if not one.name.startswith(OF_ENVIRONMENT):
        return _REMEDIES.get(one.name, _ARGUMENT)
    values = [value for value in (one.cache, one.here) if value]
    return _OF_THE_POD if any(map(_ADDRESS.fullmatch, values)) else _VARIABLE


def _of_engine(first: Side, second: Side) -> Iterator[Cause]:
    """What the engines said of their keys."""
    if first.compiled is None or second.compiled is None:
        return
    one, other = first.compiled, second.compiled
    named = False
    if one.variables is not None and other.variables is not None:
        for name in sorted({*one.variables, *other.variables}):
            was, now = one.variables.get(name), other.variables.get(name)
            if was != now:
                named = True
                shown = Disagreement(
                    name=f"{OF_ENVIRONMENT}{name}",
                    cache=_hidden(name, was),
                    here=_hidden(name, now),
                )
                yield _cause(shown, first, second)
    for part, what in PARTS.items():
        if part not in one.hashes or part not in other.hashes:
            continue
        if one.hashes[part] != other.hashes[part] and not (part == "env" and named):
            yield Cause(line=f"the {what} is another ({part}=)", remedy=_OF_PARTS[part])


def _same(first: Side, second: Side) -> Iterator[str]:
    if first.compiled is None or second.compiled is None:
        return
    for part, what in PARTS.items():
        values = first.compiled.hashes.get(part), second.compiled.hashes.get(part)
        if values[0] is not None and values[0] == values[1]:
            yield what


def _beside(first: Side, second: Side) -> Iterator[str]:
    if first.environment is None or second.environment is None:
        return
    hashed = {*hashed_environment(first.environment), *hashed_environment(second.environment)}
    for name in sorted({*first.environment, *second.environment}):
        was, now = first.environment.get(name), second.environment.get(name)
        if was == now or name in hashed:
            continue
        line = f"{name} is {said(_hidden(name, was))} in {first.name} and "
        line += f"{said(_hidden(name, now))} in {second.name}"
        link = any(value and "://" in value for value in (was, now)) and is_service_link(name)
        yield f"{line}: no part of the key" + (f"; {_LINK}" if link else "")


def _unknown(first: Side, second: Side) -> Iterator[str]:
    for name in Factors.__struct_fields__:
        known = [getattr(side.factors, name) is not None for side in (first, second)]
        if known[0] != known[1]:
            yield f"{name} of {second.name if known[0] else first.name}"


def _hidden(name: str, value: str | None) -> str | None:
    return None if value is None else redacted_values({name: value})[name]

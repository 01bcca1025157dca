"""
Whatever tells what a start's compile cache is keyed by, read into one form.

A manifest from a store, `cache_key_factors.json`, a file of factors, or anything that `explain`
reads: a log, a bundle, the folder of a run, a pod's objects.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from firstlight.caches.explaining import Side
from firstlight.caches.factors import Factors
from firstlight.caches.hashed import hashed_arguments, hashed_environment
from firstlight.caches.manifest import Manifest
from firstlight.caches.signatures import opened
from firstlight.core.errors import BadInput
from firstlight.core.fingerprints import ARGUMENT, ENVIRONMENT
from firstlight.core.phases import Phase
from firstlight.core.starts import Start
from firstlight.core.units import NS_PER_S
from firstlight.edges.given_file import read_given
from firstlight.readers.compile_factors import CompileFactors, of_file, of_log
from firstlight.wiring.caching.factors_here import read_factors
from firstlight.wiring.explaining import explain_inputs

_MOST_BYTES = 64 * 1024 * 1024
_NAMED = {
    "engine version": "vllm",
    "image digest": "image",
    "model": "model",
    "accelerator": "accelerator",
    "architecture": "machine",
}
"""Entries of a fingerprint, and the factors that they are."""


def side(path: str) -> Side:
    """
    What one file or folder tells.

    Raises:
        BadInput: it tells nothing of the kind.
        NothingFound: there is no start in it.
    """
    place = Path(path)
    if place.is_file() and place.stat().st_size <= _MOST_BYTES:
        data = read_given(place)
        if data.lstrip()[:1] == b"{" and (found := _of_json(path, place, data)) is not None:
            return found
    starts = explain_inputs([path])
    if len(starts) != 1:
        raise BadInput(
            f"{path} holds {len(starts)} starts, and one is held against another",
            remedy="name the log, or the folder of the round, of one of them",
        )
    return _of_start(path, starts[0], _log(place))


def _of_json(path: str, place: Path, data: bytes) -> Side | None:
    """A document of a kind that only this command reads."""
    try:
        keys = msgspec.json.decode(data, type=dict[str, Any]).keys()
    except msgspec.DecodeError:
        return None
    if keys == {"manifest", "signatures"}:
        return _of_manifest(opened(path, data, None)[0])
    if {"env", "config_hash"} <= keys:
        return Side(name=place.name, factors=Factors(), compiled=of_file(data))
    if keys and keys <= set(Factors.__struct_fields__):
        return Side(name=place.name, factors=read_factors(place))
    return None


def _of_manifest(manifest: Manifest) -> Side:
    return Side(
        name=f"the cache {manifest.key[:12]}",
        factors=manifest.factors,
        engine_init_s=manifest.hit_s,
    )


def _of_start(path: str, start: Start, compiled: CompileFactors | None) -> Side:
    known = start.fingerprint
    fields: dict[str, Any] = {
        field: known.values[name] for name, field in _NAMED.items() if known.values.get(name)
    }
    if known.knows(ARGUMENT):
        fields["arguments"] = hashed_arguments(_below(known.values, ARGUMENT))
    environment = _below(known.values, ENVIRONMENT) if known.knows(ENVIRONMENT) else None
    if environment is not None:
        fields["environment"] = hashed_environment(environment)
    init = [span for span in start.phases if span.name == Phase.ENGINE_INIT.value]
    return Side(
        name=Path(path).name or path,
        factors=Factors(**fields),
        compiled=compiled,
        environment=environment,
        verdict=start.compile_cache.verdict.value,
        engine_init_s=sum(span.length_ns for span in init) / NS_PER_S if init else None,
    )


def _log(place: Path) -> CompileFactors | None:
    log = place / "engine.log" if place.is_dir() else place
    if not log.is_file() or log.stat().st_size > _MOST_BYTES:
        return None
    return of_log(read_given(log).decode("utf-8", "replace").splitlines())


def _below(values: Mapping[str, str], kind: str) -> dict[str, str]:
    return {name.removeprefix(kind): v for name, v in values.items() if name.startswith(kind)}

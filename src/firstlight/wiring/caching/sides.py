"""
Whatever tells what a start's compile cache is keyed by, read into one form.

A manifest from a store, `cache_key_factors.json`, a file of factors, or anything that `explain`
reads: a log, a bundle, the folder of a run, a pod's objects.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from firstlight.caches.explaining import Side
from firstlight.caches.factors import Factors
from firstlight.caches.hashed import hashed_arguments, hashed_environment
from firstlight.caches.manifest import Manifest
from firstlight.caches.signatures import opened
from firstlight.core.errors import BadInput, NothingFound
from firstlight.core.fingerprints import ARGUMENT, ENVIRONMENT
from firstlight.core.phases import Phase
from firstlight.core.starts import Start
from firstlight.core.units import NS_PER_S
from firstlight.edges.given_file import open_given, read_given
from firstlight.edges.input_files import InputFile, find_inputs
from firstlight.edges.run_store import LOG_FILE
from firstlight.readers.compile_factors import CompileFactors, of_file, of_log
from firstlight.wiring.caching.factors_here import factors_of
from firstlight.wiring.explaining import explain_files, explain_inputs

_MOST_BYTES = 64 * 1024 * 1024
_HEAD_BYTES = 4096
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
    if _may_be_json(place) and (found := _of_json(path, place, read_given(place))) is not None:
        return found
    starts, compiled = _read(path, place)
    if len(starts) != 1:
        raise BadInput(
            f"{path} holds {len(starts)} starts, and one is held against another",
            remedy="name the log, or the folder of the round, of one of them",
        )
    return _of_start(path, starts[0], compiled)


def _may_be_json(place: Path) -> bool:
    """Whether it is a file that begins as a document does; a pipe can be read once only."""
    if not place.is_file() or place.stat().st_size > _MOST_BYTES:
        return False
    with open_given(place) as file:
        return file.read(_HEAD_BYTES).lstrip()[:1] == b"{"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept(InputFile):
    """A file of which the first bytes are kept while it is read: a log may be long, or a pipe."""

    kept: list[bytes] = field(default_factory=list)

    def chunks(self, *, allow_empty: bool = False) -> Iterator[bytes]:
        size_bytes = 0
        for chunk in InputFile.chunks(self, allow_empty=allow_empty):
            if size_bytes < _MOST_BYTES:
                self.kept.append(chunk)
            size_bytes += len(chunk)
            yield chunk


def _read(path: str, place: Path) -> tuple[list[Start], CompileFactors | None]:
    """The starts, and what the log says of the key."""
    if place.is_dir():
        return explain_inputs([path]), _of_log(place / LOG_FILE)
    files = [_Kept(name=one.name, path=one.path, member=one.member) for one in find_inputs(path)]
    if len(files) != 1:
        return explain_inputs([path]), None
    starts = explain_files(files, None)
    if not starts:
        raise NothingFound(
            f"{path}: no line of a vLLM start is in it",
            remedy="give the engine's log from its first line on, or a file that holds factors",
        )
    return starts, _told_by(b"".join(files[0].kept))


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
        return Side(name=place.name, factors=factors_of(path, data))
    return None


def _of_manifest(manifest: Manifest) -> Side:
    return Side(
        name=f"the cache {manifest.key[:12]}",
        factors=manifest.factors,
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


def _of_log(log: Path) -> CompileFactors | None:
    if not log.is_file() or log.stat().st_size > _MOST_BYTES:
        return None
    return _told_by(read_given(log))


def _told_by(log: bytes) -> CompileFactors | None:
    return of_log(log.decode("utf-8", "replace").splitlines())


def _below(values: Mapping[str, str], kind: str) -> dict[str, str]:
    return {name.removeprefix(kind): v for name, v in values.items() if name.startswith(kind)}

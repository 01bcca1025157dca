"""
What is known of the engine that a cache is for, by whatever the user named.
"""

import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from firstlight.caches.factors import Factors, briefly, disagreements, unknown
from firstlight.caches.factors import said as shown
from firstlight.core.errors import BadInput
from firstlight.wiring.caching.factors_here import (
    engine_factors,
    factors_of,
    machine_factors,
    read_factors,
    together,
)

if TYPE_CHECKING:
    from firstlight.wiring.cluster_access import ClusterAccess


def engine_here(
    engine: str | None,
    file: Path | None,
    environment: Mapping[str, str],
    *,
    variable: str | None = None,
) -> Factors:
    """
    An engine that is started here.

    Args:
        engine: its command.
        file: of factors.
        environment: the engine's.
        variable: of it, which may hold what would stand in such a file; a file counts before it.

    Raises:
        BadInput: nothing is known, or what is named cannot be read.
    """
    text = environment.get(variable) if variable else None
    if engine is None and file is None and not text:
        raise BadInput(
            "it is not known for which engine",
            remedy="say how it is started (--engine 'vllm serve ...'), or name a file of factors",
        )
    words = () if engine is None else words_of(engine)
    said = engine_factors(words, environment) if words else Factors()
    written = _written(file)
    if file is None and variable and text:
        written = factors_of(variable, text.encode())
    _check_agreement("--engine", said, str(file or variable), written)
    here = together(machine_factors(), said, written)
    if words and unknown(here) and shutil.which(words[0], path=environment.get("PATH")) is None:
        raise BadInput(
            f"{words[0]} was not found on PATH, so the versions of what it runs are not known",
            remedy="start --engine with the path of the program, or name a file of factors",
        )
    return here


def engine_elsewhere(
    objects: str,
    file: Path | None,
    *,
    target: str | None = None,
    access: "ClusterAccess | None" = None,
) -> Factors:
    """
    An engine that is started elsewhere.

    Args:
        objects: a file, a folder, or deployment/NAME.
        file: of factors that the objects do not say.
        target: KIND/NAME of the workload that is meant; None where there is only one.
        access: to the cluster, for a workload, and the namespace of the one that is meant.

    Raises:
        BadInput: it cannot be read, or not be told.
        NothingFound: there is no such workload.
        OutsideFailed: the cluster failed.
    """
    # It reads manifests in all their forms, which nobody needs who starts an engine here.
    from firstlight.wiring.caching.workload_factors import workload_factors  # noqa: PLC0415

    said, written = workload_factors(objects, target=target, access=access), _written(file)
    _check_agreement(objects, said, str(file), written)
    return together(said, written)


def _check_agreement(sayer: str, said: Factors, writer: str, written: Factors) -> None:
    """What one knows and the other does not is no matter."""
    against = disagreements(written, said)
    if against:
        lines = [f"{o.name} is {shown(o.here)} and {shown(o.cache)}" for o in against]
        raise BadInput(
            f"{sayer} and {writer} do not say the same: {briefly(lines)}",
            remedy="leave one of them out, or correct what is wrong",
        )


def words_of(engine: str) -> list[str]:
    """
    A command as its words.

    Raises:
        BadInput: it has none, or a quote is not closed.
    """
    try:
        words = shlex.split(engine)
    except ValueError as broken:
        raise BadInput(f"--engine cannot be read: {broken}", remedy="close its quotes") from broken
    if not words:
        raise BadInput("--engine is empty", remedy="say it as it is started: 'vllm serve ...'")
    return words


def _written(file: Path | None) -> Factors:
    return Factors() if file is None else read_factors(file)

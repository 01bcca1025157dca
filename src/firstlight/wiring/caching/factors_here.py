"""
What is known here of what decides whether a cache fits.

Three may know: a file that was made with the pod (`--expect`), the command that will be
started with the packages it belongs to, and the machine. Between file and machine the file counts,
because it was written for the engine, which may run elsewhere; file and command must agree.
"""

import platform
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec.structs import replace

from firstlight.caches.factors import Factors, known
from firstlight.caches.instructions import compiled_for
from firstlight.core.errors import BadInput
from firstlight.core.fingerprints import ARGUMENT
from firstlight.edges.engine_packages import NONE, EnginePackages, engine_packages
from firstlight.edges.given_file import read_given
from firstlight.edges.host_facts import instruction_flags, nvidia_facts
from firstlight.edges.nvidia_smi import compute_capability

_REMEDY = "`firstlight cache key --engine 'vllm serve ...'` prints such a file"


def machine_factors() -> Factors:
    """What the machine says of itself."""
    cards = nvidia_facts()["accelerators"]
    names = sorted(set(cards)) if isinstance(cards, list) else []
    flags = instruction_flags()
    return Factors(
        machine=platform.machine(),
        instructions=compiled_for(flags) if flags else None,
        accelerator=names[0] if len(names) == 1 else None,
        architecture=compute_capability() if names else None,
    )


def engine_factors(command: Sequence[str], environment: Mapping[str, str]) -> Factors:
    """
    What a command says, and the packages that it belongs to.

    Args:
        command: as it will be started.
        environment: the engine's.
    """
    # Whoever pulls by a file needs none of it, and waits for it.
    from firstlight.caches.hashed import hashed_arguments, hashed_environment  # noqa: PLC0415
    from firstlight.manifests.given_words import given_words  # noqa: PLC0415

    told = given_words(command, environment=environment).values
    arguments = {n.removeprefix(ARGUMENT): v for n, v in told.items() if n.startswith(ARGUMENT)}
    program = shutil.which(command[0], path=environment.get("PATH"))
    packages = engine_packages(Path(program)) if program else EnginePackages()
    without_card = packages.cuda == NONE
    return Factors(
        vllm=packages.vllm,
        torch=packages.torch,
        triton=packages.triton,
        cuda=packages.cuda,
        python=packages.python,
        accelerator=NONE if without_card else None,
        architecture=NONE if without_card else None,
        model=told.get("model"),
        arguments=hashed_arguments(arguments),
        environment=hashed_environment(environment),
    )


def read_factors(path: Path) -> Factors:
    """
    A file of factors.

    Raises:
        BadInput: it cannot be read, or is none.
    """
    try:
        data = read_given(path)
    except OSError as broken:
        raise BadInput(f"{path} cannot be read: {broken.strerror}", remedy=_REMEDY) from broken
    return factors_of(str(path), data)


def factors_of(artefact: str, data: bytes) -> Factors:
    """
    Factors from their words.

    Args:
        artefact: the file, or the variable, that holds them.
        data: the words, as JSON or YAML.

    Raises:
        BadInput: they are none.
    """
    if data.lstrip().startswith(b"{"):
        # As we write them ourselves; what is wrong in others is found by the reader of both forms.
        with suppress(msgspec.DecodeError):
            return msgspec.json.decode(data, type=Factors)
    from firstlight.readers.own_yaml import read_own_yaml  # noqa: PLC0415 - it takes its time

    file = read_own_yaml(artefact, data, what="file of cache factors", remedy=_REMEDY)
    return file.typed(Factors)


def together(*sources: Factors) -> Factors:
    """All that is known; where two know one thing, the later says it."""
    found = Factors()
    for one in sources:
        found = replace(found, **known(one))
    return found

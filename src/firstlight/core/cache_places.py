"""
Which folders an engine's caches lie in, from its environment.

vLLM keeps its own root; the compilers below it keep theirs, each with a variable
and a default of its own. The rules are theirs, read from their sources (vLLM
0.32, torch 2.13, Triton 3): a variable that is set counts even if the folder
does not exist, an empty one does not. With AOT compilation vLLM moves Inductor
and Triton under its own root, and then theirs stay unchanged: nothing is lost by
looking.

The same table says the other way round which variables bring all of them under
one folder, so that it can be kept, packed and unpacked as one.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

VLLM, INDUCTOR, TRITON = "vllm", "torchinductor", "triton"
FLASHINFER, DEEP_GEMM, CUDA, AUTOTUNE = "flashinfer", "deep_gemm", "cuda", "flashinfer_autotune"
BYTECODE = "bytecode"
KINDS = (VLLM, INDUCTOR, TRITON, FLASHINFER, AUTOTUNE, DEEP_GEMM, CUDA, BYTECODE)
NOTE = ".firstlight-cache.json"
"""Lies in a folder that a published cache was pulled into, and says which."""
_NOT_COMPILED = ("modelinfos/", "assets/", "gpu_p2p_access_cache", "startup_plan/")
"""What an engine notes below its caches before it compiles anything, or without."""
_PASSING = (".lock", ".tmp")
_USERS = ("LOGNAME", "USER", "LNAME", "USERNAME")
_TEMPORARIES = ("TMPDIR", "TEMP", "TMP")
_BELOW = ".cache/flashinfer"
"""FlashInfer puts this below the folder that its variable names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CachePlace:
    """One cache of an engine."""

    kind: str
    """One of `KINDS`."""
    folder: str
    """Absolute, unless the variable that moved it is not."""
    variable: str
    """What moves it."""

    @property
    def member(self) -> str:
        """Where it lies below the one folder of `under_one`."""
        return f"{FLASHINFER}/{_BELOW}" if self.kind == FLASHINFER else self.kind


def holds_compiled(path: str) -> bool:
    """Whether a file is what caches are kept for; its path is below the folder of its kind."""
    return not path.endswith(_PASSING) and not path.startswith(_NOT_COMPILED)


def cache_places(environment: Mapping[str, str], *, home: str, user: str) -> tuple[CachePlace, ...]:
    """
    Every cache of an engine with this environment, whether or not there is anything in it.

    Args:
        environment: the engine's.
        home: of the user, where HOME is not set.
        user: who runs the engine, where no variable says so.
    """
    return tuple(_places(environment, home=home, user=user))


def under_one(root: str, *, bytecode: bool = False) -> dict[str, str]:
    """
    The variables that put every cache below one folder, each in one named as its kind.

    Args:
        root: absolute.
        bytecode: that of Python too, which is of use only where the packages lie on something
            that cannot be written.
    """
    root = root.rstrip("/")
    found = {
        "VLLM_CACHE_ROOT": f"{root}/{VLLM}",
        "TORCHINDUCTOR_CACHE_DIR": f"{root}/{INDUCTOR}",
        "TRITON_CACHE_DIR": f"{root}/{TRITON}",
        "FLASHINFER_WORKSPACE_BASE": f"{root}/{FLASHINFER}",
        "DG_JIT_CACHE_DIR": f"{root}/{DEEP_GEMM}",
        "CUDA_CACHE_PATH": f"{root}/{CUDA}",
    }
    return {**found, "PYTHONPYCACHEPREFIX": f"{root}/{BYTECODE}"} if bytecode else found


def _places(environment: Mapping[str, str], *, home: str, user: str) -> Iterator[CachePlace]:
    def first(*names: str, default: str) -> str:
        value = next((environment[name] for name in names if environment.get(name)), default)
        return home_dir + value[1:] if value[:2] in {"~", "~/"} else value

    def place(kind: str, variable: str, default: str) -> CachePlace:
        folder = first(variable, default=default)
        return CachePlace(kind=kind, folder=folder, variable=variable)

    home_dir = environment.get("HOME") or home
    xdg = first("XDG_CACHE_HOME", default=f"{home_dir}/.cache")
    yield place(VLLM, "VLLM_CACHE_ROOT", f"{xdg}/vllm")
    temporary = first(*_TEMPORARIES, default="/tmp")  # noqa: S108 - where Inductor looks
    # Inductor replaces what a file name may not hold.
    name = re.sub(r'[\\/:*?"<>|]', "_", first(*_USERS, default=user))
    yield place(INDUCTOR, "TORCHINDUCTOR_CACHE_DIR", f"{temporary}/torchinductor_{name}")
    triton_home = first("TRITON_HOME", default=home_dir)
    yield place(TRITON, "TRITON_CACHE_DIR", f"{triton_home}/.triton/cache")
    workspace = place(FLASHINFER, "FLASHINFER_WORKSPACE_BASE", home_dir)
    yield CachePlace(
        kind=FLASHINFER, folder=f"{workspace.folder}/{_BELOW}", variable=workspace.variable
    )
    yield place(CUDA, "CUDA_CACHE_PATH", f"{home_dir}/.nv/ComputeCache")
    # Below vLLM's own where nothing else is said, or nowhere.
    for kind, variable in (
        (DEEP_GEMM, "DG_JIT_CACHE_DIR"),
        (AUTOTUNE, "VLLM_FLASHINFER_AUTOTUNE_CACHE_DIR"),
        (BYTECODE, "PYTHONPYCACHEPREFIX"),
    ):
        if environment.get(variable):
            yield place(kind, variable, "")

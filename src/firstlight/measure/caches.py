"""
Which folders an engine's caches lie in, from its environment.

vLLM keeps its own root; the compilers below it keep theirs, each with a variable
and a default of its own. The rules are theirs, read from their sources (vLLM
0.32, torch 2.13, Triton 3): a variable that is set counts even if the folder
does not exist, an empty one does not. With AOT compilation vLLM moves Inductor
and Triton under its own root, and then theirs stay unchanged: nothing is lost by
looking.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

_USERS = ("LOGNAME", "USER", "LNAME", "USERNAME")
_TEMPORARIES = ("TMPDIR", "TEMP", "TMP")


def cache_roots(environment: Mapping[str, str], *, home: str, user: str) -> tuple[str, ...]:
    """
    Every folder to list, none of them inside another.

    Args:
        environment: the engine's.
        home: of the user, where HOME is not set.
        user: who runs the engine, where no variable says so.
    """
    roots: list[PurePosixPath] = []
    named = {PurePosixPath(path) for path in _named(environment, home=home, user=user)}
    for root in sorted(named, key=lambda path: len(path.parts)):
        if not any(root.is_relative_to(outer) for outer in roots):
            roots.append(root)
    return tuple(sorted(str(root) for root in roots))


def _named(environment: Mapping[str, str], *, home: str, user: str) -> Iterator[str]:
    def first(*names: str, default: str) -> str:
        value = next((environment[name] for name in names if environment.get(name)), default)
        return home_dir + value[1:] if value[:2] in {"~", "~/"} else value

    home_dir = environment.get("HOME") or home
    xdg = first("XDG_CACHE_HOME", default=f"{home_dir}/.cache")
    yield first("VLLM_CACHE_ROOT", default=f"{xdg}/vllm")
    temporary = first(*_TEMPORARIES, default="/tmp")  # noqa: S108 - where Inductor looks
    # Inductor replaces what a file name may not hold.
    name = re.sub(r'[\\/:*?"<>|]', "_", first(*_USERS, default=user))
    yield first("TORCHINDUCTOR_CACHE_DIR", default=f"{temporary}/torchinductor_{name}")
    triton_home = first("TRITON_HOME", default=home_dir)
    yield first("TRITON_CACHE_DIR", default=f"{triton_home}/.triton/cache")
    flashinfer = first("FLASHINFER_WORKSPACE_BASE", default=home_dir)
    yield f"{flashinfer}/.cache/flashinfer"
    for variable in ("DG_JIT_CACHE_DIR", "VLLM_FLASHINFER_AUTOTUNE_CACHE_DIR"):
        if environment.get(variable):
            yield first(variable, default="")

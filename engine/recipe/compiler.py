"""
What a vLLM on CPU needs from the machine while it starts: a C++ compiler.

torch.compile writes C++ and has it built at each start that finds no cache. An
engine without a compiler installs well and fails minutes later, in a worker,
with a message about a header. Asking first costs a millisecond.
"""

import shutil
from collections.abc import Mapping
from pathlib import Path

from recipe.failures import CannotPrepare


def require_compiler(environment: Mapping[str, str], headers: Path) -> None:
    """Refuse a machine that could install the engine and never start it.

    Args:
        environment: PATH, and CXX where the user names a compiler.
        headers: the folder where this interpreter's `Python.h` should lie.
    """
    compiler = environment.get("CXX") or "g++"
    if shutil.which(compiler, path=environment.get("PATH")) is None:
        raise CannotPrepare(
            f"vLLM on CPU compiles C++ while it starts, and there is no {compiler}",
            remedy="install one (Debian and Ubuntu: apt install g++), or name yours in CXX",
        )
    if not (headers / "Python.h").is_file():
        raise CannotPrepare(
            f"vLLM on CPU compiles C++ while it starts, and {headers} has no Python.h",
            remedy="install this Python's headers (Debian and Ubuntu: apt install python3-dev)",
        )

"""
The folders that an engine and its compilers keep what they compiled in.

vLLM's own holds the compiled graphs, and Inductor's files with them; Triton, FlashInfer and, on
CPUs, Inductor have theirs elsewhere unless they are told. Whether an engine compiles at all is
known from its arguments.
"""

import json

from firstlight.lint.engine import Engine, Known
from firstlight.lint.engine_image import is_another_compiler, is_cpu_or_xpu
from firstlight.lint.places import Lies, Place, folder, place
from firstlight.manifests.arguments import Option

_TRUE = frozenset({"1", "true", "yes", "on"})
_NO_COMPILATION = frozenset({"0", "none"})
KEPT = frozenset({Lies.LASTING, Lies.FILLED})
"""A cache that is there when the next pod starts, as far as anybody can tell."""


def is_on(engine: Engine, name: str) -> bool:
    """Whether a switch among the variables is known to be on."""
    return str(engine.variable(name).value or "").lower() in _TRUE


def vllm_cache(engine: Engine) -> Place:
    """Where vLLM keeps its compiled graphs."""
    named = (("VLLM_CACHE_ROOT", ""), ("XDG_CACHE_HOME", "/vllm"))
    return place(engine, folder(engine, *named, otherwise="~/.cache/vllm"))


def triton_cache(engine: Engine) -> Place:
    """Where Triton keeps its kernels."""
    named = (("TRITON_CACHE_DIR", ""), ("TRITON_HOME", "/.triton/cache"))
    return place(engine, folder(engine, *named, otherwise="~/.triton/cache"))


def flashinfer_cache(engine: Engine) -> Place:
    """Where FlashInfer keeps its kernels."""
    named = (("FLASHINFER_WORKSPACE_BASE", "/.cache/flashinfer"),)
    return place(engine, folder(engine, *named, otherwise="~/.cache/flashinfer"))


def inductor_cache(engine: Engine) -> Place:
    """Where Inductor keeps its files, where vLLM does not say it: on CPUs."""
    named = (("TORCHINDUCTOR_CACHE_DIR", ""),)
    return place(engine, folder(engine, *named, otherwise="/tmp/torchinductor_root"))  # noqa: S108


def compiles(engine: Engine) -> bool:
    """Whether a start is known to compile with torch.compile, and to keep what it compiled."""
    if engine.line is None or engine.has("--enforce-eager") is not False:
        return False
    if is_another_compiler(engine) or is_cpu_or_xpu(engine):
        return False
    if engine.variable("VLLM_DISABLE_COMPILE_CACHE").known is not Known.ABSENT:
        return False
    known = [o for h in engine.hidden if h.known for o in h.known.options]
    return not any(_turns_off(o) for o in (*engine.line.arguments.options, *known))


def _turns_off(option: Option) -> bool:
    """Whether an argument may say that nothing is compiled."""
    value = str(option.value or "").strip().lower()
    match option.name:
        case "-O0":
            return True
        case "-O" | "--optimization-level" | "-O.mode" | "-O.level":
            return value in _NO_COMPILATION
        case "--compilation-config.mode" | "--compilation-config.level" | "-cc.mode":
            return value in _NO_COMPILATION
        case "--compilation-config":
            return _mode(value) in _NO_COMPILATION
        case _:
            return False


def _mode(config: str) -> str:
    try:
        read = json.loads(config)
    except (ValueError, RecursionError):
        return config
    if not isinstance(read, dict):
        return str(read)
    return str(read.get("mode", read.get("level", ""))).lower()

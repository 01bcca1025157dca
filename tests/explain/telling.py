"""Logs in the small: lines of vLLM with a second and a process, explained."""

from firstlight.core.starts import Start
from firstlight.explain.explain import explain_log
from firstlight.explain.group import Group
from firstlight.explain.splitting import split
from firstlight.readers.vllm_log import read_log

FRONT = "APIServer pid=1"
CORE = "EngineCore pid=7"


def line(second: int, said: str, *, by: str = CORE, level: str = "INFO") -> str:
    """One record, so many seconds after ten o'clock."""
    clock = f"{10 + second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
    head = f"({by}) " if by else ""
    return f"{head}{level} 03-04 {clock} [core.py:12] {said}"


def log(*lines: str) -> bytes:
    return "\n".join([*lines, ""]).encode()


def told(*lines: str) -> list[Start]:
    """The starts in these lines."""
    return explain_log(read_log("a.log", [log(*lines)]))


def one(*lines: str) -> Start:
    """The only start in these lines."""
    (start,) = told(*lines)
    return start


def groups(*lines: str) -> list[Group]:
    return split(read_log("a.log", [log(*lines)]))


def facts(start: Start) -> dict[str, list[float]]:
    """The facts that are there."""
    return {name: [f.value for f in found] for name, found in start.facts.items() if found}


BANNER = "vLLM API server version 0.13.0"
ENGINE = "Initializing a V1 LLM engine (v0.13.0) with config: model='m', enforce_eager=False"
LOADS = "Starting to load model m..."
WEIGHTS = "Loading weights took 19.80 seconds"
LOADED = "Model loading took 15.02 GiB memory and 21.250000 seconds"
READY = "init engine (profile, create kv cache, warmup model) took 29.60 seconds"
ROUTE = "Route: /health, Methods: GET"
UP = "INFO:     Application startup complete."


def whole(
    at: int = 0, *, front: str = FRONT, core: str = CORE, weights: str = WEIGHTS
) -> list[str]:
    """A complete start of 60 seconds, in nine lines."""
    return [
        line(at, BANNER, by=front),
        line(at + 1, "non-default args: {'model': 'm'}", by=front),
        line(at + 10, ENGINE, by=core),
        line(at + 14, LOADS, by=core),
        line(at + 34, weights, by=core),
        line(at + 35, LOADED, by=core),
        line(at + 58, READY, by=core),
        line(at + 60, ROUTE, by=front),
        UP,
    ]


KV_NEED = (
    "To serve at least one request with the model's max seq len (131072), (56.77 GiB KV cache is "
    "needed, which is larger than the available KV cache memory (55.68 GiB). Try"
)

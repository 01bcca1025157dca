"""
Which of some words starts vLLM's server.

`vllm serve`, the module of the API server, or that module's file; in front of it there may
be `exec`, `env NAME=VALUE`, `numactl`, a profiler. What another program does with the words
behind it cannot be known, so nothing else counts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class Program(StrEnum):
    """How the engine was started, which decides how it is given its model."""

    SERVE = "vllm serve"
    """The model stands behind it."""
    API_SERVER = "the API server's module"
    """The model is `--model`."""
    IMAGE = "the image's entrypoint"
    """One of the two; only the image tells."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineAt:
    """Where the engine's own arguments begin."""

    first: int
    program: Program


_MODULES = frozenset({"vllm.entrypoints.openai.api_server"})
_CLI_MODULES = frozenset({"vllm.entrypoints.cli.main", "vllm"})
_FILE = "vllm/entrypoints/openai/api_server.py"
_ONLY_PRINT = frozenset({"echo", "printf", "which", "type"})
SHELLS = frozenset({"sh", "bash", "ash", "dash", "zsh", "ksh"})


def engine_at(words: Sequence[str]) -> EngineAt | None:
    """Where the engine is started; None where these words do not start it."""
    if words and basename(words[0]) in _ONLY_PRINT:
        return None
    for at, word in enumerate(words):
        behind = words[at + 1] if at + 1 < len(words) else ""
        if basename(word) == "vllm" and behind == "serve":
            return EngineAt(first=at + 2, program=Program.SERVE)
        if word == "-m" and behind in _MODULES:
            return EngineAt(first=at + 2, program=Program.API_SERVER)
        if word == "-m" and behind in _CLI_MODULES and words[at + 2 : at + 3] == ["serve"]:
            return EngineAt(first=at + 3, program=Program.SERVE)
        if word.endswith(_FILE):
            return EngineAt(first=at + 1, program=Program.API_SERVER)
    return None


def script_at(words: Sequence[str]) -> int | None:
    """The index of the script that a shell is given with `-c`; None where there is none."""
    for at, word in enumerate(words):
        if basename(word) in SHELLS:
            for option in range(at + 1, len(words) - 1):
                if not words[option].startswith(("-", "+")):
                    break
                if "c" in words[option] and not words[option].startswith("--"):
                    return option + 1
    return None


def basename(word: str) -> str:
    """A program without its folder."""
    return word.rpartition("/")[2]

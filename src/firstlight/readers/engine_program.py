"""
Which of some words starts vLLM's server.

`vllm serve`, the module of the API server, or that module's file; in front of it there may
be `exec`, `env NAME=VALUE`, `numactl`, a profiler. What another program does with the words
behind it cannot be known, so nothing else counts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise


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


DEFAULT_PORT = 8000
"""Where the server listens without a `--port`."""
_MODULES = frozenset({"vllm.entrypoints.openai.api_server"})
_CLI_MODULES = frozenset({"vllm.entrypoints.cli.main", "vllm"})
_FILE = "vllm/entrypoints/openai/api_server.py"
_NO_SERVERS = frozenset(
    {"bench", "chat", "collect-env", "complete", "launch", "preload", "run-batch", "snapshot"}
)
"""What `vllm` has beside `serve`."""
_ONLY_PRINT = frozenset({"echo", "printf", "which", "type"})
_OPTIONS_WITH_FILE = frozenset({"--rcfile", "--init-file"})
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


def starts_another(words: Sequence[str]) -> bool:
    """Whether these words start another part of vLLM than its server, such as its benchmark."""
    return any(
        basename(word) == "vllm" and behind in _NO_SERVERS for word, behind in pairwise(words)
    )


def script_at(words: Sequence[str]) -> int | None:
    """The index of the script that a shell is given with `-c`; None where there is none."""
    for at, word in enumerate(words):
        if basename(word) in SHELLS and (script := _behind_options(words, at + 1)) is not None:
            return script
    return None


def _behind_options(words: Sequence[str], at: int) -> int | None:
    """Where a shell's options end; None where none of them is `-c`, or nothing is behind them."""
    has_script = False
    while at < len(words) and words[at][:1] in {"-", "+"}:
        option, at = words[at], at + 1
        if option in {"-", "--"}:
            break
        if option in _OPTIONS_WITH_FILE:
            at += 1
        elif not option.startswith("--"):
            has_script = has_script or (option[0] == "-" and "c" in option)
            # `-o pipefail`, and `-euo pipefail`: each o takes a word.
            at += sum(option.count(letter) for letter in "oO")
    return at if has_script and at < len(words) else None


def basename(word: str) -> str:
    """A program without its folder."""
    return word.rpartition("/")[2]

"""
A wording: one thing vLLM says, in all the ways it has said it.
"""

import re
from dataclasses import dataclass
from enum import StrEnum


class Say(StrEnum):
    """The things said, named once; what they mean is decided in `explain`."""

    # the beginning
    PROCESS_SPEAKS = "process_speaks"
    """The first line of a process: no wording of its own, found by its name and pid."""
    SHELL_SERVE = "shell_serve"
    PLATFORM = "platform"
    CLI_WARNING = "cli_warning"
    API_VERSION = "api_version"
    BANNER_VERSION = "banner_version"
    BANNER_MODEL = "banner_model"
    ARGUMENTS = "arguments"
    ARCHITECTURE = "architecture"
    MAX_LENGTH = "max_length"
    SCHEDULER_CONFIG = "scheduler_config"
    EAGER = "eager"
    SLEEP_ENABLED = "sleep_enabled"
    SPAWN_FORCED = "spawn_forced"
    ENGINE_WAITS = "engine_waits"
    ENGINE_BEGINS = "engine_begins"
    EXECUTOR_BEGINS = "executor_begins"
    WORLD = "world"
    RANKS = "ranks"
    # weights
    LOAD_BEGINS = "load_begins"
    ATTENTION_BACKEND = "attention_backend"
    MODULES_MADE = "modules_made"
    DOWNLOADED = "downloaded"
    CHECKPOINT = "checkpoint"
    PREFETCHED = "prefetched"
    DESERIALIZED = "deserialized"
    SHARDS_BAR = "shards_bar"
    STREAMED = "streamed"
    WEIGHTS_TOOK = "weights_took"
    WEIGHTS_MAPPED = "weights_mapped"
    QUANTIZED = "quantized"
    DRAFTER_BEGINS = "drafter_begins"
    MODEL_LOADED = "model_loaded"
    RELOADING = "reloading"
    # compile
    COMPILE_BEGINS = "compile_begins"
    CACHE_FOLDER = "cache_folder"
    CACHE_DISABLED = "cache_disabled"
    CACHE_FACTORS = "cache_factors"
    DYNAMO_TOOK = "dynamo_took"
    GRAPH_SAVED = "graph_saved"
    GRAPH_COMPILED = "graph_compiled"
    GRAPH_LOADED = "graph_loaded"
    AOT_LOADED = "aot_loaded"
    AOT_SAVED = "aot_saved"
    AOT_NOT_SAVED = "aot_not_saved"
    AOT_BROKEN = "aot_broken"
    COMPILE_TOOK = "compile_took"
    COMPILE_AND_RUN_TOOK = "compile_and_run_took"
    FIRST_RUN_TOOK = "first_run_took"
    # the rest of engine init
    ENCODER_PROFILE = "encoder_profile"
    PROFILING_TOOK = "profiling_took"
    PLAN_APPLIED = "plan_applied"
    PLAN_NOT_APPLIED = "plan_not_applied"
    PLAN_SAVED = "plan_saved"
    KV_RESERVED = "kv_reserved"
    GRAPH_MEMORY_BEGINS = "graph_memory_begins"
    GRAPH_MEMORY_ENDS = "graph_memory_ends"
    KV_AVAILABLE = "kv_available"
    KV_SIZE = "kv_size"
    MEMORY_ADVICE = "memory_advice"
    AUTOTUNE_BEGINS = "autotune_begins"
    AUTOTUNE_ENDS = "autotune_ends"
    JIT_BEGINS = "jit_begins"
    JIT_TOOK = "jit_took"
    CAPTURE_BAR = "capture_bar"
    GRAPHS_CAPTURED = "graphs_captured"
    WARM_UP_BEGINS = "warm_up_begins"
    WARM_UP_ENDS = "warm_up_ends"
    CPU_KV_SET = "cpu_kv_set"
    BUCKETS_WARMED = "buckets_warmed"
    ENGINE_READY = "engine_ready"
    # the server
    MM_WARMED = "mm_warmed"
    CHAT_WARMED = "chat_warmed"
    TASKS = "tasks"
    CHAT_FORMAT = "chat_format"
    SERVER_STARTING = "server_starting"
    ROUTES = "routes"
    UVICORN_STARTED = "uvicorn_started"
    UVICORN_COMPLETE = "uvicorn_complete"
    # sleep and wake
    SLEEP_ASKED = "sleep_asked"
    ALLOCATOR_FREED = "allocator_freed"
    SLEEP_FREED = "sleep_freed"
    SLEEP_IGNORED = "sleep_ignored"
    ASLEEP = "asleep"
    AWAKE = "awake"
    # failure
    TRACEBACK = "traceback"
    FRAME = "frame"
    """A line of a traceback in vLLM's own source."""
    EXCEPTION = "exception"
    CRASH = "crash"
    """Last words of a process that could not even raise: a signal, a native abort."""
    FATAL = "fatal"
    SECONDARY = "secondary"
    ARGUMENT_ERROR = "argument_error"
    DIED = "died"
    SHUTDOWN = "shutdown"


DECIMAL = r"\d{1,9}(?:\.\d{1,9})?"
"""A number as vLLM prints one; longer ones are damage."""
NUMBER = rf"(?P<s>\d{{1,3}}(?:,\d{{3}}){{1,2}}(?:\.\d{{1,9}})?|{DECIMAL})"
"""Seconds as printed: the group is named `s` in every pattern that has one."""
SECONDS = rf"{NUMBER} ?s(?:ec(?:ond)?s?)?\b"
"""The number with its unit, however it is shortened."""
WHOLE_2 = rf"(?:{SECONDS}|(?P<cut>\d{{1,9}}\.\d\d)$)"
WHOLE_6 = rf"(?:{SECONDS}|(?P<cut>\d{{1,9}}\.\d{{6}})$)"
"""The same where a copied line ends before the unit, but with every decimal vLLM prints."""

_TAGS = r"(?:\[[^\]]{1,60}\] ?)*"
"""0.32+ puts the compiled part's tag in brackets before what it says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """One entry: what is said, a literal it always contains, and its pattern."""

    say: Say
    literal: str
    pattern: re.Pattern[str]
    """Matches from where a statement begins."""
    opening: bool
    """Whether it can only open a line: an exception's name after a colon is somebody's report."""


def wording(say: Say, literal: str, pattern: str, *, opening: bool = False) -> Wording:
    """A table entry; vLLM prints ASCII, so digits of other scripts are none."""
    compiled = re.compile(_TAGS + pattern, re.ASCII)
    return Wording(say=say, literal=literal, pattern=compiled, opening=opening)

"""
Front end, engine core and worker introduce themselves (0.6-0.33).

The version line is plain up to 0.14 and part of a logo from 0.15 on, where the log is not
JSON and VLLM_DISABLE_LOG_LOGO is not set. The engine's line has been the same since 0.7.
"""

from firstlight.readers.wordings.wording import Say, wording

BEGINNING = (
    wording(Say.SHELL_SERVE, "vllm", r"[$#%>] (?:python3? -m vllm\.|vllm serve).*", opening=True),
    wording(Say.PLATFORM, "detected platform", r"Automatically detected platform (?P<name>\w+)"),
    wording(Say.CLI_WARNING, "vllm serve", r"With `vllm serve`, you should provide the model"),
    wording(
        Say.API_VERSION, "server version", r"vLLM (?:API|gRPC) server version (?P<version>\S+)"
    ),
    wording(
        Say.API_VERSION,
        "server version",
        r"vLLM server version (?P<version>[^\s,]+), serving model",
    ),
    wording(Say.BANNER_VERSION, "█", r".{0,100}█.{0,100}\bversion (?P<version>\S+)"),
    wording(Say.BANNER_MODEL, "█", r".{0,100}█.{0,100}\bmodel\s+(?P<model>\S.*)"),
    wording(Say.ARGUMENTS, "args: ", r"(?:non-default )?args: (?P<arguments>.*)"),
    wording(Say.ARCHITECTURE, "Resolved arch", r"Resolved architecture: (?P<name>\S+)"),
    wording(Say.MAX_LENGTH, "max model len", r"Using max model len (?P<tokens>[\d,]+)"),
    wording(Say.SCHEDULER_CONFIG, "prefill is", r"Chunked prefill is (?:enabled|disabled)"),
    wording(Say.SCHEDULER_CONFIG, "scheduling is", r"Asynchronous scheduling is "),
    wording(
        Say.EAGER,
        "nforce eager",
        r"Enforce eager set, (?:disabling torch\.compile|overriding optimization level)",
    ),
    wording(Say.EAGER, "under eager mode", r"Cudagraph is disabled under eager mode"),
    wording(Say.SLEEP_ENABLED, "because sleep mode", r"Enabling \w+ allocator because sleep mode"),
    wording(
        Say.SPAWN_FORCED, "start method", r"We must use the `spawn` multiprocessing start method\."
    ),
    wording(Say.ENGINE_WAITS, "init message", r"Waiting for init message from front-end"),
    wording(
        Say.ENGINE_BEGINS,
        "LLM engine",
        r"Initializing an? (?:V[01] )?LLM engine(?: \(v(?P<version>[^)\s]*)\)?)"
        r"(?: with config: ?(?P<config>.*))?",
    ),
    wording(Say.EXECUTOR_BEGINS, "group leader", r"DP group leader: "),
    wording(Say.WORLD, "world_size=", r"world_size=(?P<world>\d+) rank=\d+ local_rank="),
    wording(Say.RANKS, "in world size", r"rank \d+ in world size (?P<world>\d+) is assigned"),
)

"""Profiling, KV cache, kernel warm-up, graph capture, and the line that ends it all."""

from firstlight.readers.wordings.wording import DECIMAL, NUMBER, SECONDS, WHOLE_2, Say, wording

ENGINE_INIT = (
    wording(Say.ENCODER_PROFILE, "Encoder cache will", r"Encoder cache will be initialized"),
    wording(Say.PROFILING_TOOK, "profiling takes", rf"Memory profiling takes {WHOLE_2}"),
    wording(
        Say.PLAN_APPLIED,
        "startup plan",
        r"Applying persisted startup plan \(fingerprint (?P<fingerprint>\w+)\)",
    ),
    wording(Say.PLAN_NOT_APPLIED, "plan not applied", r"Startup plan not applied: "),
    wording(
        Say.PLAN_NOT_APPLIED, "unreadable startup plan", r"Ignoring unreadable startup plan \S+"
    ),
    wording(Say.PLAN_SAVED, "startup plan to", r"Saved startup plan to (?P<path>\S+)"),
    wording(
        Say.KV_RESERVED, "Initial free memory", r"Initial free memory .*skipped memory profiling"
    ),
    wording(Say.GRAPH_MEMORY_BEGINS, "graph memory: ", r"Profiling CUDA graph memory: "),
    wording(Say.GRAPH_MEMORY_ENDS, "graph memory: ", r"Estimated CUDA graph memory: "),
    wording(
        Say.KV_AVAILABLE,
        "KV cache memory:",
        rf"Available KV cache memory: (?P<gib>-?{DECIMAL}) GiB",
    ),
    wording(Say.KV_SIZE, "KV cache size", r"\w+ KV cache size: (?P<tokens>[\d,]+) tokens"),
    wording(
        Say.MEMORY_ADVICE,
        "Free memory on device",
        rf"Free memory on device(?: \S+)? \((?P<free>{DECIMAL})/(?P<total>{DECIMAL}) GiB\) "
        r"on startup\.\s+Desired GPU memory utilization is "
        rf"\((?P<utilization>{DECIMAL}), (?P<desired>{DECIMAL}) GiB\)"
        r"(?P<rest>.*)",
    ),
    wording(Say.AUTOTUNE_BEGINS, "process starts", r":? ?Autotuning process starts"),
    wording(
        Say.AUTOTUNE_BEGINS, "autotune with", r"Running FlashInfer (?:BF16-only )?autotune with"
    ),
    wording(Say.AUTOTUNE_ENDS, "process ends", r":? ?Autotuning process ends"),
    wording(Say.JIT_BEGINS, "JIT kernel warmup starting", r"JIT kernel warmup starting"),
    wording(
        Say.JIT_TOOK,
        "JIT kernel warmup f",
        rf"JIT kernel warmup (?:finished in|failed after) {SECONDS}",
    ),
    wording(
        Say.CAPTURE_BAR,
        "Capturing ",
        r"Capturing (?:\w+ )*?(?:CUDA|ACL|HPU|XPU|MUSA) [Gg]raph.{0,200}?(?P<percent>\d{1,3})%"
        r"(?:\|.{0,200}?\| *\d{1,6}/(?P<all>\d{1,6})\b)?",
    ),
    wording(
        Say.GRAPHS_CAPTURED,
        "raph capturing finished",
        rf"(?:Encoder g|G)raph capturing finished in {SECONDS}",
    ),
    wording(Say.WARM_UP_BEGINS, "Warming up model", r"Warming up model for the compilation"),
    wording(Say.WARM_UP_ENDS, "Warming up done", r"Warming up done"),
    wording(Say.CPU_KV_SET, "for KV cache on node", r"Explicitly set .* for KV cache on node"),
    wording(Say.BUCKETS_WARMED, "Warmup finished", rf"Warmup finished in {NUMBER} secs"),
    wording(
        Say.ENGINE_READY,
        "init engine",
        rf"init engine (?:\([^)]*\) )?took {WHOLE_2}"
        rf"(?: \(compilation: (?P<compilation>{DECIMAL}) s)?",
    ),
)

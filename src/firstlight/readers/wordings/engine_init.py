"""Profiling, KV cache, kernel warm-up, graph capture, and the line that ends it all."""

from firstlight.readers.wordings.wording import NUMBER, Say, wording

ENGINE_INIT = (
    wording(Say.ENCODER_PROFILE, "Encoder cache will", r"Encoder cache will be initialized"),
    wording(
        Say.PROFILING_TOOK, "profiling takes", rf"Memory profiling takes {NUMBER} seconds"
    ),
    wording(
        Say.PLAN_APPLIED,
        "startup plan",
        r"Applying persisted startup plan \(fingerprint (?P<fingerprint>\w+)\)",
    ),
    wording(
        Say.KV_RESERVED, "Initial free memory", r"Initial free memory .*skipped memory profiling"
    ),
    wording(
        Say.KV_AVAILABLE, "KV cache memory:", r"Available KV cache memory: (?P<gib>-?[\d.]+) GiB"
    ),
    wording(Say.KV_SIZE, "KV cache size", r"\w+ KV cache size: (?P<tokens>[\d,]+) tokens"),
    wording(
        Say.MEMORY_ADVICE,
        "Free memory on device",
        r"Free memory on device \((?P<free>[\d.]+)/(?P<total>[\d.]+) GiB\) on startup\.\s+"
        r"Desired GPU memory utilization is \((?P<utilization>[\d.]+), (?P<desired>[\d.]+) GiB\)"
        r"(?P<rest>.*)",
    ),
    wording(Say.AUTOTUNE_BEGINS, "process starts", r".*\[Autotuner\]: Autotuning process starts"),
    wording(Say.AUTOTUNE_BEGINS, "FlashInfer autotune with", r"Running FlashInfer autotune with"),
    wording(Say.AUTOTUNE_ENDS, "process ends", r".*\[Autotuner\]: Autotuning process ends"),
    wording(Say.JIT_BEGINS, "JIT kernel warmup starting", r"JIT kernel warmup starting"),
    wording(
        Say.JIT_TOOK,
        "JIT kernel warmup f",
        rf"JIT kernel warmup (?:finished in|failed after) {NUMBER}s",
    ),
    wording(Say.CAPTURE_BAR, "Capturing CUDA graph", r"Capturing CUDA graph.*?(?P<percent>\d+)%"),
    wording(
        Say.GRAPHS_CAPTURED,
        "raph capturing finished",
        rf"(?:Encoder g|G)raph capturing finished in {NUMBER} secs",
    ),
    wording(Say.WARM_UP_BEGINS, "Warming up model", r"Warming up model for the compilation"),
    wording(Say.WARM_UP_ENDS, "Warming up done", r"Warming up done"),
    wording(Say.CPU_KV_SET, "for KV cache on node", r"Explicitly set .* for KV cache on node"),
    wording(
        Say.BUCKETS_WARMED, "Warmup finished", rf"Warmup finished in {NUMBER} secs"
    ),
    wording(
        Say.ENGINE_READY,
        "init engine",
        rf"init engine (?:\([^)]*\) )?took {NUMBER}(?: s(?:econds)?\b|$)"
        r"(?: \(compilation: (?P<compilation>\d+(?:\.\d+)?) s)?",
    ),
)

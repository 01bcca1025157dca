"""
torch.compile and its caches.

`torch.compile took` is printed on a warm AOT load too, and then is the load's
time. `torch.compile and initial profiling/warmup run together took` (0.18+, without
AOT) holds a whole warm-up run beside the compilation: it is no compile time, and is
kept apart. In 0.7, `Directly lookup the graph` is a hit even beside `Compiling a graph
... takes 0.34 s`. From 0.32 a tag such as `[backbone]` stands in front. A load failure
is reported only where the cached file exists (0.11.2-0.33), so it is never a plain miss.
"""

from firstlight.readers.wordings.wording import SECONDS, WHOLE_2, Say, wording

COMPILING = (
    wording(Say.COMPILE_BEGINS, "Starting torch.compile", r"Starting torch\.compile"),
    wording(Say.CACHE_FOLDER, "Using cache directory", r"Using cache directory: (?P<folder>\S+)"),
    wording(
        Say.CACHE_DISABLED, "cache is disabled", r"(?:\S{1,20} )?torch\.compile cache is disabled"
    ),
    wording(
        Say.CACHE_FACTORS,
        "cache factors",
        r"torch\.compile cache factors: env=(?P<env>\w+) cfg=(?P<cfg>\w+)"
        r" comp=(?P<comp>\w+) code=(?P<code>\w+)",
    ),
    wording(Say.DYNAMO_TOOK, "transform time", rf"Dynamo bytecode transform time: {WHOLE_2}"),
    wording(Say.GRAPH_SAVED, "for later use", r"Cache the graph (?:of|for) .*for later use"),
    wording(Say.GRAPH_COMPILED, "Compiling a graph", rf"Compiling a graph for .+? takes {WHOLE_2}"),
    wording(
        Say.GRAPH_LOADED,
        "Directly load the compiled graph",
        r"Directly load the compiled graph(?:\(s\))? for .*?from the cache"
        rf"(?:, took {SECONDS})?",
    ),
    wording(Say.GRAPH_LOADED, "Directly lookup", r"Directly lookup the graph for .*from the cache"),
    wording(
        Say.GRAPH_LOADED, "-th graph for", r"Directly load the \d+-th graph for .*(?:via handle|$)"
    ),
    wording(
        Say.GRAPH_LOADED,
        "standalone compile artifacts",
        r"reconstruct(?:ed|ing) serializable fn from standalone compile artifacts",
    ),
    wording(
        Say.AOT_LOADED, "AOT compilation", r"Directly load AOT compilation from path (?P<path>\S+)"
    ),
    wording(Say.AOT_SAVED, "AOT compiled", r"sav(?:ed|ing) AOT compiled function to (?P<path>\S+)"),
    wording(Say.AOT_NOT_SAVED, "to save AOT", r"unable to save AOT compiled function to"),
    wording(Say.AOT_NOT_SAVED, "save aot", r"Cannot save aot compilation to path"),
    wording(
        Say.AOT_BROKEN,
        "Compiling model again",
        r"Compiling model again due to a load failure"
        r"(?: from (?P<path>.+?))?(?:, reason: (?P<reason>.*)|$)",
    ),
    wording(
        Say.AOT_BROKEN,
        "load aot",
        r"Cannot load aot compilation from path (?P<path>.+?), error: (?P<reason>.*)",
    ),
    wording(
        Say.COMPILE_TOOK,
        "torch.compile t",
        rf"torch\.compile (?:takes|took) {WHOLE_2}",
    ),
    wording(
        Say.COMPILE_AND_RUN_TOOK,
        "run together took",
        rf"torch\.compile and initial profiling/warmup run together took {WHOLE_2}",
    ),
    wording(Say.FIRST_RUN_TOOK, "run took", rf"Initial profiling/warmup run took {WHOLE_2}"),
)

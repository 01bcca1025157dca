"""
From the first touch of the model until its weights are in place.

Not every loader prints `Loading weights took` (Run:ai's, tensorizer's, GGUF's do
not), and the CPU runner never prints `Model loading took`. `Loading model weights
took N GB` of 0.6-0.7 is memory, not time, and Gaudi's `took N GiB` too.
"""

from firstlight.readers.wordings.wording import NUMBER, Say, wording

WEIGHTS = (
    wording(Say.LOAD_BEGINS, "tarting to load", r"Starting to load model (?P<model>.*?)\.*$"),
    wording(Say.LOAD_BEGINS, "from scratch", r"Loading model from scratch"),
    wording(Say.LOAD_BEGINS, "MODEL_IMPL_TYPE", r"Loading model with MODEL_IMPL_TYPE"),
    wording(Say.ATTENTION_BACKEND, " backend", r"Using \S+(?: \S+)? (?:attention )?backend\b"),
    wording(
        Say.MODULES_MADE, "Initializing model took", rf"Initializing model took {NUMBER} seconds"
    ),
    wording(
        Say.DOWNLOADED,
        "downloading weights",
        rf"Time spent downloading weights for .+: {NUMBER} seconds",
    ),
    wording(
        Say.CHECKPOINT,
        "Checkpoint size",
        r"Filesystem type for checkpoints: (?P<filesystem>.+?)\. "
        r"Checkpoint size: (?P<gib>[\d.]+) GiB",
    ),
    wording(
        Say.PREFETCHED,
        "refetching checkpoint",
        rf"Prefetching checkpoint files into page cache .*finished in {NUMBER}s",
    ),
    wording(
        Say.SHARDS_BAR,
        "Loading ",
        r"Loading (?:\w+ )+(?:shards|Streamer|loader): +(?P<percent>\d+)%",
    ),
    wording(
        Say.STREAMED,
        "Overall time to stream",
        r".{0,200}?\[RunAI Streamer\] Overall time to stream (?P<size>[\d.]+) (?P<unit>[KMGT]i?B)"
        rf" of all files(?: to \w+)?: {NUMBER}s",
    ),
    wording(Say.WEIGHTS_TOOK, "weights took", rf"Loading weights took {NUMBER} s(?:econds)?\b"),
    wording(
        Say.QUANTIZED,
        "nline quantization",
        rf"Online quantization as part of model loading took {NUMBER} seconds",
    ),
    wording(Say.DRAFTER_BEGINS, "drafter model", r"Loading drafter model"),
    wording(
        Say.MODEL_LOADED,
        "oading took",
        rf"Model loading took (?P<gib>[\d.]+) GiB(?: memory)?(?: and {NUMBER} seconds)?",
    ),
    wording(Say.RELOADING, "eloading weights", r"Reloading weights"),
)

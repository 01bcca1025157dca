"""
From the first touch of the model until its weights are in place.

Not every loader prints `Loading weights took` (Run:ai's, tensorizer's, GGUF's do
not), and the CPU runner never prints `Model loading took`. `Loading model weights
took N GB` of 0.6-0.9 is memory, not time, and Gaudi's `took N GiB` too.
"""

from firstlight.readers.wordings.wording import DECIMAL, SECONDS, WHOLE_2, WHOLE_6, Say, wording

WEIGHTS = (
    wording(Say.LOAD_BEGINS, "tarting to load", r"Starting to load model (?P<model>.{0,300})"),
    wording(Say.LOAD_BEGINS, "from scratch", r"Loading model from scratch"),
    wording(Say.LOAD_BEGINS, "MODEL_IMPL_TYPE", r"Loading model with MODEL_IMPL_TYPE"),
    wording(
        Say.ATTENTION_BACKEND,
        " backend",
        r"Using (?!sleep-mode|MoRIIO|OOT|custom|default|flashinfer allreduce|Ray)"
        r"\S+(?: \S+)? (?:attention )?backend\b",
    ),
    wording(Say.ATTENTION_BACKEND, "AttentionBackend", r"Using AttentionBackendEnum\.\w+ for"),
    wording(Say.MODULES_MADE, "Initializing model took", rf"Initializing model took {WHOLE_6}"),
    wording(
        Say.DOWNLOADED, "downloading weights", rf"Time spent downloading weights for .+: {WHOLE_6}"
    ),
    wording(
        Say.CHECKPOINT,
        "Checkpoint size",
        r"(?:Filesystem type for checkpoints: (?P<filesystem>.+?)\. )?"
        rf"Checkpoint size: (?P<gib>{DECIMAL}) GiB",
    ),
    wording(
        Say.PREFETCHED,
        "refetching checkpoint",
        rf"Prefetching checkpoint files into page cache .*finished in {SECONDS}",
    ),
    wording(Say.DESERIALIZED, "Deserialized", rf"Deserialized .+? in {SECONDS}, "),
    wording(
        Say.SHARDS_BAR,
        "oading ",
        r"(?:Multi-thread l|L)oading (?:\w+ )*(?:shards|Streamer|loader): +(?P<percent>\d+)%",
    ),
    wording(
        Say.STREAMED,
        "verall time to stream",
        rf"(?:RunAI Streamer: )?Overall time to stream (?P<size>{DECIMAL}) (?P<unit>[KMGT]i?B)"
        rf"(?: of all files)?(?: to [\w:]+?)?: {SECONDS}",
    ),
    wording(Say.WEIGHTS_TOOK, "weights took", rf"Loading weights took {WHOLE_2}"),
    wording(
        # `ipc_cache`, 0.30 and later: the weights are another process's, and stay there.
        Say.WEIGHTS_MAPPED,
        "weight cache daemon",
        r"Mapped (?P<tensors>\d{1,9}) tensors from the weight cache daemon",
    ),
    wording(
        Say.QUANTIZED,
        "nline quantization",
        rf"Online quantization as part of model loading took {SECONDS}",
    ),
    wording(Say.DRAFTER_BEGINS, "drafter model", r"Loading drafter model"),
    wording(
        Say.MODEL_LOADED,
        "oading took",
        rf"Model loading took (?P<gib>{DECIMAL}) GiB\b(?: memory)?(?: and {WHOLE_6})?",
    ),
    wording(Say.RELOADING, "eloading ", r"Reloading (?:and processing )?weights\b"),
)

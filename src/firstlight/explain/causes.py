"""
Causes of a failed start that are known by their wording, each with what to do.

The wordings are vLLM's (0.6-0.33), torch's, the Hugging Face hub's and argparse's. The
first that fits an exception's text is its kind, so the narrower stand first.
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """A cause known by its wording."""

    kind: str
    pattern: re.Pattern[str]
    remedy: str


def _cause(kind: str, pattern: str, remedy: str) -> Cause:
    return Cause(kind=kind, pattern=re.compile(pattern), remedy=remedy)


CAUSES = (
    _cause(
        "gpu_memory_taken",
        r"Free memory on device .{0,200} less than "
        r"(?:desired GPU memory utilization|the engine's budget)"
        r"|exceed the desired GPU memory utilization|Error in memory profiling",
        "another process holds the GPU's memory: end it, or lower --gpu-memory-utilization "
        "below the free share that the line states",
    ),
    _cause(
        "kv_cache_too_small",
        r"To serve at least one request with the model|No available memory for the cache blocks"
        r"|Cannot auto-fit max_model_len|number of tokens that can be stored in KV cache",
        "lower --max-model-len, or raise --gpu-memory-utilization if memory is left",
    ),
    _cause(
        "out_of_gpu_memory",
        r"OutOfMemoryError|CUDA out of memory|HIP out of memory|not enough GPU memory"
        r"|CUDA error: out of memory",
        "lower --gpu-memory-utilization, --max-model-len or --max-num-seqs, or use more "
        "or larger GPUs",
    ),
    _cause(
        "out_of_host_memory",
        r"Available memory on node .{0,200} less than|MemoryError|Cannot allocate memory",
        "give the pod more memory, or lower VLLM_CPU_KVCACHE_SPACE on a CPU engine",
    ),
    _cause(
        "weights_missing",
        r"Cannot find any (?:\w+ )?model weights|weights were not initialized from checkpoint"
        r"|SafetensorError|Error while deserializing header",
        "check that the model folder holds all shards of the checkpoint, undamaged",
    ),
    _cause(
        "model_not_found",
        r"is not a local folder and is not a valid model identifier|RepositoryNotFound"
        r"|HFValidationError|GatedRepo|gated repo|couldn't connect to|LocalEntryNotFoundError"
        r"|OfflineModeIsEnabled|does not appear to have a file named|EntryNotFoundError"
        r"|Invalid repository ID or local directory|Cannot find the requested files",
        "check the model's path or name and, for a gated one, the token; with "
        "HF_HUB_OFFLINE=1 the model must be local",
    ),
    _cause(
        "model_unsupported",
        r"Model architectures? .{0,300} (?:are|is) not supported"
        r"|does not recognize this architecture",
        "this vLLM or its transformers is older than the model, or never had it: use a version "
        "whose list of supported models names it",
    ),
    _cause(
        "port_taken",
        r"[Aa]ddress already in use",
        "another program listens on this port: choose another --port",
    ),
    _cause(
        "wrong_argument",
        r"unrecognized arguments|invalid choice|the following arguments are"
        r"|you should provide the model|: error: ",
        "this vLLM does not take the argument so: see `vllm serve --help` of this version",
    ),
    _cause(
        "main_guard_missing",
        r"An attempt has been made to start a new process",
        "the script that starts vLLM is run again by each spawned process: put its start under "
        '`if __name__ == "__main__":`',
    ),
    _cause(
        "no_device",
        r"No CUDA GPUs are available|Failed to infer device type|driver version is insufficient"
        r"|no kernel image is available|found no NVIDIA driver|libcuda\.so",
        "the container sees no GPU that this build can use: check the GPU request, the driver "
        "and the image's CUDA version",
    ),
    _cause(
        "module_missing",
        r"ModuleNotFoundError|ImportError|cannot open shared object file|Failed to find C compiler"
        r"|InvalidCxxCompiler|No such file or directory: '(?:ninja|nvcc)'",
        "the image lacks a package, library or compiler that this configuration needs",
    ),
    _cause(
        "ranks_disconnected",
        r"NCCL error|DistBackendError|DistNetworkError|Connection closed by peer",
        "ranks cannot talk to each other: set NCCL_DEBUG=INFO, and look for the rank that "
        "failed first and for the network between them",
    ),
    _cause(
        "timed_out",
        r"Timed out waiting for (?:engine core|engines to send)",
        "raise VLLM_ENGINE_READY_TIMEOUT_S, or look for what the engine was doing",
    ),
)

KILLED = _cause(
    "killed",
    r"",
    "a process was ended from outside, most often by the kernel for memory: compare the pod's "
    "memory limit with what the start needs (`kubectl describe pod`: OOMKilled; `dmesg`)",
)
CRASHED = _cause(
    "crashed",
    r"",
    "native code crashed: look for a mismatch of driver, CUDA and image, and for Xid errors of "
    "the GPU; PYTHONFAULTHANDLER=1 shows where",
)


def known(text: str) -> Cause | None:
    """The cause whose wording is in the text; None for an exception nobody knows here."""
    return next((c for c in CAUSES if c.pattern.search(text)), None)

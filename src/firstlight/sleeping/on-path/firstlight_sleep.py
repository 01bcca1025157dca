"""
A worker of vLLM on a CPU that really sleeps.

vLLM on a CPU answers the calls to sleep and to wake up, pauses its scheduler, says how long
both took, and gives no memory back. This worker does what the calls mean. Asleep, its weights
lie in a file and their pages and those of the KV cache belong to the system again; awake, the
weights are where they were, so what points at them stays right, and the KV cache is zeros.

    VLLM_SERVER_DEV_MODE=1 PYTHONPATH=THIS_FOLDER vllm serve MODEL --host 127.0.0.1 \
        --worker-cls firstlight_sleep.SleepingWorker

Without --enable-sleep-mode, which vLLM refuses on a CPU. It was made for, and is tried with,
vLLM 0.32.

level 1   weights and buffers are written to the file, then all pages are given back
level 2   as on a card: buffers are written, weights are dropped. A wake-up brings the buffers
          back and leaves the weights zeros, so the engine answers nonsense until they are
          loaded again: wake the tag weights, call reload_weights, wake the tag kv_cache. To
          load them is vLLM's part, from the files that it was started with; nothing here
          reads a checkpoint.
tags      `weights` is read back when it is asked for; `kv_cache` needs no work, for the system
          gives its pages when they are touched

The file is in FIRSTLIGHT_SLEEP_DIR, or where temporary files go. It has no name and mode
0600, so it goes with the process, however that ends. It is on the disk before any page is
given back: where it cannot be written, the sleep fails and the engine has lost nothing. In a
folder in memory (tmpfs) it takes memory, as level 1 does on the host of a card.

As a stand-in for sleep mode on a card it shows the calls, their order and their failures in a
real engine, requests that wait, tokens that are the same afterwards, memory that goes and
comes. It cannot show the memory of a card, pinned host memory and the way between them, CuMem's
pools, captured graphs, more than one card. Its seconds are those of a file that is read, mostly
from the page cache: no figure of a card follows from them. And vLLM usually packs the weights
of linear layers for a CPU, into memory that no tensor names. That is switched off here, since
what nobody can name nobody can give back, so tokens come more slowly than without the worker.
"""

import ctypes
import mmap
import os
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import torch
from vllm import _custom_ops
from vllm.logger import init_logger
from vllm.model_executor.layers import utils as layers
from vllm.utils.mem_utils import format_gib
from vllm.v1.worker.cpu_worker import CPUWorker

FOLDER = "FIRSTLIGHT_SLEEP_DIR"
DISCARDS = 2
# A name below `vllm`, or its handlers do not print it.
logger = init_logger("vllm.firstlight_sleep")
libc = ctypes.CDLL(None, use_errno=True)
libc.madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """The memory of one storage."""

    address: int
    size: int

    def bytes(self) -> memoryview:
        """Its bytes, in place."""
        return memoryview((ctypes.c_char * self.size).from_address(self.address)).cast("B")

    def give_back(self) -> None:
        """Its whole pages to the system; they are zeros when they are next touched."""
        begin = -(-self.address // mmap.PAGESIZE) * mmap.PAGESIZE
        end = (self.address + self.size) // mmap.PAGESIZE * mmap.PAGESIZE
        if end > begin and libc.madvise(begin, end - begin, mmap.MADV_DONTNEED):
            number = ctypes.get_errno()
            raise OSError(number, f"pages cannot be given back: {os.strerror(number)}")


def memory_of(tensors: Iterable[torch.Tensor]) -> set[Memory]:
    """Each storage once, however many tensors are tied to it."""
    storages = [t.untyped_storage() for t in tensors]
    return {Memory(address=s.data_ptr(), size=s.nbytes()) for s in storages if s.nbytes()}


class Kept:
    """What was written of an engine that sleeps."""

    def __init__(self, memory: Iterable[Memory]) -> None:
        """
        Write it.

        Raises:
            OSError: there is no place for it.
        """
        self.memory = sorted(memory, key=lambda one: one.address)
        self.file = tempfile.TemporaryFile(dir=os.environ.get(FOLDER))  # noqa: SIM115
        try:
            for one in self.memory:
                self.file.write(one.bytes())
            self.file.flush()
            os.fsync(self.file.fileno())
        except OSError:
            self.file.close()
            raise

    def read_back(self) -> None:
        """
        Put it where it was; then the file goes.

        Raises:
            OSError: the file is not whole.
        """
        self.file.seek(0)
        for one in self.memory:
            if self.file.readinto(one.bytes()) != one.size:
                raise OSError("the file with the weights is shorter than it was")
        self.file.close()


class SleepingWorker(CPUWorker):
    """One that gives its memory back while it sleeps."""

    def __init__(self, *given: Any, **named: Any) -> None:
        leave_weights_unpacked()
        super().__init__(*given, **named)
        self.kept: Kept | None = None

    def sleep(self, level: int = 1) -> None:
        """
        Write what is to be kept, then give everything back.

        Raises:
            RuntimeError: its weights are packed, or cannot be written; nothing was given back.
            OSError: pages cannot be given back; what was kept is read back first.
        """
        model = self.model_runner.model
        refuse_packed(model)
        buffers = memory_of(model.buffers())
        weights = memory_of(model.parameters()) - buffers
        before = resident()
        try:
            kept = Kept(buffers if level == DISCARDS else buffers | weights)
        except OSError as full:
            place = os.environ.get(FOLDER) or tempfile.gettempdir()
            raise RuntimeError(
                f"the weights cannot be written to {place} ({full.strerror or full}), "
                "so nothing was given back"
            ) from full
        try:
            for one in chain(memory_of(self.kv_tensors()), buffers, weights):
                one.give_back()
        except OSError:
            kept.read_back()
            raise
        self.kept = kept
        logger.info(
            "Sleep mode freed %s GiB memory, %s GiB memory is still in use.",
            format_gib(max(before - resident(), 0)),
            format_gib(resident()),
        )

    def wake_up(self, tags: list[str] | None = None) -> None:
        """
        Read back what was kept; the KV cache comes by itself.

        Raises:
            OSError: what was kept is not whole; another try fails as well.
        """
        if self.kept is not None and (tags is None or "weights" in tags):
            self.kept.read_back()
            # Only now: a wake-up that failed must fail again, not leave zeros for weights.
            self.kept = None

    def discard(self, tags: Sequence[str]) -> None:
        """
        Give the KV cache back while the weights stay.

        Raises:
            RuntimeError: something else is named.
            OSError: its pages cannot be given back.
        """
        if set(tags) - {"kv_cache"}:
            raise RuntimeError(f"of {', '.join(tags)} only kv_cache can be discarded")
        for one in memory_of(self.kv_tensors()):
            one.give_back()

    def kv_tensors(self) -> list[torch.Tensor]:
        """Of all layers; some keep several."""
        return [
            tensor
            for cache in self.model_runner.kv_caches
            for tensor in (cache if isinstance(cache, list | tuple) else [cache])
        ]


def leave_weights_unpacked() -> None:
    """Both ways in which vLLM 0.32 packs the weights of linear layers, switched off."""
    _custom_ops._supports_onednn = False  # noqa: SLF001
    layers.check_cpu_sgl_kernel = lambda *_: False


def refuse_packed(model: torch.nn.Module) -> None:
    """
    An engine whose weights are where nobody can name them does not sleep.

    Raises:
        RuntimeError: it is one.
    """
    packed = [
        name
        for name, module in model.named_modules()
        if hasattr(module, "cpu_linear") and not module.weight.numel()
    ]
    if packed:
        raise RuntimeError(f"the weights of {packed[0]} are packed, so they cannot be given back")


def resident() -> int:
    """How much of this process is in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * mmap.PAGESIZE

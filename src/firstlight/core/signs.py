"""
Signs: what a start can show of a technique at work.

A technique that was configured is not one that took effect: a cache is mounted and not
used, an image was pulled beforehand and is pulled again. So a start is searched for signs,
each a place in an artefact with its words, and the technique's card says what each means.
None of them is ever concluded from seconds alone; the one that needs seconds, a pull that
was raced, needs a rate that was measured and the bytes as well.
"""

from collections.abc import Mapping
from enum import StrEnum

from firstlight.core.evidence import Evidence


class Sign(StrEnum):
    """The name of a sign, as cards use it."""

    WEIGHTS_STREAMED = "weights-streamed"
    """The streamer's own line or progress, of a model that is in a bucket."""
    WEIGHTS_FROM_FILES = "weights-from-files"
    """It read files of a file system: shard progress, or a streamer over a folder."""
    WEIGHTS_MOUNTED = "weights-mounted"
    """The engine's line that names a FUSE file system for its checkpoint (0.20 and later)."""
    WEIGHTS_SHARED = "weights-shared"
    """It took weights that another process holds in the accelerator."""
    CACHE_HIT = "cache-hit"
    CACHE_MISSED = "cache-missed"
    """It compiled: verdict `fill`, `miss` or `broken`."""
    CACHE_RESTORED = "cache-restored"
    """An initContainer that brings the published cache ended well, and said that it did."""
    CACHE_NOT_RESTORED = "cache-not-restored"
    """It said that it did not, and why."""
    IMAGE_PRESENT = "image-present"
    """`already present on machine`, for the first container of the pod with this image, on a
    node that was made for it: on any other an earlier pod may have brought it."""
    IMAGE_PULLED = "image-pulled"
    """A whole pull, as far as anything tells; also where another container of the pod, run
    before the engine, pulled the engine's image for both."""
    IMAGE_RACED = "image-raced"
    """Pulled in less time than its bytes take at a rate that was measured elsewhere."""
    IMAGE_OTHER = "image-other"
    """What was pulled beforehand is not what the pod runs."""
    NODE_WAS_THERE = "node-was-there"
    """The pod was bound to a node that is older than it."""
    NODE_WAS_MADE = "node-was-made"
    WOKE = "woke"
    PLAN_APPLIED = "plan-applied"
    PLAN_NOT_APPLIED = "plan-not-applied"
    """It says that it did not, or that it saved one for the next start."""
    WORKER_FORKED = "worker-forked"
    WORKER_SPAWNED = "worker-spawned"
    BYTECODE_READ = "bytecode-read"
    """The probe saw modules loaded from bytecode, and none compiled from source."""
    BYTECODE_MADE = "bytecode-made"
    CAPTURE_LIMITED = "capture-limited"
    """Fewer graph sizes captured than the engine's default: its own line says how many."""


OF_COMPILE_CACHE = frozenset({Sign.CACHE_HIT, Sign.CACHE_MISSED})
"""A technique that is proven by one of these is about the compile cache."""

Signs = Mapping[Sign, tuple[Evidence, ...]]
"""The signs that a start shows, each with where."""

RESTORES_CACHE = "restore-compile-cache"
"""How the initContainer is called that brings the published compile cache."""
RESTORED = "firstlight: compile cache restored"
"""How its last line begins; the technique's card writes it, and readers look for it."""
NOT_RESTORED = "firstlight: compile cache not restored"

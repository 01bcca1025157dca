"""
Signs of techniques at work, in what an engine said.

Each is a line with its words. Where the weights came from is told by two: that they were
streamed, and that the model is in a bucket; a streamer may read a mounted folder as well.
What the cluster and the probe show is gathered beside this, in `pod.signs` and
`probe_signs`; what a sign means for a technique is for its card to say.
"""

import re
from collections.abc import Iterable, Mapping

from firstlight.core.evidence import Evidence
from firstlight.core.signs import Sign, Signs
from firstlight.core.starts import CacheVerdict, CompileCache
from firstlight.explain.capture_limit import limited_capture
from firstlight.explain.group import Group
from firstlight.readers.vllm_log import Observation
from firstlight.readers.wordings.wording import Say

_BUCKET = re.compile(r"\b(?:s3|gs|az)://|/model_streamer/")
"""A model in a bucket, or where vLLM puts the small files of one."""
_NAMES_MODEL = ("config", "model", "arguments")
_COMPILED = (CacheVerdict.FILL, CacheVerdict.MISS, CacheVerdict.BROKEN)
_PLAIN: Mapping[Sign, tuple[Say, ...]] = {
    Sign.WEIGHTS_SHARED: (Say.WEIGHTS_MAPPED,),
    Sign.PLAN_APPLIED: (Say.PLAN_APPLIED,),
    Sign.PLAN_NOT_APPLIED: (Say.PLAN_NOT_APPLIED, Say.PLAN_SAVED),
    Sign.WORKER_SPAWNED: (Say.SPAWN_FORCED,),
}
"""Signs that a line is by itself."""


def log_signs(group: Group, cache: CompileCache) -> Signs:
    """
    What the engine's own words show.

    Args:
        group: what it said.
        cache: the verdict on its compile cache, whoever proved it.
    """
    found: dict[Sign, tuple[Evidence, ...]] = {}
    for sign, says in _PLAIN.items():
        if said := group.first(*says):
            found[sign] = (group.quote(said.line),)
    found |= _weights(group)
    found |= _mounted(group)
    found |= _cache(cache)
    found |= _sleep(group)
    if limited := limited_capture(group):
        found[Sign.CAPTURE_LIMITED] = limited
    return found


def merged(parts: Iterable[Signs]) -> Signs:
    """The signs of several witnesses together."""
    found: dict[Sign, tuple[Evidence, ...]] = {}
    for part in parts:
        for sign, evidence in part.items():
            found[sign] = (*found.get(sign, ()), *evidence)
    return found


def _weights(group: Group) -> Signs:
    bars = group.says(Say.SHARDS_BAR)
    streamed = group.last(Say.STREAMED)
    streamer = streamed or next((o for o in bars if "Streamer" in o.line.message), None)
    if streamer is None:
        files = (bars or group.says(Say.WEIGHTS_TOOK))[-1:]
        return {Sign.WEIGHTS_FROM_FILES: _quoted(group, files)} if files else {}
    named = [o for o in group.observations if any(o.values.get(v) for v in _NAMES_MODEL)]
    from_bucket = next((o for o in named if _BUCKET.search(o.line.message)), None)
    if from_bucket is not None:
        return {Sign.WEIGHTS_STREAMED: _quoted(group, [streamer, from_bucket])}
    # What was downloaded first is read from a disk, also by a streamer.
    elsewhere = named[-1:] or group.says(Say.DOWNLOADED)[:1]
    if elsewhere:
        return {Sign.WEIGHTS_FROM_FILES: _quoted(group, [streamer, *elsewhere])}
    # Where the model is named nowhere, the line with the GiB stands for itself; a bar does not.
    return {Sign.WEIGHTS_STREAMED: _quoted(group, [streamed])} if streamed else {}


def _mounted(group: Group) -> Signs:
    """The kind of file system as the kernel calls it: `fuse`, or `fuse.` and a program."""
    named = group.says(Say.CHECKPOINT)
    told = [o for o in named if o.values.get("filesystem", "").upper().startswith("FUSE")]
    return {Sign.WEIGHTS_MOUNTED: _quoted(group, told[:1])} if told else {}


def _cache(cache: CompileCache) -> Signs:
    if not cache.evidence:
        return {}
    if cache.verdict is CacheVerdict.HIT:
        return {Sign.CACHE_HIT: cache.evidence}
    return {Sign.CACHE_MISSED: cache.evidence} if cache.verdict in _COMPILED else {}


def _sleep(group: Group) -> Signs:
    """Waking, but for an engine that says that it ignores orders to sleep."""
    if group.first(Say.SLEEP_IGNORED):
        return {}
    woke = group.says(Say.AWAKE)[:1]
    return {Sign.WOKE: _quoted(group, woke)} if woke else {}


def _quoted(group: Group, said: Iterable[Observation]) -> tuple[Evidence, ...]:
    return tuple(group.quote(o.line) for o in said)

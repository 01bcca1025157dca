"""
The crash loop of sleep mode beside a high memory utilisation.

With the sleep allocator the engine's accounting goes wrong: memory outside torch comes
out negative, the KV cache is planned over the budget, and the start dies after minutes,
again and again. The engine names neither sleep mode nor the way out.
"""

import re

from firstlight.core.findings import Finding
from firstlight.core.starts import Failure
from firstlight.explain.group import Group
from firstlight.readers.wordings.wording import DECIMAL, Say

_NON_TORCH = re.compile(rf"(-{DECIMAL}) GiB for non-torch")
_PROPOSED = re.compile(r"`--kv-cache-memory(?:-bytes)?=(\d{1,20})`")
_NEEDS = re.compile(
    rf"({DECIMAL}) GiB KV cache is needed, which is larger than the available KV cache memory "
    rf"\(({DECIMAL}) GiB"
)


def sleep_mode_memory(group: Group) -> tuple[Failure, tuple[Finding, ...]] | None:
    """The failure and its remedy, where the log shows this loop; None where it does not.

    Args:
        group: one start's observations; that it failed is known already.
    """
    advice = group.last(Say.MEMORY_ADVICE)
    negative = advice and _NON_TORCH.search(advice.values.get("rest", ""))
    over = next(
        ((o, found) for o in group.says(Say.EXCEPTION) if (found := _NEEDS.search(o.line.message))),
        None,
    )
    if not (negative or (_may_sleep(group) and over)):
        return None
    by = advice if negative and advice else over[0] if over else None
    if by is None:
        return None
    said = []
    if negative:
        said.append(f"memory outside torch comes out negative ({negative.group(1)} GiB)")
    if over:
        said.append(f"the KV cache needs {over[1].group(1)} of {over[1].group(2)} GiB")
    proposed = _PROPOSED.search(advice.values.get("rest", "")) if advice else None
    fixed = (
        f"--kv-cache-memory-bytes {proposed.group(1)}" if proposed else "--kv-cache-memory-bytes"
    )
    what = "sleep mode makes the engine plan memory it does not have: " + ", ".join(said)
    evidence = tuple(
        group.quote(o.line) for o in (by, over[0] if over and over[0] is not by else None) if o
    )
    finding = Finding(
        code="sleep-mode-memory",
        where=f"{group.artefact}:{by.line.number}",
        what=what,
        remedy=f"set --gpu-memory-utilization 0.85, or {fixed}"
        + (" (the value vLLM printed)" if proposed else ""),
        evidence=evidence,
    )
    return Failure(kind="sleep_mode_memory", message=what, evidence=evidence), (finding,)


def _may_sleep(group: Group) -> bool:
    return bool(group.first(Say.SLEEP_ENABLED)) or any(
        "'enable_sleep_mode': True" in o.values.get("arguments", "")
        or "enable_sleep_mode=True" in o.values.get("arguments", "")
        or "enable_sleep_mode=True" in o.values.get("config", "")
        for o in group.says(Say.ARGUMENTS, Say.ENGINE_BEGINS)
    )

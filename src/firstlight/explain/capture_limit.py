"""
Whether an engine captured fewer graphs than it would have by itself.

By default it captures batch sizes 1, 2, 4, then every eighth up to 256 and every
sixteenth up to the largest, which is twice the most requests at a time, and 512 at most
(0.10 and later). An argument that asks for fewer is a wish; the progress of the capture
says how many it really took. Both together are the sign.
"""

import re

from firstlight.core.evidence import Evidence
from firstlight.explain.group import Group
from firstlight.readers.vllm_log import Observation
from firstlight.readers.wordings.wording import Say

_LARGEST = re.compile(r"'max_cudagraph_capture_size': (\d{1,6})\b")
_SIZES = re.compile(r"'(?:cudagraph_capture_sizes|cuda_graph_sizes)': \[([\d, ]{1,4000})\]")
_REQUESTS = re.compile(r"'max_num_seqs': (\d{1,6})\b")
_DEFAULT_LARGEST = 512


def limited_capture(group: Group) -> tuple[Evidence, ...] | None:
    """The wish and how many were captured; None where they do not show a limit."""
    wish = next((o for o in group.says(Say.ARGUMENTS) if _wished(o) is not None), None)
    bars = [o for o in group.says(Say.CAPTURE_BAR) if "all" in o.values]
    if wish is None or not bars:
        return None
    largest = max(bars, key=lambda o: int(o.values["all"]))
    usual = _usual(wish)
    if (_wished(wish) or 0) >= usual or int(largest.values["all"]) >= usual:
        return None
    return group.quote(wish.line), group.quote(largest.line)


def _wished(arguments: Observation) -> int | None:
    """How many sizes the arguments ask for; None where they do not say."""
    text = arguments.line.message
    if sizes := _SIZES.search(text):
        return len([word for word in sizes[1].split(",") if word.strip()])
    found = _LARGEST.search(text)
    return _count_up_to(int(found[1])) if found else None


def _usual(arguments: Observation) -> int:
    """How many sizes the engine would take if nobody asked for fewer."""
    requests = _REQUESTS.search(arguments.line.message)
    most = 2 * int(requests[1]) if requests else _DEFAULT_LARGEST
    return _count_up_to(min(most, _DEFAULT_LARGEST))


def _count_up_to(largest: int) -> int:
    sizes = [1, 2, 4, *range(8, 256, 8), *range(256, largest + 1, 16)]
    return sum(size <= largest for size in sizes)

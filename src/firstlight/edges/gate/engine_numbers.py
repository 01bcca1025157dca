"""
What an engine counts: how many tokens it gave, and how deep it sleeps.

Both are on its page of metrics, in Prometheus' form, among much that is of no use here. An engine
of several cores says each of them for each core.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from prometheus_client.parser import text_string_to_metric_families

DISCARDS = 2
"""The level of a sleep that keeps no weights."""
_SLEEP_STATE = "vllm:engine_sleep_state"
_TOKENS = "vllm:generation_tokens_total"
_LEVELS = {"weights_offloaded": 1, "discard_all": DISCARDS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """What an engine's own numbers say, as far as it has them."""

    tokens: float | None = None
    """All that it ever generated."""
    level: int | None = None
    """Of the sleep that it is in; None where it is awake too."""


def counted(metrics: bytes) -> Counted:
    """
    What an engine's page of numbers says of tokens and sleep.

    Args:
        metrics: the page; what is not in it, or is no such page, is not known.
    """
    wanted = (_TOKENS, _SLEEP_STATE)
    lines = metrics.decode("utf-8", "replace").splitlines()
    few = "\n".join(line for line in lines if line.startswith(wanted))
    tokens: list[float] = []
    levels: list[int] = []
    for name, labels, value in _samples(few):
        if name == _TOKENS:
            tokens.append(value)
        elif value > 0 and (level := _LEVELS.get(labels.get("sleep_state", ""))):
            levels.append(level)
    return Counted(tokens=sum(tokens) if tokens else None, level=max(levels, default=None))


def _samples(lines: str) -> Iterator[tuple[str, Mapping[str, str], float]]:
    try:
        for family in text_string_to_metric_families(f"{lines}\n"):
            for sample in family.samples:
                yield sample.name, sample.labels, sample.value
    except ValueError:
        # No page of numbers after all.
        return

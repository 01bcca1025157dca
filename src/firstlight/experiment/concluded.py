"""
What a comparison comes to for a step, when its effect and its answers are held beside it.

Seconds alone do not say that a technique is worth having: where it did not take effect nothing
of them is its own, and an engine that says something else afterwards is not the same engine. So
the sentence that carries the verdict carries both.
"""

from collections.abc import Mapping
from typing import Any

from firstlight.compare.verdict import Verdict
from firstlight.experiment.answering import unanswered


def concluded(
    against: Mapping[str, Any], *, off: bool, serving: Mapping[str, Any] | None
) -> dict[str, Any]:
    """
    The comparison's document with the verdict on the step.

    Args:
        against: the comparison with the step before.
        off: whether its technique did not take effect.
        serving: its serving check; None where it was not asked.
    """
    words = [_words(against), _served(serving)]
    if off:
        words.insert(0, f"{Verdict.NOT_APPLIED}, so nothing of this is the technique's")
    return {
        **against,
        "not_applied": off,
        "verdict_on_step": Verdict.NOT_APPLIED.value if off else against["verdict"],
        "verdict_words": "; ".join(word for word in words if word),
    }


def _words(against: Mapping[str, Any]) -> str:
    """The verdicts on what was fixed beforehand."""
    if against["against"]:
        return f"{Verdict.NOT_COMPARABLE}: {'; '.join(against['against'])}"
    words = [_metric(metric) for metric in against["metrics"] if metric["claimed"]]
    return "; ".join(filter(None, [*words, against["not_in_turn"]]))


def _metric(metric: Mapping[str, Any]) -> str:
    words = f"{metric['name']} {metric['verdict']}"
    if metric["low_s"] is None:
        return words
    return (
        f"{words} ({metric['difference_s']:+.2f} s, {metric['low_s']:+.2f} to "
        f"{metric['high_s']:+.2f} s)"
    )


def _served(serving: Mapping[str, Any] | None) -> str:
    """What the engine answers, where that is not what the baseline answers."""
    if serving is None or not serving["otherwise"]:
        return ""
    if serving["problems"]:
        return unanswered(serving)
    if serving["same_text"] is False:
        return "it says SOMETHING ELSE than the baseline"
    return (
        f"only {serving['lowest_agreement']:.0%} of its tokens agree with the baseline, whose own "
        f"rounds agree in {serving['baseline_agreement']:.0%}"
    )

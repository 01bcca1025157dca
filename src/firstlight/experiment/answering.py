"""
What the engines of a step answered over its rounds, and whether that is what the baseline answers.

An engine that leaves something unanswered that the baseline answered is not the same engine,
in however few of its rounds: a first token, a request of the serving check. Where the baseline
itself never answers there is nothing to fall short of, and nobody is held against it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from firstlight.experiment.serving import Served, reference, told

_FIRST_TOKEN = 1


def answering(
    rounds: Sequence[Served | None], baseline: Sequence[Served | None]
) -> dict[str, Any] | None:
    """
    The serving check of a step in one scenario, for the document.

    Args:
        rounds: of the step, those that count; None where no more than a token was asked for.
        baseline: the same of the baseline.

    Returns:
        None where nothing is known but that each gave its token.
    """
    asked = [one for one in rounds if one is not None]
    if not asked:
        return None
    held = reference([one for one in baseline if one is not None])
    each = [told(one, held) for one in asked]
    found = {
        "rounds": len(rounds),
        "ttft_s": _middle([one["ttft_s"] for one in each]),
        "e2e_s": _middle([one["e2e_s"] for one in each]),
        "baseline_is_steady": held.is_steady if held else None,
        "baseline_agreement": round(held.lowest_agreement, 4) if held else None,
        "same_text": _all([one["same_text"] for one in each]),
        "lowest_agreement": min(
            (a for one in each if (a := one["agreement"]) is not None), default=None
        ),
        "problems": [one["problem"] for one in each if one["problem"]],
        "answers_nothing": not any(_answered(one) for one in rounds),
    }
    return {**found, "otherwise": _falls_short(asked, baseline) or _says_otherwise(found)}


def unanswered(found: Mapping[str, Any]) -> str:
    """In how many rounds a request was not answered, and what came instead."""
    problems, n = found["problems"], found["rounds"]
    which = f"{len(problems)} of {n} round{'' if n == 1 else 's'}"
    return f"a request was not answered in {which}: {problems[0]}"


def _falls_short(asked: Sequence[Served], baseline: Sequence[Served | None]) -> bool:
    """Whether one left something unanswered that the baseline answered, or might have."""
    most = max((_answered(one) for one in baseline), default=None)
    return any(one.problem and (most is None or _answered(one) < most) for one in asked)


def _answered(served: Served | None) -> int:
    """How much it answered, its first token among that."""
    if served is None:
        return _FIRST_TOKEN
    if served.no_token is not None:
        return 0
    return _FIRST_TOKEN + sum(one.problem is None for one in served.requests)


def _says_otherwise(found: Mapping[str, Any]) -> bool:
    """
    Whether its answers are others.

    Where the baseline does not repeat itself nobody can be asked for the same text, but a step
    that agrees with it in fewer tokens than its own rounds do is another matter.
    """
    if found["same_text"] is not None:
        return not found["same_text"]
    own, agrees = found["baseline_agreement"], found["lowest_agreement"]
    return None not in (own, agrees) and agrees < own


def _middle(values: Sequence[float | None]) -> float | None:
    known = sorted(value for value in values if value is not None)
    return known[(len(known) - 1) // 2] if known else None


def _all(values: Sequence[bool | None]) -> bool | None:
    """None where nobody may ask for it."""
    known = [value for value in values if value is not None]
    return all(known) if known else None

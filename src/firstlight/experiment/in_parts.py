"""
Which rounds are told with the parts of their phases.

One start has hundreds of parts, and a run hundreds of starts: nobody reads them all. The round
in the middle of each step stands for it. The parts of any other, one that lies far out too, are
in its folder, for `explain`.
"""

from collections.abc import Sequence

from firstlight.experiment.rounds import Round, results
from firstlight.experiment.step import Step


def in_parts(steps: Sequence[Step], scenarios: Sequence[str], rounds: Sequence[Round]) -> set[int]:
    """
    Their places in time.

    Args:
        steps: of the run.
        scenarios: of the run.
        rounds: all tries of all rounds.
    """
    return {
        order
        for step in steps
        for scenario in scenarios
        for order in _of_set(results(rounds, step.number, scenario))
    }


def _of_set(counted: Sequence[Round]) -> set[int]:
    """The lower median; nothing of nothing."""
    lengths = sorted((r.total_ns or 0, r.order) for r in counted)
    return {order for _, order in lengths[(len(lengths) - 1) // 2 :][:1]}

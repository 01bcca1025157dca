"""
Which rounds are told with the parts of their phases.

One start has hundreds of parts, and a run hundreds of starts: nobody reads them all. The round
that stands for a step (`middle`) is told with them. The parts of any other, one that lies far
out too, are in its folder, for `explain`.
"""

from collections.abc import Sequence

from firstlight.experiment.middle import middle
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
    stand_for = (
        middle(results(rounds, step.number, scenario)) for step in steps for scenario in scenarios
    )
    return {one.order for one in stand_for if one is not None}

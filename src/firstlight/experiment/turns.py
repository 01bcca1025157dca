"""
Whether the rounds of two steps took turns.

A machine that grows slow slows neighbours alike, so a change is told from time only by rounds that
ran next to each other. The nth rounds of two steps are a pair, and a pair took turns where no
other round of the two lies between them; what other steps ran there does not matter. A step that
was added when the others were done has no such pair, and one round more does not mend that.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from firstlight.compare.sets import RoundSet
from firstlight.compare.verdict import FEWEST
from firstlight.experiment.schedule import Purpose, Slot
from firstlight.experiment.step import Step


@dataclass(frozen=True, slots=True, kw_only=True)
class Turns:
    """Of two steps, in one scenario."""

    names: tuple[str, str]
    pairs: int
    """How many there are: as many as the step with fewer rounds has rounds that count."""
    taken: int
    """How many of them took turns."""

    @property
    def are_most(self) -> bool:
        """Whether so many pairs took turns that what differs may be called the change's."""
        return 2 * self.taken > self.pairs

    @property
    def said(self) -> str | None:
        """What has to be said beside the numbers; None where all pairs took turns."""
        missing = self.pairs - self.taken
        if self.pairs == 1 or not missing:
            return None
        one, two = self.names
        return (
            f"{missing} of {self.pairs} pairs of rounds of {one} and {two} did not take turns: "
            "whatever else changed between them is in the difference"
        )


def turns(first: RoundSet, second: RoundSet) -> Turns:
    """
    How the rounds of two steps lie in the order of the run.

    Args:
        first: one step's rounds, with their order.
        second: the other's.
    """
    one, two = (_in_order(side) for side in (first, second))
    place = {order: at for at, order in enumerate(sorted({*one, *two}))}
    counted = {r.order for side in (first, second) for r in side.counted}
    pairs = [pair for pair in zip(one, two, strict=False) if counted.issuperset(pair)]
    return Turns(
        names=(first.name, second.name),
        pairs=min(len(first.counted), len(second.counted)),
        taken=sum(abs(place[here] - place[there]) == 1 for here, there in pairs),
    )


def _in_order(side: RoundSet) -> list[int]:
    """Its rounds but for fills; one that was left out keeps its place among them."""
    left_out = [one.round for one in side.left_out if not one.round.fill]
    return sorted(r.order for r in (*side.counted, *left_out) if r.order is not None)


def too_late(steps: Sequence[Step], slots: Sequence[Slot], done: Collection[str]) -> Iterator[str]:
    """
    Which neighbours cannot be compared once a run that has begun is at its end, in sentences.

    Args:
        steps: of the plan as it is now.
        slots: its schedule.
        done: the slots that have a round.
    """
    for one, two in pairwise(steps):
        for scenario in dict.fromkeys(slot.scenario for slot in slots):
            pairs: dict[int, list[bool]] = defaultdict(list)
            for slot in slots:
                is_of_them = slot.scenario == scenario and slot.step in {one.number, two.number}
                if is_of_them and slot.purpose is Purpose.RESULT:
                    pairs[slot.number].append(slot.id in done)
            late = sum(len(set(pair)) > 1 for pair in pairs.values())
            if len(pairs) >= FEWEST and 2 * late >= len(pairs):
                yield (
                    f"{two.name} and {one.name}, {scenario}, will not be comparable: one of them "
                    f"has {late} of {len(pairs)} rounds already, so those cannot take turns; with "
                    f"rounds: {2 * late + 1} most would"
                )

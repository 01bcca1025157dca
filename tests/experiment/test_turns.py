"""Whether rounds of two steps ran next to each other, and what may be said where they did not."""

from typing import Any

import pytest

from firstlight.compare.sets import Round, RoundSet
from firstlight.experiment.schedule import schedule
from firstlight.experiment.turns import too_late, turns
from firstlight.report.experiment.headline import headline
from firstlight.report.experiment.together import together
from tests.experiment.plans import CACHE, PLACEBO, STREAM, worked_out
from tests.experiment.test_document import start, told

OWN = {"change": "own", "process": {"environment": {"OWN": "1"}}}


def side(name: str, *orders: int) -> RoundSet:
    return RoundSet(
        name=name, counted=tuple(Round(name=str(n), start=start(1, n), order=n) for n in orders)
    )


@pytest.mark.parametrize(
    ("one", "two", "taken"),
    [
        ((1, 4, 5, 8), (2, 3, 6, 7), 4),
        ((1, 6, 7, 12), (3, 4, 9, 10), 4),
        ((1, 2, 3, 4), (5, 6, 7, 8), 0),
        ((5, 6, 7, 8), (1, 2, 3, 4), 0),
        ((1, 2, 3, 4, 9), (5, 6, 7, 8, 10), 1),
        ((1, 2, 3, 4), (5, 6, 7, 8, 9), 0),
        ((1, 4, 5, 8), (2, 3, 6, 20), 4),
        ((1, 4, 5, 8, 9), (2, 3, 6, 7), 4),
        ((1, 3, 5, 7), (2, 8, 9, 10), 1),
    ],
)
def test_a_pair_took_turns_where_no_other_round_of_the_two_lies_between(
    one: tuple[int, ...], two: tuple[int, ...], taken: int
) -> None:
    """Forwards and backwards; rounds of other steps may lie there."""
    found = turns(side("a", *one), side("b", *two))

    assert (4 + (len(one) == len(two) == 5), taken) == (found.pairs, found.taken)
    assert (taken == found.pairs) == (found.said is None)


def in_order(*steps: int) -> dict[str, Any]:
    """What `told` takes so that the results of the steps run in this order."""
    numbers = [(step, steps[:at].count(step) + 1) for at, step in enumerate(steps)]
    return {"order": lambda slot: numbers.index((slot.step, slot.number)) if slot.number else -1}


ADDED = (0, 1, 1, 0, 0, 1, 1, 0, 2, 2, 2, 2)
ONE_MORE = (*ADDED, 2, 1, 0)
LATE = (0, 1, 2, 1, 0, 0, 1, 2, 2, 0, 1, 2, 2, 1, 0)


@pytest.mark.parametrize(("order", "rounds", "missing"), [(ADDED, 4, 4), (ONE_MORE, 5, 4)])
def test_a_step_that_was_added_has_no_verdict(
    order: tuple[int, ...], rounds: int, missing: int
) -> None:
    """Nor after one round more; it is said once, and the one before keeps its own."""
    found = told([40, 30, 20], [OWN, PLACEBO], rounds=rounds, **in_order(*order))

    first, second = (step["against_previous"]["warm"] for step in found["steps"][1:])
    assert ("faster", None) == (first["verdict"], first["not_in_turn"])
    assert ("not comparable", "not comparable") == (
        second["verdict"],
        second["metrics"][0]["verdict"],
    )
    why = f"{missing} of {rounds} pairs of rounds of own and placebo did not take turns"
    assert 1 == sum(why in one for one in (*second["against"], *second["notes"]))
    assert "; ".join(second["against"]) in second["verdict_words"]
    assert not any("before the other began" in note for note in second["notes"])
    assert "placebo: not comparable" in headline(found, "warm")


@pytest.mark.parametrize(
    ("rounds", "done", "said"),
    [
        (
            4,
            (0, 0, 0, 0),
            ["placebo and baseline, warm, will not be comparable: one of them has 4"],
        ),
        (8, (0, 0, 0, 0), ["with rounds: 9 most would"]),
        (9, (0, 0, 0, 0), []),
        (4, (0, 1, 0, 1, 0), []),
        (4, (), []),
        (3, (0, 0, 0), []),
    ],
)
def test_what_cannot_take_turns_any_more_is_said_before_it_is_run(
    rounds: int, done: tuple[int, ...], said: list[str]
) -> None:
    """With how many rounds it would be worth it; a run in the middle of a turn is no such thing."""
    base = {"process": {"command": ["vllm", "serve", "m"]}}
    plan, steps = worked_out(base=base, steps=[PLACEBO], given=None, rounds=rounds)
    ids = {f"warm/{step}/{done[:at].count(step) + 1}" for at, step in enumerate(done)}

    found = list(too_late(steps, schedule(plan, steps), ids))

    assert len(said) == len(found)
    assert all(words in one for words, one in zip(said, found, strict=True))


def test_a_total_of_steps_that_were_added_is_none() -> None:
    """The headline, the totals and the method say the same."""
    found = told([40, 30, 20], [STREAM, CACHE], **in_order(*ADDED))

    assert {} == found["totals"]["recommended"]
    (why,) = (one for one in found["no_totals"] if one["what"] == "total")
    said = "4 of 4 pairs of rounds of fuse-mount and compile-cache-local did not take turns"
    assert "not comparable" == why["because"]
    assert said in why["why"]
    assert said in headline(found, "warm")
    assert "faster" not in headline(found, "warm")
    assert [] == [row for row in together(found) if "measured together" in row[-1]]
    assert not any("steps took turns" in one for one in found["method"])


def test_where_most_pairs_took_turns_the_verdict_stays_and_it_is_said_beside_it() -> None:
    """At the step, in the headline and in the total."""
    found = told([40, 30, 20], [STREAM, CACHE], rounds=5, **in_order(*LATE))

    against = found["steps"][2]["against_previous"]["warm"]
    said = "2 of 5 pairs of rounds of {} and compile-cache-local did not take turns"
    assert "faster" == against["verdict"]
    assert said.format("stream-weights") in against["not_in_turn"]
    assert [against["not_in_turn"]] == [one for one in against["notes"] if "take turns" in one]
    assert against["not_in_turn"] in against["verdict_words"]
    total = found["totals"]["recommended"]["warm"]
    assert "faster" == total["verdict"]
    assert said.format("fuse-mount") in total["not_in_turn"]
    assert total["not_in_turn"] in headline(found, "warm")
    assert any(total["not_in_turn"] in cell for row in together(found) for cell in row)

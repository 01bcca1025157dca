"""Which sets may be compared."""

from dataclasses import replace

import pytest

from firstlight.compare.comparability import comparable
from firstlight.compare.comparison import compare
from firstlight.compare.sets import BEFOREHAND, FOR_OTHERS, Round, RoundSet
from firstlight.compare.verdict import Verdict
from firstlight.core.phases import Phase
from firstlight.core.starts import CacheVerdict, Outcome
from tests.compare.engines import KNOWN, a_set, named, rounds, start


def test_something_else_that_differs_is_named() -> None:
    """Another engine is no faster start of this one."""
    other = [named(one, **{"engine version": "0.31.0"}) for one in rounds(4, seed=2, name="b")]

    found = compare(a_set("a", rounds(4, seed=1)), a_set("b", other))

    assert Verdict.NOT_COMPARABLE is found.verdict
    assert ("they differ in engine version (0.32.0 and 0.31.0)",) == found.comparable.against


def test_what_was_declared_may_differ() -> None:
    other = [named(one, **{"argument:--load-format": "x"}) for one in rounds(4, seed=2, name="b")]
    one = [named(one, **{"argument:--load-format": "y"}) for one in rounds(4, seed=1)]

    found = compare(a_set("a", one), a_set("b", other), declared=["argument:--load-*"])

    assert () == found.comparable.against
    assert ["argument:--load-format"] == [d.name for d in found.comparable.declared]


def test_an_argument_that_one_side_lacks_differs() -> None:
    """Where both sides tell their arguments, a missing one is a difference."""
    one = [named(one, **{"argument:--port": "1"}) for one in rounds(4, seed=1)]
    two = [
        named(one, **{"argument:--port": "1", "argument:--enforce-eager": ""})
        for one in rounds(4, seed=2, name="b")
    ]

    found = compare(a_set("a", one), a_set("b", two))

    assert ["argument:--enforce-eager"] == [d.name for d in found.comparable.undeclared]


def test_what_one_side_does_not_tell_is_not_taken_for_equal() -> None:
    known = [named(one, driver="580") for one in rounds(4, seed=1)]

    found = compare(a_set("a", known), a_set("b", rounds(4, seed=2, name="b")))

    assert () == found.comparable.against
    assert ("driver",) == found.comparable.unknown
    assert any("not known to be equal: driver" in note for note in found.notes)


def test_rounds_of_two_kinds_are_no_set() -> None:
    """A miss among hits: its median would be of two kinds of start."""
    mixed = rounds(3, seed=1) + rounds(3, seed=3, verdict=CacheVerdict.MISS, name="m")

    found = compare(a_set("a", mixed), a_set("b", rounds(4, seed=2, name="b")))

    assert Verdict.NOT_COMPARABLE is found.verdict
    assert "the rounds of a are not of one kind" in found.comparable.against[0]


def test_a_fill_is_left_out_and_said_to_be() -> None:
    fill = Round(name="fill", start=start({Phase.ENGINE_INIT: 90}, verdict=CacheVerdict.FILL))

    found = a_set("a", [fill, *rounds(4, seed=1)])

    assert 4 == len(found.counted)
    assert ["it filled the compile cache for the others, which is no result"] == [
        one.why for one in found.left_out
    ]


def test_where_all_compile_none_is_a_fill() -> None:
    """Nothing is kept: compiling is what such a start is."""
    found = a_set("a", rounds(4, seed=1, verdict=CacheVerdict.FILL))
    assert (4, ()) == (len(found.counted), found.left_out)


def test_failed_and_repeated_rounds_are_left_out() -> None:
    one, *others = rounds(4, seed=1)
    failed = replace(one, name="f", start=replace(one.start, outcome=Outcome.FAILED))

    found = a_set("a", [failed, one, one, *others])

    assert ["it did not come up", "it was given twice"] == [left.why for left in found.left_out]


def test_a_round_that_was_to_find_a_cache_and_fills_it_is_a_result() -> None:
    """Leaving it out would choose rounds by how they went; so the set is not of one kind."""
    odd = start({Phase.ENGINE_INIT: 90}, verdict=CacheVerdict.FILL)
    told = [replace(one, fill=False) for one in rounds(4, seed=1)]

    found = a_set("a", [Round(name="odd", start=odd, fill=False), *told])

    assert () == found.left_out
    against = comparable(found, a_set("b", rounds(4, seed=2)), declared=()).against
    assert any("not of one kind" in why and "compile cache" in why for why in against)


def test_where_nobody_says_which_one_fills_the_start_tells() -> None:
    """It compiled and wrote where the others read."""
    odd = start({Phase.ENGINE_INIT: 90}, verdict=CacheVerdict.FILL)

    found = a_set("a", [Round(name="odd", start=odd), *rounds(4, seed=1)])

    assert ["odd"] == [left.round.name for left in found.left_out]


@pytest.mark.parametrize("timed", [True, False])
def test_one_that_compiles_after_others_hit_is_a_result(*, timed: bool) -> None:
    """It missed what was there: dropping it would choose rounds by how they went."""
    first, *hits = rounds(5, seed=1)
    fill, odd = (
        replace(one, start=start({Phase.ENGINE_INIT: 90 + n}, verdict=CacheVerdict.FILL))
        for n, one in enumerate((first, hits[2]))
    )
    in_time = [fill, *hits[:2], odd, hits[3]]
    untimed = [replace(one, order=None) for one in in_time]

    # Where times are known they count, in whatever order the rounds were given.
    found = a_set("a", in_time[::-1] if timed else untimed)

    assert [(fill.name, FOR_OTHERS)] == [(left.round.name, left.why) for left in found.left_out]
    against = comparable(found, a_set("b", rounds(4, seed=2, name="b")), declared=()).against
    assert any("the rounds of a are not of one kind" in why for why in against)


def test_each_run_has_a_fill_of_its_own() -> None:
    """Two days' rounds are one set, and on the second day the cache was empty again."""
    made = rounds(8, seed=1)
    days = [
        replace(
            one,
            run="day 1" if n < 4 else "day 2",
            start=start({Phase.ENGINE_INIT: 90 + n}, verdict=CacheVerdict.FILL)
            if n in {0, 4}
            else one.start,
        )
        for n, one in enumerate(made)
    ]

    found = a_set("a", days)

    assert [made[0].name, made[4].name] == [left.round.name for left in found.left_out]
    as_one_run = a_set("a", [replace(one, run="") for one in days])
    assert [made[0].name] == [left.round.name for left in as_one_run.left_out]


@pytest.mark.parametrize("verdict", [CacheVerdict.FILL, CacheVerdict.HIT])
def test_rounds_that_were_run_to_fill_are_no_result_by_themselves(verdict: CacheVerdict) -> None:
    """Also where what they filled it for is not among the rounds that were given."""
    fills = [replace(one, fill=True) for one in rounds(4, seed=1, verdict=verdict)]

    found = a_set("a", fills)

    assert ((), {BEFOREHAND}) == (found.counted, {left.why for left in found.left_out})


@pytest.mark.parametrize(
    ("orders", "is_said"),
    [
        (([0, 2, 4, 6], [1, 3, 5, 7]), False),
        (([0, 3, 4, 7], [1, 2, 5, 6]), False),
        (([0, 1, 2, 3], [4, 5, 6, 7]), True),
        (([5, 6, 7, 8], [0, 1, 2, 3]), True),
        (([0, 1, 2, 3, 9], [4, 5, 6, 7]), True),
        (([0, 1, 6, 7], [2, 3, 4, 5]), False),
    ],
)
def test_sides_that_did_not_take_turns_are_said_to_be(
    orders: tuple[list[int], list[int]], *, is_said: bool
) -> None:
    """One round more at the end does not make turns of two blocks."""
    sides = [
        a_set(
            name,
            [replace(r, order=n) for r, n in zip(rounds(len(at), seed=seed), at, strict=True)],
        )
        for name, seed, at in zip("ab", (1, 2), orders, strict=True)
    ]

    found = compare(*sides)

    assert is_said == any("let them take turns" in note for note in found.notes)


def test_a_copy_of_a_round_counts_once() -> None:
    """Under another name it is still the same start."""
    one, *others = rounds(5, seed=1)
    copy = replace(one, name="copy", start=replace(one.start, source="copy"))

    found = a_set("a", [one, copy, *others])

    assert [("copy", "it was given twice")] == [(x.round.name, x.why) for x in found.left_out]


def test_a_set_is_not_held_against_itself() -> None:
    """It would come out as `no difference seen`, which nobody measured."""
    found = compare(a_set("a", rounds(4, seed=1)), a_set("b", rounds(4, seed=1)))

    assert Verdict.NOT_COMPARABLE is found.verdict
    assert "the same start stands on both sides" in found.comparable.against[0]


def test_a_difference_is_seen_whichever_round_tells_it() -> None:
    """The first round of a set may be the one that tells least."""
    silent, *telling = rounds(4, seed=1)
    here = [silent, *(named(one, zone="a") for one in telling)]
    there = [named(one, zone="b") for one in rounds(4, seed=2, name="b")]

    found = compare(a_set("a", here), a_set("b", there))

    assert ("they differ in zone (a and b)",) == found.comparable.against
    assert ("zone",) == found.comparable.unknown


def test_rounds_of_two_zones_are_no_set_whichever_comes_first() -> None:
    silent, one, two, *others = rounds(5, seed=1)
    mixed = [silent, named(one, zone="a"), named(two, zone="b"), *others]

    found = compare(a_set("a", mixed), a_set("b", rounds(4, seed=2, name="b")))

    assert "the rounds of a are not of one kind: they differ in zone (a and b)" in (
        found.comparable.against
    )


def test_seconds_and_tens_of_seconds_are_not_mixed() -> None:
    """A probe that asks every ten seconds, and stamps of one: numbers of different precision."""

    def known_to(uncertainty_s: float, name: str) -> list[Round]:
        return [
            Round(
                name=f"{name}{n}",
                start=start({Phase.ENGINE_INIT: 40 + n}, uncertainty_s=uncertainty_s, begins_ns=n),
            )
            for n in range(4)
        ]

    found = compare(a_set("a", known_to(1, "a")), a_set("b", known_to(10, "b")))

    assert "their totals are known to 1 s and to 10 s" in found.comparable.against


@pytest.mark.parametrize("uncertainty_s", [10.0, 1.0])
def test_totals_of_different_precision_are_not_mixed(uncertainty_s: float) -> None:
    coarse = [
        Round(
            name=str(n),
            start=start({Phase.ENGINE_INIT: 40 + n}, name=str(n), uncertainty_s=uncertainty_s),
        )
        for n in range(4)
    ]

    found = compare(a_set("a", rounds(4, seed=1)), a_set("b", coarse))

    assert any("are known to 0.05 s and to" in reason for reason in found.comparable.against)


def test_totals_of_other_ends_are_not_mixed() -> None:
    def moved(one: Round) -> Round:
        assert one.start.total is not None
        return replace(
            one, start=replace(one.start, total=replace(one.start.total, ends_at="pod_ready"))
        )

    found = compare(
        a_set("a", rounds(4, seed=1)),
        a_set("b", [moved(one) for one in rounds(4, seed=2, name="b")]),
    )

    assert any("run between different moments" in reason for reason in found.comparable.against)


def test_the_trap_of_a_compile_miss_beside_streaming() -> None:
    """Streaming that looks slower because its start compiled is told as what it is."""
    files = start(
        {Phase.PROCESS_INIT: 20, Phase.WEIGHT_LOAD: 65, Phase.ENGINE_INIT: 27}, name="files"
    )
    streamed = start(
        {Phase.PROCESS_INIT: 20, Phase.WEIGHT_LOAD: 23, Phase.ENGINE_INIT: 112},
        name="streamed",
        verdict=CacheVerdict.FILL,
        known=KNOWN,
    )

    found = compare(
        a_set("files", [Round(name="files", start=files)]),
        a_set("streamed", [Round(name="streamed", start=streamed)]),
        claimed=["weight_load"],
    )

    change = {one.name: (one.change_ns or 0) / 1e9 for one in found.metrics}
    assert Verdict.NOT_COMPARABLE is found.verdict
    assert (43, -42, 85) == (change["total"], change["weight_load"], change["engine_init"])
    assert "they differ in compile cache (hit and fill)" in found.comparable.against
    assert any("engine_init is where that shows" in note for note in found.notes)


def test_a_phase_that_did_not_move_is_not_blamed_for_the_total() -> None:
    """Two engines: one initialises longer. The medians of the weights are apart, by chance."""

    def side(name: str, weights_s: list[int], engine_s: int, version: str) -> RoundSet:
        starts = [
            start(
                {Phase.WEIGHT_LOAD: s, Phase.ENGINE_INIT: engine_s + number},
                name=f"{name}{number}",
                known={**KNOWN, "engine version": version},
            )
            for number, s in enumerate(weights_s)
        ]
        return a_set(name, [Round(name=one.source, start=one) for one in starts])

    found = compare(
        side("a", [3, 9, 5, 8, 4, 7], 20, "0.32.0"), side("b", [3, 4, 14, 15, 16, 5], 40, "0.33.0")
    )

    (weights,) = [one for one in found.metrics if one.name == "weight_load"]
    assert 3_500_000_000 == weights.change_ns
    (told,) = [note for note in found.notes if "apart" in note]
    assert told.endswith("apart, and that lies in engine_init +20.0 s")

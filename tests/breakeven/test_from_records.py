"""Start times out of explained starts: what counts for which scenario, and what does not."""

from dataclasses import replace
from pathlib import Path

import pytest

from firstlight.breakeven.choices import Scenario
from firstlight.breakeven.from_records import FromRecords, from_records
from firstlight.breakeven.sample import TooFew
from firstlight.core.errors import NothingFound
from firstlight.core.signs import Sign
from firstlight.core.starts import CacheVerdict, Fact, Outcome, Sleep, Start
from firstlight.wiring import explaining
from firstlight.wiring.explaining import explain_inputs
from firstlight.wiring.pricing import GivenArrivals, GivenRule, GivenStarts, price_choices
from tests.breakeven.givens import prices
from tests.explain.pod import cluster
from tests.strategies import evidence

CASE = Path(__file__).resolve().parents[2] / "examples" / "reference-case"


def start(
    ready: int = 43,
    *,
    scenario: str | None = None,
    signs: tuple[Sign, ...] = (),
    verdict: CacheVerdict = CacheVerdict.HIT,
    pod: str = "",
) -> Start:
    """One that came up after so many seconds, in a pod of its own."""
    one = cluster.one(
        cluster.pod(created=0, scheduled=1, started=3, ready=ready, name=pod or f"vllm-{ready}"),
        logs={
            f"logs/{pod or f'vllm-{ready}'}/vllm.log": cluster.engine_log(
                3.5, load=5, weights=11, ready=17, up=20
            )
        },
    )
    return replace(
        one,
        scenario=scenario,
        signs={sign: (evidence(),) for sign in signs},
        compile_cache=replace(one.compile_cache, verdict=verdict),
    )


def four(scenario: str) -> list[Start]:
    return [start(ready, scenario=scenario) for ready in (40, 41, 42, 45)]


def seconds(found: FromRecords) -> dict[str, tuple[float, ...]]:
    return {str(scenario): sample.seconds for scenario, sample in found.samples.items()}


def test_what_somebody_said_or_the_objects_show_is_the_scenario() -> None:
    """A stated scenario, a node that was made, a node that was there."""
    made = [replace(s, scenario=None, signs={Sign.NODE_WAS_MADE: ()}) for s in four("cold")[2:]]
    there = [replace(s, scenario=None, signs={Sign.NODE_WAS_THERE: ()}) for s in four("")[2:]]

    cold = from_records([*four("cold")[:2], *made])
    warm = from_records([*four("warm")[:2], *there])

    assert {"cold": (40, 41, 42, 45)} == seconds(cold)
    assert {"warm": (40, 41, 42, 45)} == seconds(warm)
    assert ((), ()) == (cold.notes, warm.notes)


@pytest.mark.parametrize(
    "odd",
    [
        start(50),
        start(50, scenario="warm", signs=(Sign.NODE_WAS_MADE,)),
        start(50, scenario="cold", signs=(Sign.NODE_WAS_THERE,)),
        start(50, signs=(Sign.NODE_WAS_THERE, Sign.IMAGE_PULLED)),
        start(50, scenario="wake"),
    ],
)
def test_a_start_of_which_nothing_tells_the_scenario_is_left_out(odd: Start) -> None:
    """Nor one of which two things tell two, nor one that pulled its image on another's node."""
    found = from_records([*four("cold"), odd])

    assert {"cold": (40, 41, 42, 45)} == seconds(found)
    assert ("1 of 5 starts left out: nothing tells whether they were cold or warm",) == found.notes


def test_a_start_that_did_not_come_up_is_left_out() -> None:
    """It took as long as it took to fail; one without two proven ends took nobody knows."""
    failed = replace(start(50, scenario="cold"), outcome=Outcome.FAILED)
    open_ended = replace(start(51, scenario="cold"), total=None)

    found = from_records([*four("cold"), failed, open_ended])

    assert {"cold": (40, 41, 42, 45)} == seconds(found)
    assert (
        "1 of 6 starts left out: they did not come up",
        "1 of 6 starts left out: one of their ends is not proven",
    ) == found.notes


def test_a_round_that_filled_the_cache_is_no_result() -> None:
    """It is left out, said so, and counted where too few are left."""
    fill = start(90, scenario="cold", verdict=CacheVerdict.FILL)

    found = from_records([*four("cold"), fill])
    few = from_records([*four("cold")[:3], fill])

    assert {"cold": (40, 41, 42, 45)} == seconds(found)
    assert ("of the cold starts one more filled the compile cache, which is no result",) == (
        found.notes
    )
    assert {} == seconds(few)
    assert {
        Scenario.COLD: TooFew(has=3, why="one more filled the compile cache, which is no result")
    } == few.left_out


def test_starts_of_two_kinds_are_no_sample() -> None:
    """What differs is said."""
    other = [replace(s, engine_version="0.99.0") for s in four("cold")[:2]]

    found = from_records([*four("cold")[2:], *other])

    assert {} == seconds(found)
    (lack,) = found.left_out.values()
    assert 0 == lack.has
    assert lack.why.startswith("4 were given: they differ in engine version (")
    assert lack.why.endswith(" and 0.99.0), and have no times in common")


def test_cold_and_warm_starts_of_two_kinds_are_said_to_be_apart() -> None:
    """Each is a sample of its own, and the one is not to be taken from the other."""
    warm = [start(ready, scenario="warm", pod=f"w-{ready}") for ready in (30, 31, 32, 35)]
    newer = [replace(s, engine_version="0.99.0") for s in warm]

    found = from_records([*four("cold"), *newer])

    assert {"cold": (40, 41, 42, 45), "warm": (30, 31, 32, 35)} == seconds(found)
    assert found.apart.startswith("engine version (")
    assert found.apart.endswith(" and 0.99.0)")
    assert "" == from_records([*four("cold"), *warm]).apart
    assert "" == from_records([*four("cold"), *newer[:2]]).apart


def test_a_kept_node_is_not_priced_from_two_kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole way from the records: what differs is named, the others are priced."""
    warm = [start(ready, scenario="warm", pod=f"w-{ready}") for ready in (30, 31, 32, 35)]
    newer = [replace(s, engine_version="0.99.0") for s in warm]
    monkeypatch.setattr(explaining, "explain_inputs", lambda _: [*four("cold"), *newer])

    found = price_choices(
        GivenArrivals(per_hour=2),
        starts=GivenStarts(records=["runs"]),
        rule=GivenRule(idle_s=300, request_s=0, retention_s=None),
        prices=prices(),
    )

    why = {one["choice"]: one["why"] for one in found["not_priced"]}["keep the node"]
    assert why.startswith("needs cold and warm starts of one kind: they differ in engine version (")
    assert ["stay awake", "scale to zero"] == [one["choice"] for one in found["choices"]]


def test_what_the_cache_did_may_differ_between_cold_and_warm() -> None:
    """A new node has lost it, which is part of what keeping saves."""
    warm = [start(ready, scenario="warm", pod=f"w-{ready}") for ready in (30, 31, 32, 35)]
    missed = [
        replace(s, compile_cache=replace(s.compile_cache, verdict=CacheVerdict.MISS))
        for s in four("cold")
    ]

    assert "" == from_records([*missed, *warm]).apart


def test_a_start_counts_once_however_often_it_is_given() -> None:
    """Two copies of one round are no two rounds."""
    copies = [replace(one, source=f"copy/{one.source}") for one in four("cold")]

    assert {"cold": (40, 41, 42, 45)} == seconds(from_records([*four("cold"), *copies]))
    assert Scenario.COLD in from_records([*four("cold")[:2], *copies[:2]]).left_out


def test_every_wake_is_a_round() -> None:
    """Of one log that shows four; of two levels of sleep none can be used."""

    def slept(level: int, *wakes: str) -> Start:
        return replace(
            start(50 + level),
            facts={"wake_s": tuple(Fact(printed=w, evidence=evidence()) for w in wakes)},
            sleeps=(Sleep(level=level, seconds=Fact(printed="12.8", evidence=evidence())),),
        )

    one, two = slept(1, "0.97", "1.02", "0.95", "1"), slept(2, "4.1")

    assert {"wake": (0.97, 1.02, 0.95, 1)} == seconds(from_records([one]))
    assert () == from_records([one]).notes
    assert "level of sleep (1 and 2)" in from_records([one, two]).left_out[Scenario.WAKE].why


def test_the_reference_case_has_one_round_of_each() -> None:
    """226 s cold and 133 s warm with the cache hit, 93 s apart; one that filled it does not count.

    Of the other warm one no object tells that its node was there.
    """
    found = from_records(explain_inputs([str(CASE)]))

    assert {
        Scenario.COLD: TooFew(has=1, why="one more filled the compile cache, which is no result"),
        Scenario.WARM: TooFew(has=1),
    } == found.left_out
    assert (
        "1 of 4 starts left out: nothing tells whether they were cold or warm",
        "of the cold starts one more filled the compile cache, which is no result",
    ) == found.notes


def test_where_every_start_fills_the_cache_that_is_what_a_start_is() -> None:
    """The cache goes with the container: nobody ever hits it, and the starts are of one kind."""
    filled = [
        start(ready, scenario="cold", verdict=CacheVerdict.FILL) for ready in (40, 41, 42, 45)
    ]
    warm = [start(ready, scenario="warm", pod=f"w-{ready}") for ready in (30, 31, 32, 35)]

    found = from_records([*filled, *warm])

    assert {"cold": (40, 41, 42, 45), "warm": (30, 31, 32, 35)} == seconds(found)
    assert "" == found.apart
    [note] = found.notes
    assert note.startswith("no cold start found a compile cache, so those that filled one count")
    assert "keep it (`firstlight render FILE --technique compile-cache-local`)" in note
    assert note.endswith("or state such starts: --cold-s")


def test_a_miss_among_those_that_filled_is_another_kind() -> None:
    """Nothing is left out in silence, and nothing is mixed."""
    filled = [start(ready, scenario="cold", verdict=CacheVerdict.FILL) for ready in (40, 41, 42)]
    missed = start(45, scenario="cold", verdict=CacheVerdict.MISS)

    lack = from_records([*filled, missed]).left_out[Scenario.COLD]

    assert "they differ in compile cache (fill and miss)" in lack.why


def test_a_refusal_says_why_starts_were_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The notes are of more use there than beside an answer."""
    failed = [replace(one, outcome=Outcome.FAILED) for one in four("cold")]
    monkeypatch.setattr(explaining, "explain_inputs", lambda _: failed)

    with pytest.raises(NothingFound) as refused:
        price_choices(
            GivenArrivals(per_hour=2),
            starts=GivenStarts(records=["runs"]),
            rule=GivenRule(idle_s=300, request_s=0, retention_s=None),
            prices=prices(),
        )

    assert refused.value.message.endswith("; 4 of 4 starts left out: they did not come up")

"""Which techniques have seconds at stake in a start, by cards written for the test."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firstlight.core.effects import EffectState
from firstlight.core.evidence import Evidence
from firstlight.core.phases import Phase
from firstlight.core.signs import Sign
from firstlight.core.stakes import Stake
from firstlight.core.starts import CacheVerdict, Outcome, Placement, Start, Total
from firstlight.core.timeline import Span, Stretch, Timeline
from firstlight.core.units import NS_PER_S
from firstlight.explain.stakes import at_stake
from firstlight.techniques.card import Card
from firstlight.techniques.deck import Deck
from firstlight.techniques.effect import effects
from tests.explain.telling import one, whole

SOURCE: dict[str, str] = {"origin": "ours", "where": "this test"}
PLAIN = one(*whole())
EVIDENCE = (Evidence(artefact="a", text="words"),)


CLAIMS = ("before_s", "after_s", "figures_of", "keeps", "scenarios")


def card(id_: str, *phases: str, **more: Any) -> Card:
    """A card that leaves a tenth of its phases, unless it says otherwise."""
    claim: dict[str, Any] = {"says": "it shrinks", "phases": phases, "sources": [SOURCE]}
    claim |= {k: more.pop(k) for k in CLAIMS if k in more}
    if not {"before_s", "keeps"} & claim.keys():
        claim |= {"before_s": 10.0, "after_s": 1.0}
    change = {
        "kubernetes": {"operations": [{"do": "set-environment", "name": "A", "value": "1"}]},
        "process": {"arguments": {"--fast": None}, "environment": {"A": "${where}"}},
    }
    decision = {
        "status": more.pop("status", "recommended"),
        "reason": "it pays when it pays",
        "origin": "ours",
        "sources": [SOURCE],
        "look_again": {"when": "a > b", "says": "when", "origin": "ours"},
    }
    proof = [
        {"sign": sign, "means": means, "says": "so", "sources": [SOURCE]}
        for sign, means in more.pop("proof", {}).items()
    ]
    written = {
        "id": id_,
        "title": id_,
        "says": id_,
        "claim": claim,
        "change": more.pop("change", change),
        "parameters": more.pop("parameters", {"where": {"says": "where", "default": "/c"}}),
        "proof": proof,
        "decision": decision,
        **more,
    }
    return msgspec.convert(written, Card)


def deck(*cards: Card) -> Deck:
    return Deck(cards={c.id: c for c in cards})


def start(*, unnamed_s: int = 10, **more: Any) -> Start:
    """100 s: pull 20, weights 40, init 40 of which the last seconds are unnamed."""

    def span(name: str, begin_s: int, end_s: int, *children: Span, explained: bool = True) -> Span:
        stretch = Stretch(start_ns=begin_s * NS_PER_S, end_ns=end_s * NS_PER_S)
        return Span(name=name, stretches=(stretch,), children=children, explained=explained)

    spans = (
        span(Phase.IMAGE_PULL, 0, 20, span("image", 0, 20)),
        span(Phase.WEIGHT_LOAD, 20, 60, span("read weights", 20, 60)),
        span(
            Phase.ENGINE_INIT,
            60,
            100,
            span("compile", 60, 80),
            span("graph capture", 80, 100 - unnamed_s),
            *([span("unnamed", 100 - unnamed_s, 100, explained=False)] if unnamed_s else []),
        ),
    )
    timeline = Timeline(start_ns=0, end_ns=100 * NS_PER_S, spans=spans)
    total = Total(timeline=timeline, uncertainty_ns=0, starts_at="a", ends_at="b")
    known: dict[str, Any] = {"total": total, "phases": spans, "signs": {}}
    return replace(PLAIN, **(known | more))


IN_CLUSTER = Placement(namespace="demo", workload="deployment/vllm", pod="vllm-0")
MADE = {Sign.NODE_WAS_MADE: EVIDENCE}


def found_stakes(told: Start, cards: Deck, most: int = 3) -> tuple[Stake, ...]:
    """What is at stake in a start whose signs were held against the cards."""
    found = at_stake(replace(told, effects=effects(cards, told.signs)), cards, most)
    assert found is not None
    return found


def gains(stakes: Iterable[Stake]) -> dict[str, int]:
    return {s.technique: s.seconds_ns // NS_PER_S for s in stakes}


def test_a_claims_share_of_a_phases_named_seconds_is_at_stake() -> None:
    """40 s of weights less a tenth; of init the ten that nothing names count for nobody."""
    weights, init = card("w", "weight_load"), card("i", "engine_init")

    assert {"w": 36, "i": 27} == gains(found_stakes(start(), deck(weights, init)))


def test_a_child_of_a_phase_may_be_claimed() -> None:
    """`phase/child`; what the start does not have is nobody's."""
    capture = card("c", "engine_init/graph capture", "engine_init/autotune")

    (stake,) = found_stakes(start(), deck(capture))

    assert [9 * NS_PER_S, ("engine_init/graph capture",)] == [stake.seconds_ns, stake.of]


def test_a_part_of_a_phase_that_is_claimed_whole_counts_once() -> None:
    """However a card puts it."""
    both = card("b", "engine_init/compile", "engine_init", "engine_init")

    assert {"b": 27} == gains(found_stakes(start(), deck(both)))


def test_an_estimated_share_stands_in_for_figures() -> None:
    """And without either there is no estimate at all."""
    half, none = card("h", "weight_load", keeps=0.5), card("n", "engine_init", before_s=5.0)

    assert {"h": 20} == gains(found_stakes(start(), deck(half, none)))


def test_no_seconds_are_promised_twice() -> None:
    """Of two techniques for one stretch the greater is told, however far down the other is."""
    found = found_stakes(
        start(),
        deck(
            card("all", "engine_init"),
            card("part", "engine_init/compile"),
            card("two", "image_pull", "weight_load", keeps=0.9),
            card("weights", "weight_load"),
        ),
    )

    assert {"weights": 36, "all": 27} == gains(found)


def test_three_are_told_and_the_greatest_first() -> None:
    """As many as asked for."""
    cards = deck(
        card("a", "engine_init/graph capture"),
        card("b", "image_pull"),
        card("c", "engine_init/compile", keeps=0.5),
        card("d", "weight_load"),
    )

    assert ["d", "b", "c"] == [s.technique for s in found_stakes(start(), cards)]
    assert ["d"] == [s.technique for s in found_stakes(start(), cards, most=1)]


@pytest.mark.parametrize(
    ("verdict", "state", "told"),
    [
        (Sign.CACHE_HIT, EffectState.APPLIED, set()),
        (Sign.CACHE_MISSED, EffectState.NOT_APPLIED, {"x"}),
        (Sign.CACHE_RESTORED, EffectState.RACED, {"x"}),
    ],
)
def test_what_is_at_work_has_nothing_at_stake(
    verdict: Sign, state: EffectState, told: set[str]
) -> None:
    """What is there in part, or void, has; and it is said how it was seen."""
    one_card = card("x", "weight_load", proof={verdict.value: state.value})
    found = found_stakes(start(signs={verdict: EVIDENCE}), deck(one_card))

    assert told == {s.technique for s in found}
    assert all(s.seen is state for s in found)


@pytest.mark.parametrize(
    "more",
    [
        {"status": "excluded"},
        {"scenarios": ["wake"]},
        {"scenarios": ["cold"]},
        {"change": {"kubernetes": {"refused": "no"}, "process": {"refused": "no"}}},
        {"before_s": 1.0, "after_s": 2.0},
        {"keeps": 0.96},
    ],
)
def test_what_cannot_help_here_is_left_out(more: dict[str, Any]) -> None:
    """Excluded, for another kind of start, without a change to show, or next to nothing."""
    assert () == found_stakes(start(), deck(card("x", "weight_load", **more)))


@pytest.mark.parametrize(
    ("verdict", "told"),
    [
        (CacheVerdict.OFF, {"other"}),
        (CacheVerdict.NOT_APPLICABLE, {"other"}),
        (CacheVerdict.HIT, {"other"}),
        (CacheVerdict.FILL, {"cache"}),
        (CacheVerdict.UNKNOWN, {"cache"}),
    ],
)
def test_a_compile_cache_has_nothing_to_gain_where_nothing_is_compiled(
    verdict: CacheVerdict, told: set[str]
) -> None:
    """Nor where a hit says that some cache is there; another claim on the phase may hold."""
    cache = card("cache", "engine_init", proof={"cache-missed": "not applied"})
    other = card("other", "engine_init/graph capture")
    judged = replace(one(*whole()).compile_cache, verdict=verdict)

    assert told == set(gains(found_stakes(start(compile_cache=judged), deck(cache, other))))


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"placement": IN_CLUSTER, "signs": MADE}, {"cold", "any"}),
        ({"placement": IN_CLUSTER, "scenario": "cold"}, {"cold", "any"}),
        ({"placement": IN_CLUSTER}, {"warm", "any"}),
        ({"scenario": "cold"}, {"warm", "any"}),
        ({"placement": IN_CLUSTER, "scenario": "wake"}, {"any", "wake"}),
    ],
)
def test_the_kind_of_start_decides_what_may_help(more: dict[str, Any], told: set[str]) -> None:
    """Cold is a new node: on a host of one's own a cache in a folder is as good as a published."""
    cards = deck(
        card("cold", "engine_init", scenarios=["cold"]),
        card("warm", "engine_init", scenarios=["warm"]),
        card("wake", "engine_init", scenarios=["wake"]),
        card("any", "weight_load"),
    )

    assert told == set(gains(found_stakes(start(**more), cards)))


def test_what_it_builds_on_comes_before_it() -> None:
    """The change that shows it holds the whole chain, but for what is at work already."""
    cards = deck(
        card("ground", "image_pull", keeps=1.0, proof={"cache-hit": "applied"}),
        card("floor", "image_pull", keeps=1.0, builds_on=["ground"]),
        card("roof", "weight_load", builds_on=["floor"]),
    )

    (stake,) = found_stakes(start(placement=IN_CLUSTER), cards)
    (after,) = found_stakes(start(placement=IN_CLUSTER, signs={Sign.CACHE_HIT: EVIDENCE}), cards)

    assert (
        "firstlight render deployment/vllm -n demo "
        "--technique ground --technique floor --technique roof" == stake.show
    )
    assert "together with ground, floor" in stake.because
    assert "firstlight render deployment/vllm -n demo --technique floor --technique roof" == (
        after.show
    )


def test_what_excludes_it_and_is_at_work_speaks_against_it() -> None:
    """The two cannot be had together."""
    here = card("here", "image_pull", proof={"cache-hit": "applied"})
    there = card("there", "weight_load", excludes=["here"])

    assert {"there"} == set(
        gains(found_stakes(start(), deck(card("here", "image_pull", keeps=1.0), there)))
    )
    assert () == found_stakes(start(signs={Sign.CACHE_HIT: EVIDENCE}), deck(here, there))


def test_a_start_outside_a_cluster_is_shown_in_words() -> None:
    """Environment before the command, arguments behind it, defaults filled in."""
    (stake,) = found_stakes(start(), deck(card("w", "weight_load")))

    assert ["A=/c vllm serve ... --fast", "firstlight measure -- vllm serve ..."] == [
        stake.show,
        stake.prove,
    ]


@pytest.mark.parametrize("workload", ["", "deployment/$(reboot)", "deployment/a b", "deployment/"])
def test_a_name_that_is_none_is_left_for_the_reader(workload: str) -> None:
    """Nothing from a file is put into a command that somebody pastes."""
    placement = Placement(namespace="$(x)", workload=workload)
    (stake,) = found_stakes(start(placement=placement), deck(card("w", "weight_load")))

    assert [
        "firstlight render deployment.yaml --technique w",
        (
            "firstlight measure deployment/NAME --scenario warm --yes"
            "  # deletes the pod: a new one starts"
        ),
    ] == [stake.show, stake.prove]


def test_a_kept_node_is_proven_by_no_single_start() -> None:
    """A warm start that somebody makes has its node in any case: it says so, as a comment."""
    kept = card("kept", "image_pull", scenarios=["cold"], proof={"node-was-there": "unknown"})
    (stake,) = found_stakes(start(placement=IN_CLUSTER, signs=MADE), deck(kept))

    assert stake.prove.startswith("# no single start proves it: count how many of your starts")
    assert "measure" not in stake.prove


def test_what_the_estimate_rests_on_is_said() -> None:
    """Here, there and of what, whether it is there already, and whether it pays."""
    (stake,) = found_stakes(start(), deck(card("w", "weight_load", status="conditional")))

    assert (
        "weight_load took 40.0 s here; where it was measured, the same took 1 s instead of 10 s"
        "; nothing shows whether it is there already; conditional: it pays when it pays"
        == stake.because
    )


def test_a_phase_is_said_with_its_own_seconds() -> None:
    """Those that the table has; how much of it counts is said beside them."""
    (stake,) = found_stakes(start(unnamed_s=10), deck(card("i", "engine_init")))

    assert stake.because.startswith("engine_init took 40.0 s here, 30.0 s of it named; where ")


def test_figures_of_whole_starts_are_no_share_of_a_phase() -> None:
    """Without an estimate nothing is at stake; with one the figures are said to be of starts."""
    figures: dict[str, Any] = {"before_s": 51.8, "after_s": 29.8, "figures_of": "start"}
    cards = deck(card("none", "weight_load", **figures))
    (stake,) = found_stakes(start(), deck(card("some", "weight_load", keeps=0.5, **figures)))

    assert () == found_stakes(start(), cards)
    assert 20 * NS_PER_S == stake.seconds_ns
    assert (
        "weight_load took 40.0 s here; an estimate leaves 50% of that; where it was measured, "
        "a whole start took 29.8 s instead of 51.8 s" in stake.because
    )


def test_what_only_the_user_knows_is_a_placeholder() -> None:
    """Once for the whole chain; not what the card or the workload's own objects tell."""
    change = {
        "kubernetes": {"operations": [{"do": "set-environment", "name": "A", "value": "1"}]},
        "process": {"refused": "no"},
    }
    known = {"where": {"says": "where", "default": "/c"}, "nodepool": {"says": "which"}}
    asks = {"cache_uri": {"says": "a place", "kind": "s3-uri"}, "cuda_arch": {"says": "which"}}
    cards = deck(
        card("floor", "image_pull", keeps=1.0, change=change, parameters=known | asks),
        card("roof", "weight_load", change=change, parameters=asks, builds_on=["floor"]),
    )

    (stake,) = found_stakes(start(placement=IN_CLUSTER), cards)

    assert (
        "firstlight render deployment/vllm -n demo --technique floor --technique roof "
        "--set cache_uri=s3://BUCKET/PREFIX --set cuda_arch=CUDA_ARCH" == stake.show
    )


@pytest.mark.parametrize("more", [{"outcome": Outcome.FAILED}, {"engine": None}, {"phases": ()}])
def test_what_did_not_start_has_nothing_at_stake(more: dict[str, Any]) -> None:
    """A failure comes first; a node alone, or a log without stamps, has no seconds."""
    nothing: dict[str, Any] = {"total": None} if "phases" in more else {}

    assert None is at_stake(start(**more, **nothing), deck(card("w", "weight_load")))


def test_phases_without_a_total_count_where_their_ends_are_proven() -> None:
    """A log that begins in the middle."""
    assert {"w": 36} == gains(found_stakes(start(total=None), deck(card("w", "weight_load"))))


CLAIMABLE = [
    "image_pull",
    "weight_load",
    "engine_init",
    "engine_init/compile",
    "engine_init/graph capture",
    "engine_init/unnamed",
    "process_init",
]


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(
            st.lists(st.sampled_from(CLAIMABLE), min_size=1, max_size=3, unique=True),
            st.floats(0, 1.5),
        ),
        max_size=6,
    ),
    st.integers(0, 15),
    st.integers(0, 5),
)
def test_no_more_is_promised_than_was_named(
    claims: list[tuple[list[str], float]], unnamed_s: int, most: int
) -> None:
    """Whatever the cards claim: together at most the named seconds, and so many at most."""
    cards = [card(f"c{n}", *phases, keeps=keeps) for n, (phases, keeps) in enumerate(claims)]
    found = found_stakes(start(unnamed_s=unnamed_s), deck(*cards), most=most)

    assert len(found) <= most
    # Each is rounded to a whole second.
    assert sum(s.seconds_ns for s in found) <= (100 - unnamed_s + len(found) / 2) * NS_PER_S
    assert [s.seconds_ns for s in found] == sorted((s.seconds_ns for s in found), reverse=True)

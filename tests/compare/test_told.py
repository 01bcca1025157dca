"""A phase that took no time, and one that nothing shows."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from firstlight.compare.comparison import Comparison, Metric, compare
from firstlight.compare.document import comparison_document
from firstlight.compare.sets import Round, RoundSet
from firstlight.compare.told import tells
from firstlight.compare.verdict import Verdict
from firstlight.core.phases import Phase
from firstlight.core.starts import Start
from firstlight.core.timeline import Span, Stretch, Timeline
from tests.compare.engines import a_set, rounds, start

NS = 1_000_000_000
CLAIM = Phase.ENGINE_INIT.value
POD = {
    Phase.SCHEDULING: 1.0,
    Phase.CONTAINER_SETUP: 5.0,
    Phase.IMAGE_PULL: 60.0,
    Phase.PROCESS_INIT: 20.0,
    Phase.WEIGHT_LOAD: 30.0,
    Phase.ENGINE_INIT: 40.0,
    Phase.API_START: 10.0,
}


def without(*gone: Phase, unexplained_s: float = 0.0, after: Phase | None = None) -> Start:
    """A pod's start that lacks these phases, with so long a gap behind one of those it has."""
    lengths: dict[Phase, float] = {}
    for phase, length in POD.items():
        lengths |= {} if phase in gone else {phase: length}
        if phase is after:
            lengths[Phase.UNEXPLAINED] = unexplained_s
    return begun_at("pod_created", start(lengths))


def begun_at(kind: str, one: Start) -> Start:
    assert one.total is not None
    return replace(one, total=replace(one.total, starts_at=kind))


def asked_seldom(one: Start) -> Start:
    """A start of which nobody knows to ten seconds when it was ready."""
    assert one.total is not None
    return replace(one, total=replace(one.total, uncertainty_ns=10 * NS))


def silent(length_s: float, *, begins_s: int = 0) -> Start:
    """An engine that says nothing, seen from its process to its first answer."""
    one = start({Phase.UNEXPLAINED: length_s}, begins_ns=begins_s * NS)
    return replace(one, phases=tuple(replace(span, explained=False) for span in one.phases))


def woken() -> Start:
    """A wake-up: from the call to its answer, and from there to one token."""
    pieces = [("wake_up", 0, NS), ("first_token", NS, 2 * NS)]
    phases = tuple(
        Span(name=name, stretches=(Stretch(start_ns=begins, end_ns=ends),))
        for name, begins, ends in pieces
    )
    return begun_at("wake_asked", replace(silent(2), phases=phases))


def silent_set(name: str, length_s: float) -> RoundSet:
    made = [silent(length_s + n / 10, begins_s=1000 * n) for n in range(4)]
    return a_set(name, [Round(name=f"{name}{n}", start=one) for n, one in enumerate(made)])


def metric(found: Comparison, name: str) -> Metric:
    return next(one for one in found.metrics if one.name == name)


def test_what_no_round_shows_has_no_verdict() -> None:
    """Its seconds are among the unexplained ones: their being equal is nobody's finding."""
    found = compare(silent_set("a", 10), silent_set("b", 20), claimed=[CLAIM])

    claim = metric(found, CLAIM)
    assert (Verdict.SLOWER, Verdict.NOT_SEEN) == (found.verdict, claim.verdict)
    told = next(m for m in comparison_document(found)["metrics"] if m["name"] == CLAIM)
    assert (False, "not seen in these rounds", None, None) == tuple(
        told[name] for name in ("seen", "verdict", "difference_s", "smallest_effect_s")
    )
    assert {"n": 0, "median_s": None, "lowest_s": None, "highest_s": None} == told["first"]
    assert (
        "engine_init is seen in 0 of 4 rounds of a and in 0 of 4 rounds of b; "
        "where it is not, it has no length, not 0 s"
    ) in found.notes


def test_one_silent_side_is_enough() -> None:
    """The other side's seconds are told, and held against nothing; nor did that phase move."""
    speaks = a_set("a", rounds(4, seed=1))

    found = compare(speaks, silent_set("b", 100), claimed=[CLAIM])

    claim, other = metric(found, CLAIM), metric(found, "weight_load")
    assert (True, None, None) == (claim.first is not None, claim.second, claim.change_ns)
    assert (Verdict.NOT_SEEN, None, False) == (claim.verdict, other.verdict, other.also_moved)
    assert Verdict.NO_DIFFERENCE is compare(speaks, silent_set("b", 100)).verdict


def test_a_round_that_does_not_tell_is_no_round_of_no_time() -> None:
    """Three of four tell it: too few for a verdict on it, and enough for one on the total."""
    *telling, last = rounds(4, seed=1)
    mixed = [*telling, replace(last, start=silent(100, begins_s=10**6))]

    found = compare(a_set("a", mixed), a_set("b", rounds(4, seed=2, name="b")), claimed=[CLAIM])

    claim = metric(found, CLAIM)
    assert (Verdict.TOO_FEW, Verdict.NO_DIFFERENCE) == (claim.verdict, found.verdict)
    assert claim.first is not None
    assert 3 == claim.first.rounds
    assert any("seen in 3 of 4 rounds of a and in 4 of 4 rounds of b;" in n for n in found.notes)


def test_what_is_not_seen_takes_no_part_of_the_error() -> None:
    """The p of the others is that of a comparison in which nobody asked for it."""
    sides = a_set("a", rounds(6, seed=1)), a_set("b", rounds(6, seed=2, name="b"))

    without_it = compare(*sides, claimed=[CLAIM])
    with_it = compare(*sides, claimed=[CLAIM, "engine_init/graph capture"])

    assert Verdict.NOT_SEEN is metric(with_it, "engine_init/graph capture").verdict
    assert metric(without_it, CLAIM).adjusted_p == metric(with_it, CLAIM).adjusted_p


@pytest.mark.parametrize(
    ("name", "one"),
    [
        pytest.param("image_pull", without(Phase.IMAGE_PULL), id="an image that is there"),
        pytest.param("node_provisioning", without(), id="a node that is there"),
        pytest.param("node_provisioning", without(Phase.SCHEDULING), id="bound in one second"),
        pytest.param("weight_load", without(Phase.WEIGHT_LOAD), id="weights within one stamp"),
        pytest.param("readiness_lag", without(), id="ready at once"),
        pytest.param(
            "image_pull",
            without(Phase.IMAGE_PULL, unexplained_s=9, after=Phase.API_START),
            id="a gap elsewhere",
        ),
        pytest.param(
            "image_pull",
            without(Phase.IMAGE_PULL, unexplained_s=0.04, after=Phase.CONTAINER_SETUP),
            id="a gap that the clock cannot tell from none",
        ),
        pytest.param("unexplained", without(), id="nothing is unexplained"),
    ],
)
def test_a_phase_that_took_no_time_is_told(name: str, one: Start) -> None:
    assert (True, 0) == (tells(one, name), one.phase_ns(name))


@pytest.mark.parametrize(
    ("name", "one"),
    [
        pytest.param("engine_init", silent(10), id="a silent engine"),
        pytest.param(
            "image_pull",
            without(Phase.IMAGE_PULL, unexplained_s=9, after=Phase.CONTAINER_SETUP),
            id="a gap where it would be",
        ),
        pytest.param(
            "image_pull",
            asked_seldom(without(Phase.IMAGE_PULL, unexplained_s=9, after=Phase.CONTAINER_SETUP)),
            id="a gap shorter than a probe's period",
        ),
        pytest.param(
            "node_provisioning", start({Phase.PROCESS_INIT: 9}), id="a log knows of no node"
        ),
        pytest.param(
            "engine_init",
            without(Phase.ENGINE_INIT, unexplained_s=9, after=Phase.WEIGHT_LOAD),
            id="a log without the engine's last word",
        ),
        pytest.param("engine_init", woken(), id="a wake-up has none"),
        pytest.param("engine_init/graph capture", without(), id="no part is named"),
        pytest.param("engine_init", replace(without(), total=None, phases=()), id="no total"),
    ],
)
def test_a_phase_that_nothing_shows_is_not_told(name: str, one: Start) -> None:
    assert not tells(one, name)


def test_a_total_to_the_servers_line_knows_of_no_lag() -> None:
    one = without()
    assert one.total is not None
    assert not tells(replace(one, total=replace(one.total, ends_at="server_line")), "readiness_lag")


def with_parts(parts: Mapping[str, float], *, begins_s: int) -> Start:
    """A start whose engine init has these parts, in seconds."""
    begins, spans = begins_s * NS, []
    at = begins
    for name, length_s in parts.items():
        piece = Stretch(start_ns=at, end_ns=at + round(length_s * NS))
        spans.append(Span(name=name, stretches=(piece,)))
        at = piece.end_ns
    whole = Span(
        name=CLAIM,
        stretches=(Stretch(start_ns=begins, end_ns=at),),
        uncertainty_ns=1000,
        children=tuple(spans),
    )
    one = start({Phase.ENGINE_INIT: (at - begins) / NS}, begins_ns=begins)
    assert one.total is not None
    timeline = Timeline(start_ns=begins, end_ns=at, spans=(whole,))
    return replace(one, phases=(whole,), total=replace(one.total, timeline=timeline))


def test_a_part_that_a_change_takes_away_took_no_time() -> None:
    """Both sides name their parts: memory profiling is not done, and that is what was claimed."""
    name = "engine_init/memory profiling"

    def side(called: str, parts: dict[str, float], at: int) -> RoundSet:
        made = [
            with_parts({k: v + n / 100 for k, v in parts.items()}, begins_s=at + 1000 * n)
            for n in range(4)
        ]
        return a_set(called, [Round(name=f"{called}{n}", start=s) for n, s in enumerate(made)])

    before = side("a", {"memory profiling": 8, "KV cache sizing": 2}, 0)
    after = side("b", {"KV cache sizing": 2}, 10**6)

    found = compare(before, after, claimed=[name])
    assert Verdict.FASTER is metric(found, name).verdict
    again = compare(after, side("c", {"KV cache sizing": 2}, 10**7), claimed=[name])
    assert Verdict.NOT_SEEN is metric(again, name).verdict

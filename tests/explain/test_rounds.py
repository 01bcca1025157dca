"""A round is explained from all that it left, and from nothing that it did not."""

from collections.abc import Mapping

import pytest

from firstlight.core.evidence import Evidence
from firstlight.core.marks import Clock, Mark, MarkKind
from firstlight.core.starts import CacheVerdict, Outcome
from firstlight.explain.rounds import RoundArtefacts, explain_round

S = 1_000_000_000
UNIX_NS = 1_772_600_000 * S
LOG = (
    b"2026-03-04T04:53:21.000000000Z stdout F (APIServer pid=1) INFO 03-04 04:53:21 [a.py:1] "
    b"vLLM API server version 0.32.0\n"
    b"2026-03-04T04:53:27.000000000Z stdout F (EngineCore pid=2) INFO 03-04 04:53:27 [a.py:1] "
    b"init engine (profile, create kv cache, warmup model) took 3.00 s\n"
    b"2026-03-04T04:53:28.000000000Z stdout F (APIServer pid=1) INFO 03-04 04:53:28 [a.py:1] "
    b"Application startup complete.\n"
)
Listing = Mapping[str, frozenset[str]]
INDUCTOR = "/tmp/torchinductor_me"
MADE: Listing = {INDUCTOR: frozenset({"fxgraph/ab/x"})}
NOTHING: Listing = {INDUCTOR: frozenset()}
MORE: Listing = {INDUCTOR: frozenset({"fxgraph/ab/x", "fxgraph/cd/y"})}
INSPECTED: Listing = {INDUCTOR: frozenset(), "/c/vllm": frozenset({"modelinfos/m.json"})}


def _mark(kind: MarkKind, at_s: int) -> Mark:
    return Mark(
        kind=kind,
        at_ns=UNIX_NS + at_s * S,
        resolution_ns=1000,
        clock=Clock.MONOTONIC,
        evidence=Evidence(artefact="marks.json", text=kind.value),
    )


def _round(
    *, before: Listing | None = None, after: Listing | None = None, problem: str | None = None
) -> RoundArtefacts:
    kinds = [(MarkKind.PROCESS_STARTED, 0)]
    if problem is None:
        kinds += [(MarkKind.HEALTH_200, 9), (MarkKind.FIRST_TOKEN, 11)]
    return RoundArtefacts(
        log_name="engine.log",
        log=[LOG] if problem is None else [],
        marks=tuple(_mark(kind, at_s) for kind, at_s in kinds),
        record_name="round.json",
        offset_ns=0,
        cache_before=before,
        cache_after=after,
        listing_name="cache-after.json",
        problem=problem,
        remedy=problem and "Do something.",
    )


def test_the_total_is_from_the_process_to_the_answer() -> None:
    """Who watched knows both ends better than the log; the token is not part of it."""
    start = explain_round(_round())

    assert start.total is not None
    assert 9 * S == start.total.timeline.length_ns
    assert ("process_started", "health_200") == (start.total.starts_at, start.total.ends_at)
    assert 2 * S == start.first_token_ns


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        (NOTHING, MADE, CacheVerdict.FILL),
        (MADE, MORE, CacheVerdict.FILL),
        (MADE, MADE, CacheVerdict.HIT),
        (NOTHING, NOTHING, CacheVerdict.UNKNOWN),
        (NOTHING, INSPECTED, CacheVerdict.UNKNOWN),
        (None, None, CacheVerdict.UNKNOWN),
        ({}, {}, CacheVerdict.UNKNOWN),
    ],
)
def test_what_the_folders_prove(
    before: Listing | None, after: Listing | None, verdict: CacheVerdict
) -> None:
    """
    A new compiled file is a fill; none is a hit, if there was one to hit. What vLLM notes
    about model classes is not compiled.
    """
    start = explain_round(_round(before=before, after=after))

    assert verdict is start.compile_cache.verdict


def test_a_round_that_failed_says_why_and_where_it_stands() -> None:
    """The sentence is in round.json; unchanged folders prove nothing about its cache."""
    start = explain_round(_round(before=MADE, after=MADE, problem="The engine died."))

    assert Outcome.FAILED is start.outcome
    assert start.failure is not None
    assert ("The engine died.", "round.json") == (
        start.failure.message,
        start.failure.evidence[0].artefact,
    )
    assert ["engine-failed"] == [f.code for f in start.findings]
    assert CacheVerdict.UNKNOWN is start.compile_cache.verdict

"""A round is explained from all that it left, and from nothing that it did not."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from firstlight.core.evidence import Evidence
from firstlight.core.marks import Clock, Mark, MarkKind
from firstlight.core.signs import Sign
from firstlight.core.starts import CacheVerdict, Outcome
from firstlight.explain.rounds import RoundArtefacts, explain_round
from tests.readers.probe_text import opening, text

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


def test_without_parts_all_else_is_the_same() -> None:
    """What a thousand rounds are compared by is told without reading what each process did."""
    probes = {
        "1-1.jsonl": text(
            opening(1, 0, at=20, program="vllm serve", start_ns=UNIX_NS, at_ns=UNIX_NS),
            {"k": "import", "n": "torch", "s": UNIX_NS + S, "e": UNIX_NS + 2 * S, "x": "torch"},
            {"k": "modules", "t": UNIX_NS + 3 * S, "read": 900, "compiled": 0},
            {"k": "counters", "when": "exit", "t": UNIX_NS + 9 * S, "v": {"x.cache_hit": 1}},
        ).encode()
    }
    whole = replace(_round(before=MADE, after=MADE), probe_files=probes)

    told, short = explain_round(whole), explain_round(replace(whole, parts=False))

    assert any(span.children for span in told.phases)
    assert not any(span.children for span in short.phases)
    assert short.total
    assert told.total
    assert (told.total.timeline.length_ns, told.total.uncertainty_ns) == (
        short.total.timeline.length_ns,
        short.total.uncertainty_ns,
    )
    kept = ("name", "stretches", "uncertainty_ns", "evidence")
    assert [[getattr(span, k) for k in kept] for span in told.phases] == [
        [getattr(span, k) for k in kept] for span in short.phases
    ]
    differ = {"total", "phases", "activities", "unexplained"}
    same = [name for name in told.__dataclass_fields__ if name not in differ]
    assert [getattr(told, name) for name in same] == [getattr(short, name) for name in same]


PULLED = Evidence(artefact="cache-before.json", text="the published cache 0a1b lies in /c/vllm")
NOT_USED = "published-cache-not-used"


def test_a_published_cache_that_was_used_is_a_sign() -> None:
    """And no finding."""
    start = explain_round(replace(_round(before=MADE, after=MADE), published=PULLED))

    assert (PULLED,) == start.signs[Sign.CACHE_RESTORED]
    assert NOT_USED not in {one.code for one in start.findings}


def test_a_published_cache_that_was_not_used_is_a_finding() -> None:
    """With the command that says why."""
    start = explain_round(replace(_round(before=MADE, after=MORE), published=PULLED))

    (finding,) = [one for one in start.findings if NOT_USED == one.code]
    assert finding.what.startswith("the published cache 0a1b lies in /c/vllm, and this start")
    assert "firstlight cache explain" in finding.remedy


def test_one_that_was_used_in_part_says_so() -> None:
    """Some graphs are there and others not: a shape was added, or a kernel."""
    counts = {"fxgraph_cache_hit": 2, "fxgraph_cache_miss": 1}
    probe = text(
        opening(1, 0, at=20, program="vllm serve", start_ns=UNIX_NS, at_ns=UNIX_NS),
        {"k": "counters", "when": "exit", "t": UNIX_NS + 9 * S, "v": counts},
    ).encode()
    round_ = replace(_round(before=MADE, after=MORE), probe_files={"1-1.jsonl": probe})

    start = explain_round(replace(round_, published=PULLED))

    (finding,) = [one for one in start.findings if NOT_USED == one.code]
    assert "used it in part and compiled the rest: Inductor counted 2 hits and 1 m" in finding.what
    assert start.compile_cache.in_part


def test_a_cache_of_ones_own_is_another_matter() -> None:
    """Where none was pulled nothing is said of it."""
    start = explain_round(_round(before=MADE, after=MORE))

    assert Sign.CACHE_RESTORED not in start.signs
    assert NOT_USED not in {one.code for one in start.findings}

"""The contract: fields may be added, never renamed; seconds are numbers."""

import json
from numbers import Real
from typing import Any

import pytest

from firstlight.core.evidence import Evidence
from firstlight.core.findings import Finding
from firstlight.core.phases import Phase
from firstlight.core.starts import (
    FACT_NAMES,
    CacheVerdict,
    CompileCache,
    Fact,
    Failure,
    Outcome,
    Sleep,
    Start,
    Total,
    Transfer,
    UnexplainedStretch,
)
from firstlight.core.timeline import Span, Stretch, Timeline
from firstlight.report.json_contract import explanation
from tests.report.samples import COLD, FAILED, SILENT, UNSTAMPED, starts_of

START: dict[str, Any] = {
    "source": str,
    "engine": (str, type(None)),
    "engine_version": (str, type(None)),
    "outcome": str,
    "failure": (dict, type(None)),
    "scenario": (str, type(None)),
    "total_s": (float, type(None)),
    "total_uncertainty_s": (float, type(None)),
    "total_from": (str, type(None)),
    "total_to": (str, type(None)),
    "first_token_s": (float, type(None)),
    "phases": list,
    "facts": dict,
    "compile_cache": dict,
}
"""What the contract promises of a start, and the type of each."""

ADDED = {
    "seen_s",
    "watched_s",
    "unfinished_phase",
    "timed",
    "unexplained_s",
    "unexplained_stretches",
    "transfers",
    "placement",
    "techniques",
    "at_stake",
    "fingerprint",
    "notes",
    "findings",
}
"""What was added to it since; an addition is listed here and in the documentation."""

FACTS = {
    "weights_s",
    "model_load_s",
    "download_s",
    "stream_s",
    "dynamo_s",
    "compile_s",
    "cache_load_s",
    "profiling_s",
    "graph_capture_s",
    "mm_warmup_s",
    "engine_init_s",
    "engine_init_compile_s",
    "sleep",
    "wake_s",
    "sleep_freed_gib",
    "sleep_in_use_gib",
    "checkpoint_gib",
    "model_gib",
    "kv_cache_gib",
    "image_bytes",
}

PHASE = {"name", "seconds", "uncertainty_s", "children", "evidence"}
EVIDENCE = {"artefact", "line", "text"}
FINDING = {"code", "where", "what", "remedy"}

LOGS = {"cold": COLD, "failed": FAILED, "unstamped": UNSTAMPED, "silent": SILENT}


def document(log: str) -> dict[str, Any]:
    """What a machine reads."""
    read: dict[str, Any] = json.loads(json.dumps(explanation(starts_of(log)), allow_nan=False))
    return read


def quote(text: str) -> Evidence:
    return Evidence(artefact="pod.log", line=3, text=text)


def full_start() -> Start:
    """A start that has everything a start can have."""
    load = Span(
        name=Phase.WEIGHT_LOAD,
        stretches=(Stretch(start_ns=1_000, end_ns=4_000_001_000),),
        uncertainty_ns=2_000_000_000,
        explained=False,
        children=(
            Span(name="read", stretches=(Stretch(start_ns=1_000, end_ns=3_000_001_000),)),
            Span(
                name="unnamed",
                stretches=(Stretch(start_ns=3_000_001_000, end_ns=4_000_001_000),),
                explained=False,
            ),
        ),
        evidence=(quote("begins"), quote("ends")),
    )
    return Start(
        source="pod.log",
        engine="vllm",
        engine_version="0.26.0",
        outcome=Outcome.FAILED,
        failure=Failure(kind="exception", message="it broke", evidence=(quote("it broke"),)),
        scenario="warm",
        total=Total(
            timeline=Timeline(start_ns=1_000, end_ns=4_000_001_000, spans=(load,)),
            uncertainty_ns=1_500_000_000,
            starts_at="process_started",
            ends_at="health_200",
        ),
        phases=(load,),
        facts=dict.fromkeys(FACT_NAMES, ())
        | {
            "weights_s": (Fact(printed="12.50", evidence=quote("12.50")),),
            "graph_capture_s": (Fact(printed="9", evidence=quote("9")),),
        },
        sleeps=(
            Sleep(level=None, seconds=Fact(printed="12.8", evidence=quote("12.8"))),
            Sleep(level=2, seconds=Fact(printed="1", evidence=quote("1"))),
        ),
        compile_cache=CompileCache(
            verdict=CacheVerdict.FILL, reason="why", proof="engine", evidence=(quote("saved"),)
        ),
        first_token_ns=123_456_789,
        transfers=(
            Transfer(what="weights", bytes_=10**9, seconds=2.0, link_gbps=8.0, evidence=()),
            Transfer(what="image", bytes_=10**9, seconds=2.0, link_gbps=None, evidence=()),
        ),
        unexplained=(
            UnexplainedStretch(
                stretch=Stretch(start_ns=3_000_001_000, end_ns=4_000_001_000),
                within=Phase.WEIGHT_LOAD,
                before=quote("before"),
                after=quote("after"),
            ),
        ),
        findings=(Finding(code="a-code", where="pod.log:3", what="what", remedy="do this"),),
    )


@pytest.mark.parametrize("log", LOGS)
def test_a_document_has_exactly_the_promised_parts(log: str) -> None:
    """The schema's name, the starts, the findings."""
    got = document(LOGS[log])

    assert "firstlight.explain/1" == got["schema"]
    assert ["schema", "starts", "findings"] == list(got)


@pytest.mark.parametrize("log", LOGS)
def test_a_start_has_exactly_the_promised_fields(log: str) -> None:
    """Whatever happened, every field is there and has its type."""
    (start,) = document(LOGS[log])["starts"]

    assert set(START) | ADDED == set(start)
    for name, kind in START.items():
        assert isinstance(start[name], kind), name


@pytest.mark.parametrize("log", LOGS)
def test_facts_are_exactly_the_promised_lists(log: str) -> None:
    """A fact that was not printed is an empty list, never a null, a zero or a missing key."""
    (start,) = document(LOGS[log])["starts"]

    assert set(start["facts"]) == FACTS
    for name, values in start["facts"].items():
        assert isinstance(values, list)
        for value in values:
            if name == "sleep":
                assert {"level", "seconds"} == set(value)
            else:
                assert isinstance(value, Real)
                assert not isinstance(value, bool)


def spans(start: dict[str, Any]) -> list[dict[str, Any]]:
    """Every phase and everything inside it."""
    found, waiting = [], list(start["phases"])
    while waiting:
        found.append(waiting.pop())
        waiting += found[-1]["children"]
    return found


@pytest.mark.parametrize("log", ["cold", "silent", "failed"])
def test_phases_have_the_promised_fields_at_every_depth(log: str) -> None:
    """Children are phases again."""
    (start,) = document(LOGS[log])["starts"]

    assert spans(start)
    for span in spans(start):
        assert set(span) >= PHASE
        assert isinstance(span["seconds"], float)
        assert isinstance(span["uncertainty_s"], float)
        for evidence in span["evidence"]:
            assert EVIDENCE == set(evidence)


@pytest.mark.parametrize("log", ["cold", "silent"])
def test_top_level_phases_add_up_to_the_total(log: str) -> None:
    """To the nanosecond, as far as a float can say."""
    (start,) = document(LOGS[log])["starts"]

    assert round(start["total_s"] * 1e9) == sum(round(p["seconds"] * 1e9) for p in start["phases"])


@pytest.mark.parametrize("log", LOGS)
def test_the_first_token_is_no_phase(log: str) -> None:
    """It is reported beside the total: nobody waits for it to be Ready."""
    (start,) = document(LOGS[log])["starts"]

    assert {p["name"] for p in start["phases"]} <= {str(phase) for phase in Phase}
    assert not [s for s in spans(start) if "first_token" in s["name"]]


def test_a_measured_start_says_when_the_first_token_came() -> None:
    """Beside the phases, in seconds."""
    (start,) = explanation([full_start()])["starts"]

    assert 0.123456789 == start["first_token_s"]
    assert ["weight_load"] == [p["name"] for p in start["phases"]]


def test_values_of_a_full_start() -> None:
    """Numbers stand as they were printed, in seconds, with their evidence."""
    read = json.loads(json.dumps(explanation([full_start()]), allow_nan=False))
    (start,) = read["starts"]
    line = {"artefact": "pod.log", "line": 3}

    assert 4.0 == start["total_s"]
    assert 1.5 == start["total_uncertainty_s"]
    assert ("process_started", "health_200") == (start["total_from"], start["total_to"])
    assert {
        "kind": "exception",
        "message": "it broke",
        "evidence": [{**line, "text": "it broke"}],
    } == start["failure"]
    assert "warm" == start["scenario"]
    assert [12.5] == start["facts"]["weights_s"]
    assert "9" == json.dumps(start["facts"]["graph_capture_s"][0])
    assert [{"level": None, "seconds": 12.8}, {"level": 2, "seconds": 1}] == start["facts"]["sleep"]
    assert {
        "verdict": "fill",
        "reason": "why",
        "proof": "engine",
        "evidence": [{**line, "text": "saved"}],
    } == start["compile_cache"]
    assert 1.0 == start["unexplained_s"]
    assert [
        {
            "within": "weight_load",
            "from_s": 3.0,
            "seconds": 1.0,
            "before": {**line, "text": "before"},
            "after": {**line, "text": "after"},
        }
    ] == start["unexplained_stretches"]
    assert [(4.0, 0.5), (4.0, None)] == [(t["gbps"], t["link_share"]) for t in start["transfers"]]
    (phase,) = start["phases"]
    assert [("read", 3.0), ("unnamed", 1.0)] == [
        (child["name"], child["seconds"]) for child in phase["children"]
    ]


def test_findings_of_all_starts_are_gathered() -> None:
    """A program that only wants to know what to do reads one list."""
    read = explanation([full_start(), full_start()])

    assert 2 == len(read["findings"])
    for finding in read["findings"]:
        assert set(finding) >= FINDING
        assert all(isinstance(finding[name], str) and finding[name] for name in FINDING)


def test_two_starts_in_one_file_are_two_entries() -> None:
    """Never one total over both."""
    starts = document(FAILED + SILENT)["starts"]

    assert [("failed", None), ("ready", 46.0)] == [(s["outcome"], s["total_s"]) for s in starts]


def test_a_quoted_line_is_not_endless() -> None:
    """Evidence points at a line; whoever wants all of it opens the artefact."""
    log = COLD.replace(
        "Loading weights took 80.00 seconds", "Loading weights took 80.00 seconds " * 99
    )
    (start,) = document(log)["starts"]

    assert 500 >= max(len(e["text"]) for s in spans(start) for e in s["evidence"])

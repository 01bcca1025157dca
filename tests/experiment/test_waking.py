"""A wake-up as a start, and what must be there for it to count."""

import json
from typing import Any

import pytest

from firstlight.core.errors import BadInput, NewerRecord
from firstlight.core.starts import Outcome, Start
from firstlight.experiment.waking import as_start, read_woken, why_not
from firstlight.explain.explain import explain_log
from firstlight.readers.vllm_log import read_log

MS = 1_000_000
CAME_UP = "(EngineCore pid=7) INFO 11-01 09:00:00 [x.py:1] Starting to load model m..."
WOKE = (
    "(EngineCore pid=7) INFO 11-01 09:01:00 [abstract.py:408] "
    "It took 0.056308 seconds to wake up tags {'weights', 'kv_cache'}."
)
IGNORED = (
    "(Worker pid=8) WARNING 11-01 09:00:30 [cpu_worker.py:137] "
    "sleep mode is not supported on CPU, ignore it."
)


def said(**changed: Any) -> bytes:
    whole = {
        "schema": "firstlight.wake/1",
        "level": 1,
        "problem": None,
        "wake_asked_ns": 5 * MS,
        "woken_ns": 65 * MS,
        "first_token_ns": 105 * MS,
        "agreement": 1.0,
    }
    return json.dumps(whole | changed).encode()


def started(*lines: str) -> Start:
    (start,) = explain_log(read_log("engine.log", ["\n".join(lines).encode()]))
    return start


def test_it_lasts_from_the_call_to_a_token_with_the_engines_own_line() -> None:
    """Two parts; both the call and the log say where the first of them comes from."""
    woken = read_woken("wake.json", said())

    start = as_start(started(CAME_UP, WOKE), woken, "wake.json")

    assert start.total is not None
    assert (100 * MS, "wake") == (start.total.timeline.length_ns, start.scenario)
    assert [("wake_up", 60 * MS), ("first_token", 40 * MS)] == [
        (span.name, span.length_ns) for span in start.phases
    ]
    wake_up, first_token = start.phases
    assert [("wake.json", None), ("engine.log", 2)] == [
        (e.artefact, e.line) for e in wake_up.evidence
    ]
    assert WOKE in wake_up.evidence[1].text
    assert "the first token came; to a fixed prompt it says the same as before the sleep" == (
        first_token.evidence[0].text
    )


def through_a_gateway(**changed: Any) -> bytes:
    """One request of a client: woken after 60 ms, verified after 80 ms, answered after 100 ms."""
    log = [json.dumps({"event": event}) for event in ("listening", "woke", "verified")]
    fields = {"through": "gateway", "verified_ns": 85 * MS, "gate_log": ["no JSON", *log]}
    return said(**fields | changed)


def test_through_a_gateway_it_lasts_from_the_request_to_its_token() -> None:
    """What the gateway asks after the wake-up is a part of it; both logs are evidence."""
    woken = read_woken("wake.json", through_a_gateway())

    start = as_start(started(CAME_UP, WOKE), woken, "wake.json")

    assert start.total is not None
    assert (100 * MS, "request_sent") == (start.total.timeline.length_ns, start.total.starts_at)
    assert [("wake_up", 60 * MS), ("verify", 20 * MS), ("first_token", 20 * MS)] == [
        (span.name, span.length_ns) for span in start.phases
    ]
    assert [
        ["one request through a gateway, the engine asleep at level 1", WOKE, '{"event": "woke"}'],
        ['{"event": "verified"}'],
    ] == [[e.text for e in span.evidence] for span in start.phases[:2]]


def test_a_request_that_was_answered_is_no_proof_either() -> None:
    """The gateway believes what the engine says of itself."""
    woken = read_woken("wake.json", through_a_gateway())

    assert "it answered a request, and its log does not say that it woke" in (
        why_not(started(CAME_UP, IGNORED, WOKE), woken) or ""
    )


def test_an_answer_that_is_the_same_in_part_is_told_as_that() -> None:
    """Rounded down, so that what differs is never whole."""
    woken = read_woken("wake.json", said(agreement=0.999))

    start = as_start(started(CAME_UP, WOKE), woken, "wake.json")

    assert "the first token came; 99 % of an answer are the same as before the sleep" == (
        start.phases[1].evidence[0].text
    )


@pytest.mark.parametrize(
    "lines", [(CAME_UP,), (CAME_UP, IGNORED, WOKE)], ids=["no line", "ignored"]
)
def test_an_answered_call_alone_is_no_wake_up(lines: tuple[str, ...]) -> None:
    """An engine on a CPU answers each call and ignores them: nothing woke."""
    woken = read_woken("wake.json", said())

    start = as_start(started(*lines), woken, "wake.json")

    assert (Outcome.FAILED, None, ()) == (start.outcome, start.total, start.phases)
    assert "its log does not say that it woke" in (why_not(started(*lines), woken) or "")


def test_a_wake_up_that_went_wrong_has_no_total() -> None:
    """Its cause is the one that was written down."""
    woken = read_woken("wake.json", said(problem="its weights did not come back"))

    start = as_start(started(CAME_UP, WOKE), woken, "wake.json")

    assert (Outcome.FAILED, None) == (start.outcome, start.total)
    assert "its weights did not come back" == why_not(start, woken)


def test_a_round_without_a_wake_up_says_why() -> None:
    """The engine did not come as far."""
    start = started(CAME_UP)

    assert Outcome.FAILED is as_start(start, None, "wake.json").outcome
    assert "it gave no token, so it was not put to sleep" == why_not(start, None)


def test_a_record_of_an_earlier_version_is_read() -> None:
    """It knew nothing of agreement."""
    fields = json.loads(said())
    del fields["agreement"]

    woken = read_woken("wake.json", json.dumps(fields).encode())

    start = as_start(started(CAME_UP, WOKE), woken, "wake.json")
    assert "the first token came" == start.phases[1].evidence[0].text


@pytest.mark.parametrize(
    ("data", "words", "kind"),
    [
        (b"{", "wake.json is damaged", BadInput),
        (b"[]", "wake.json is no wake-up of firstlight", BadInput),
        (said(level="deep"), "wake.json is damaged", BadInput),
        (said(schema="firstlight.wake/2"), "written by a newer firstlight", NewerRecord),
    ],
)
def test_what_is_no_wake_up_is_refused(data: bytes, words: str, kind: type[Exception]) -> None:
    """With the name of the file."""
    with pytest.raises(kind, match=words):
        read_woken("wake.json", data)

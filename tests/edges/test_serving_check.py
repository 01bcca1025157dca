import json
from typing import Any

import pytest

from firstlight.edges.serving_check import serving_check
from firstlight.experiment.serving import read_served
from tests.fakes.canned_server import canned, reply, stream

S = 1_000_000_000


def event(text: str, *ids: int) -> bytes:
    choice: dict[str, Any] = {"text": text}
    return json.dumps({"choices": [choice | ({"token_ids": list(ids)} if ids else {})]}).encode()


def asked(url: str, *, chat: bool = False, timeout_ns: int = S) -> dict[str, Any]:
    found: dict[str, Any] = serving_check(
        url,
        model="m",
        api_key="secret",
        chat=chat,
        prompts=["one"],
        tokens=7,
        timeout_ns=timeout_ns,
    )
    assert "firstlight.serving/1" == found["schema"]
    (request,) = found["requests"]
    assert isinstance(request, dict)
    return request


def test_tokens_are_kept_by_number_where_the_engine_tells_them() -> None:
    """And the text, and both moments."""
    with canned(stream(event("a ", 5), event("b", 6, 7), b"[DONE]")) as server:
        found = asked(server.url)

    assert ("a b", ["5", "6", "7"], None, "one") == (
        found["text"],
        found["tokens"],
        found["problem"],
        found["prompt"],
    )
    assert 0 < found["ttft_ns"] <= found["e2e_ns"] < S


def test_pieces_stand_for_tokens_where_it_does_not() -> None:
    """Also where it tells the numbers of some only."""
    with canned(stream(event("a ", 5), event("b"), b"[DONE]")) as server:
        assert ["a ", "b"] == asked(server.url)["tokens"]


def test_a_chat_is_asked_and_read_as_one() -> None:
    """The announcement of the role is no token."""
    role, said = ({"role": "assistant", "content": ""}, {"content": "hi"})
    events = [json.dumps({"choices": [{"delta": d}]}).encode() for d in (role, said)]
    with canned(stream(*events)) as server:
        found = asked(server.url, chat=True)
        request = server.asked[0]

    assert "hi" == found["text"]
    assert request.startswith(b"POST /v1/chat/completions")
    assert b'"messages"' in request


def test_the_request_is_always_the_same() -> None:
    """Greedy, with a fixed seed and a limit."""
    with canned(stream(event("a"))) as server:
        asked(server.url)
        head, _, body = server.asked[0].partition(b"\r\n\r\n")

    sent = json.loads(body)
    assert (0, 0, 7, True, "m") == tuple(
        sent[name] for name in ("temperature", "seed", "max_tokens", "stream", "model")
    )
    assert b"Authorization: Bearer secret" in head


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (reply(500, b'{"error": {"message": "no memory"}}'), "answered 500: no memory"),
        (stream(b"[DONE]"), "the stream ended without a token"),
        (b"what?\r\n\r\n", "does not answer with HTTP"),
    ],
)
def test_what_is_no_answer_is_kept_with_its_words(answer: bytes, words: str) -> None:
    """It never raises."""
    with canned(answer) as server:
        found = asked(server.url)

    assert words in found["problem"]
    assert (None, "") == (found["ttft_ns"], found["text"])


def test_an_answer_that_takes_too_long_is_given_up() -> None:
    """With how long that was."""
    with canned(stream(event("a")), hold_open=True) as server:
        assert "within 0.2 s" in asked(server.url, timeout_ns=S // 5)["problem"]


@pytest.mark.parametrize(
    ("choice", "text", "tokens"),
    [
        ({"text": "a", "token_ids": 5}, "a", ["a"]),
        ({"text": "a", "token_ids": "56"}, "a", ["a"]),
        ({"text": "a", "token_ids": [{}]}, "a", ["a"]),
        ({"text": "a\ud800"}, "a?", ["a?"]),
        ({"text": 5, "delta": 6, "token_ids": [7]}, "", ["7"]),
    ],
)
def test_odd_answers_are_read_as_far_as_they_make_sense(
    choice: dict[str, Any], text: str, tokens: list[str]
) -> None:
    """What is kept can always be read back."""
    with canned(stream(json.dumps({"choices": [choice]}).encode())) as server:
        found = asked(server.url)

    assert (text, tokens, None) == (found["text"], found["tokens"], found["problem"])
    assert found["text"] == read_served("x", as_file(found)).requests[0].text


def as_file(request: dict[str, Any]) -> bytes:
    return json.dumps({"schema": "firstlight.serving/1", "requests": [request]}).encode()


def test_an_answer_that_never_ends_is_broken_off() -> None:
    """The engine was asked for seven tokens; nobody waits for its seven-hundredth."""
    with canned(stream(*[event("a")] * 800)) as server:
        found = asked(server.url)

    assert "went on past 700 pieces" in found["problem"]
    assert (None, "", []) == (found["e2e_ns"], found["text"], found["tokens"])


def test_an_error_in_the_stream_is_quoted() -> None:
    """In the engine's own words."""
    wrong = json.dumps({"error": {"message": "the device is lost"}}).encode()
    with canned(stream(event("a"), wrong)) as server:
        found = asked(server.url)

    assert "the stream broke off: the device is lost" == found["problem"]

import os
import socket
import time

import pytest

from firstlight.edges.http_exchange import Answer
from firstlight.edges.http_polls import HttpPolls
from tests.fakes.canned_server import canned, reply, stream
from tests.fakes.processes import free_port

_MS = 1_000_000
_S = 1_000_000_000
_ROLE = b'{"choices": [{"delta": {"role": "assistant", "content": ""}}]}'
_TOKEN = b'{"choices": [{"text": "Hi", "finish_reason": "length"}]}'
_CHAT_TOKEN = b'{"choices": [{"delta": {"content": "Hi"}, "finish_reason": null}]}'
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"

polls = HttpPolls()


def token(url: str, *, chat: bool = False, timeout_ns: int = _S) -> Answer:
    return polls.first_token(url, timeout_ns=timeout_ns, api_key=None, model="m", chat=chat)


def test_a_closed_port_is_a_no() -> None:
    """The normal case before the server listens."""
    port = free_port()

    answer = polls.port(f"http://127.0.0.1:{port}", timeout_ns=_S)

    assert (answer.ok, answer.words) == (False, f"nobody listens on 127.0.0.1:{port}")


def test_a_connection_to_itself_is_a_no(monkeypatch: pytest.MonkeyPatch) -> None:
    """TCP connects one whose own port is by chance the one it asks for; here it always is."""

    def to_itself(address: tuple[str, int], **_: object) -> socket.socket:
        made = socket.socket()
        made.bind(address)
        made.connect(address)
        return made

    monkeypatch.setattr(socket, "create_connection", to_itself)
    port = free_port()

    answer = polls.port(f"http://127.0.0.1:{port}", timeout_ns=_S)

    assert not answer.ok
    assert f"nobody listens on 127.0.0.1:{port}" == answer.words


def test_an_open_port_is_a_yes() -> None:
    """Nothing needs to be said for that."""
    with canned() as server:
        answer = polls.port(server.url, timeout_ns=_S)

    assert answer.ok
    assert answer.asked_ns < answer.answered_ns


def test_health_200_is_a_yes_and_503_a_no() -> None:
    """The words are the evidence."""
    with canned(reply(200, b"")) as well, canned(reply(503, b"")) as ill:
        answers = [polls.health(server.url, timeout_ns=_S) for server in (well, ill)]

    assert [(one.ok, one.status, one.words) for one in answers] == [
        (True, 200, "GET /health answered 200"),
        (False, 503, "GET /health answered 503: (no words)"),
    ]


def test_an_answer_is_stamped_when_it_arrives() -> None:
    """A server that takes long to say yes was not proven ready before."""
    with canned(b"HTTP/1.1 ", reply(200, b"").removeprefix(b"HTTP/1.1 "), pause_s=0.1) as server:
        answer = polls.health(server.url, timeout_ns=_S)

    assert answer.ok
    assert answer.answered_ns - answer.asked_ns >= 100 * _MS


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ([], "no answer from"),
        ([b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"], "no answer from"),
        ([b"HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n", *[b"x"] * 50], "no answer from"),
    ],
    ids=["silence", "no body", "a byte now and then"],
)
def test_a_server_that_keeps_us_waiting_is_a_no_when_the_time_is_up(
    said: list[bytes], words: str
) -> None:
    """The time is for the whole answer, not for each piece of it."""
    with canned(*said, pause_s=0.02, hold_open=True) as server:
        answer = polls.health(server.url, timeout_ns=150 * _MS)

    assert (answer.ok, words in answer.words) == (False, True)
    assert 150 * _MS <= answer.answered_ns - answer.asked_ns < 400 * _MS


def test_what_a_slow_answer_used_up_is_not_given_to_its_body() -> None:
    """A status after most of the time, and a body that never comes."""
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"
    with canned(head[:9], head[9:], pause_s=0.3, hold_open=True) as server:
        answer = polls.health(server.url, timeout_ns=400 * _MS)

    assert not answer.ok
    assert 400 * _MS <= answer.answered_ns - answer.asked_ns < 600 * _MS


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (b"", "closed the connection without an answer"),
        (b"SSH-2.0-OpenSSH_9.6\r\n", "does not answer with HTTP"),
        (bytes(range(256)) * 300, "does not answer with HTTP"),
    ],
    ids=["hangs up", "ssh", "garbage"],
)
def test_what_is_no_http_answer_is_a_no(said: bytes, words: str) -> None:
    """No foreign exception comes out, whatever came in."""
    with canned(said) as server:
        answer = polls.health(server.url, timeout_ns=_S)

    assert (answer.ok, answer.status) == (False, None)
    assert words in answer.words


def test_a_host_that_does_not_exist_is_a_no() -> None:
    """The name is said."""
    answer = polls.port("http://no-such-host.invalid:1", timeout_ns=_S)

    assert (answer.ok, answer.words) == (False, "the host name no-such-host.invalid is unknown")


def test_the_models_route_gives_the_name() -> None:
    """And the key goes along."""
    with canned(reply(200, b'{"data": [{"id": "org/model"}, {"id": "adapter"}]}')) as server:
        answer = polls.models(server.url, timeout_ns=_S, api_key="k")

    assert (answer.ok, answer.model) == (True, "org/model")
    assert b"Authorization: Bearer k\r\n" in server.asked[0]


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"data": []}', b'{"data": [{"id": 5}]}'])
def test_a_models_route_without_a_name_is_still_a_yes(body: bytes) -> None:
    """The request can do without it."""
    with canned(reply(200, body)) as server:
        answer = polls.models(server.url, timeout_ns=_S, api_key=None)

    assert (answer.ok, answer.model) == (True, None)


def test_no_proxy_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cluster's proxy must not be asked about loopback."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setitem(os.environ, name, "http://127.0.0.1:1")
    with canned(reply(200, b"")) as server:
        answer = polls.health(server.url, timeout_ns=_S)

    assert answer.ok


def test_the_first_token_is_the_first_chunk_of_the_stream() -> None:
    """Stamped when it comes, not when the stream ends."""
    with canned(_HEAD, b"data: " + _TOKEN + b"\n\n", b"data: [DONE]\n\n", pause_s=0.15) as server:
        before = time.monotonic_ns()
        answer = token(server.url)

    assert (answer.ok, answer.words) == (True, "POST /v1/completions: the first token came")
    assert 150 * _MS <= answer.answered_ns - before < 290 * _MS


def test_one_token_is_asked_for_greedily_as_a_stream() -> None:
    """The smallest request that proves that the engine generates."""
    with canned(stream(_TOKEN, b"[DONE]")) as server:
        token(server.url)

    head, _, body = server.asked[0].partition(b"\r\n\r\n")
    assert head.startswith(b"POST /v1/completions HTTP/1.1\r\n")
    assert body == (
        b'{"prompt": "Hello", "max_tokens": 1, "temperature": 0, "stream": true, "model": "m"}'
    )


def test_in_a_chat_the_announcement_of_the_role_is_no_token() -> None:
    """The role's chunk costs no generation."""
    with canned(stream(_ROLE), b"data: " + _CHAT_TOKEN + b"\n\n", pause_s=0.1) as server:
        answer = token(server.url, chat=True)

    assert answer.ok
    assert answer.answered_ns - answer.asked_ns >= 100 * _MS


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (stream(b"[DONE]"), "the stream ended without a token"),
        (stream(), "the stream ended without a token"),
        (stream(_ROLE), "the stream ended without a token"),
        (stream(b'{"error": {"message": "EngineDeadError"}}'), "EngineDeadError"),
        (reply(200, b'{"choices": []}'), "choices"),
        (reply(500, b'{"error": {"message": "boom", "type": "x"}}'), "answered 500: boom"),
        (reply(404, b'{"detail": "Not Found"}'), "answered 404: Not Found"),
        (reply(502, b"<html>Bad Gateway</html>"), "answered 502: <html>Bad Gateway</html>"),
    ],
)
def test_an_answer_without_a_token_is_a_no_with_the_servers_words(said: bytes, words: str) -> None:
    """Whatever the status."""
    with canned(said) as server:
        answer = token(server.url)

    assert (answer.ok, words in answer.words) == (False, True)


def test_a_token_that_comes_in_one_piece_counts() -> None:
    """Some servers ignore that a stream was asked for."""
    with canned(reply(200, b'{"choices": [{"text": "Hi"}]}')) as server:
        answer = token(server.url)

    assert answer.ok


def test_a_token_stays_one_when_the_stream_breaks_after_it() -> None:
    """What follows does not matter any more."""
    chunked = (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    event = b"data: " + _TOKEN + b"\n\n"
    with canned(chunked + b"%x\r\n%s\r\n" % (len(event), event) + b"zz\r\n") as server:
        answer = token(server.url)

    assert answer.ok


def test_a_stream_that_never_brings_a_token_is_a_no_when_the_time_is_up() -> None:
    """Comments keep the connection alive, and prove nothing."""
    with canned(_HEAD, *[b": ping\n\n"] * 50, pause_s=0.02, hold_open=True) as server:
        answer = token(server.url, timeout_ns=150 * _MS)

    assert (answer.ok, "no answer from" in answer.words) == (False, True)

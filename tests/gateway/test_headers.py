"""Where a body ends, and what stays behind."""

import pytest

from firstlight.gateway import headers
from firstlight.gateway.answers import Code, Problem
from firstlight.gateway.headers import Framing

PLAIN = Framing(length_bytes=None, chunked=False, expects=False, host="a")


def framing(*pairs: tuple[str, str], is_1_0: bool = False) -> Framing | Problem:
    return headers.framing([("Host", "a"), *pairs], is_1_0=is_1_0)


def test_a_body_has_a_length_or_chunks_or_is_none() -> None:
    assert PLAIN == framing()
    assert not PLAIN.has_body
    told = framing(("Content-Length", "12"))
    assert Framing(length_bytes=12, chunked=False, expects=False, host="a") == told
    assert told.has_body
    chunked = framing(("transfer-encoding", "Chunked"))
    assert Framing(length_bytes=None, chunked=True, expects=False, host="a") == chunked
    assert chunked.has_body
    empty = framing(("Content-Length", "0"))
    assert isinstance(empty, Framing)
    assert (0, False) == (empty.length_bytes, empty.has_body)


@pytest.mark.parametrize(
    "pairs",
    [
        [("Content-Length", "5"), ("Transfer-Encoding", "chunked")],
        [("Content-Length", "5"), ("content-length", "5")],
        [("Content-Length", "5"), ("Content-Length", "6")],
        [("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "chunked")],
        [("Transfer-Encoding", "gzip, chunked")],
        [("Transfer-Encoding", "chunked, identity")],
        [("Transfer-Encoding", "identity")],
        [("Transfer-Encoding", "")],
        [("Transfer-Encoding", "chunked;q=1")],
        [("Transfer-Encoding", "\x0bchunked")],
        *(
            [("Content-Length", value)]
            for value in ("", "+5", "-1", "5, 5", "0x5", "5 ", "1e1", "٣")
        ),
        [("Content-Length", "9" * 19)],
        [("Content Length", "5")],
        [("", "5")],
        [("X", "a\x00b")],
        [("X", "a\nb")],
        [("X", "a\udce9b")],
        [("Xé", "a")],
        [("Host", "b")],
    ],
)
def test_a_head_with_two_readings_is_refused(pairs: list[tuple[str, str]]) -> None:
    got = framing(*pairs)
    assert isinstance(got, Problem)
    assert (Code.BAD_REQUEST, 400, True) == (got.code, got.status, got.closes)


@pytest.mark.parametrize(
    "host",
    ["", "a/sleep", "a/x?", "a?b", "a#b", "u@a", "a b", "a:", "a:x", "a:123456", "[::1", "ä"],
)
def test_a_host_is_a_name_or_an_address(host: str) -> None:
    assert isinstance(headers.framing([("Host", host)], is_1_0=False), Problem)


@pytest.mark.parametrize("host", ["a", "a.b-c_d:80", "127.0.0.1:1", "[::1]:8000", "[fe80::1]"])
def test_hosts_that_are_ones_pass(host: str) -> None:
    framed = headers.framing([("Host", host)], is_1_0=False)
    assert isinstance(framed, Framing)
    assert host == framed.host


def test_http_1_0_has_no_chunks_and_expects_nothing() -> None:
    assert isinstance(framing(("Transfer-Encoding", "chunked"), is_1_0=True), Problem)
    assert PLAIN == framing(("Expect", "100-continue"), is_1_0=True)


def test_a_client_may_expect_to_be_told_to_go_on_and_nothing_else() -> None:
    framed = framing(("Expect", "100-Continue"), ("Content-Length", "1"))
    assert isinstance(framed, Framing)
    assert framed.expects
    for value in ("200-ok", "", "100-continue, x"):
        got = framing(("Expect", value))
        assert isinstance(got, Problem)
        assert 417 == got.status


@pytest.mark.parametrize(
    "pairs",
    [
        [("Connection", "Upgrade"), ("Upgrade", "websocket")],
        [("Upgrade", "h2c, websocket")],
        [("Upgrade", "h2c"), ("Upgrade", "TLS/1.0")],
    ],
)
def test_no_change_of_protocol_passes(pairs: list[tuple[str, str]]) -> None:
    got = framing(*pairs)
    assert isinstance(got, Problem)
    assert (Code.UPGRADE, 400) == (got.code, got.status)


def test_an_offer_of_http_2_is_passed_over() -> None:
    """Java's client makes one with its first request, and takes an answer of HTTP/1.1 for a no."""
    offer = [
        ("Connection", "Upgrade, HTTP2-Settings"),
        ("Upgrade", "h2c"),
        ("HTTP2-Settings", "AAMAAABk"),
        ("X-Kept", "1"),
    ]
    framed = framing(*offer)
    assert isinstance(framed, Framing)
    assert [("X-Kept", "1"), ("Host", "a")] == headers.onward(offer, framed)


def test_what_goes_on_is_without_what_is_for_one_connection() -> None:
    pairs = [
        ("Host", "forged"),
        ("Connection", "close, X-Mine ,, content-length"),
        ("x-mine", "1"),
        ("Keep-Alive", "1"),
        ("TE", "trailers"),
        ("Trailer", "x"),
        ("Expect", "100-continue"),
        ("Content-Length", "5"),
        ("A", "1"),
        ("a", "2"),
    ]
    framed = Framing(length_bytes=5, chunked=False, expects=True, host="a")
    assert [("A", "1"), ("a", "2"), ("Host", "a"), ("Content-Length", "5")] == headers.onward(
        pairs, framed
    )
    chunked = Framing(length_bytes=None, chunked=True, expects=False, host=None)
    assert [("A", "1")] == headers.onward([("Transfer-Encoding", "chunked"), ("A", "1")], chunked)


def test_what_comes_back_keeps_its_order_and_loses_a_forged_mark() -> None:
    pairs = [("Set-Cookie", "a"), ("x-firstlight-gate", "refused"), ("Set-Cookie", "b")]
    assert [("Set-Cookie", "a"), ("Set-Cookie", "b")] == headers.back(pairs)


@pytest.mark.parametrize(
    ("pairs", "length"),
    [
        ([("content-length", "7")], 7),
        ([("Content-Length", "7"), ("Content-Length", "7")], 7),
        ([("Content-Length", "7"), ("Content-Length", "8")], None),
        ([("Content-Length", "7"), ("Transfer-Encoding", "chunked")], None),
        ([("Content-Length", "x")], None),
        ([], None),
    ],
)
def test_an_answer_tells_its_length_or_does_not(
    pairs: list[tuple[str, str]], length: int | None
) -> None:
    assert length == headers.length_of(pairs)


def test_bytes_that_are_no_text_are_refused_and_others_kept() -> None:
    pairs = headers.decoded([(b"Host", b"a"), (b"X-Name", "Zoë".encode())])
    assert [("Host", "a"), ("X-Name", "Zoë")] == pairs
    assert isinstance(headers.framing(pairs, is_1_0=False), Framing)
    assert isinstance(headers.framing(headers.decoded([(b"X", b"\xe9")]), is_1_0=False), Problem)

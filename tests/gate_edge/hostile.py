"""
Requests that try to be two, or another than they look like, to the byte.

Each is sent whole on a connection of its own. `SMUGGLED` is what must never be seen as a request
behind the gateway; where it stands in what a client may send as a body, it arrives as one.
"""

SMUGGLED = b"POST /sleep?level=2 HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"
_HEAD = b"POST /v1/completions HTTP/1.1\r\nHost: a\r\n"
_CHUNKED = _HEAD + b"Transfer-Encoding: chunked\r\n"
_END = b"0\r\n\r\n"


def _with(header: bytes, body: bytes = _END + SMUGGLED) -> bytes:
    return _HEAD + header + b"\r\n\r\n" + body


def _chunks(body: bytes) -> bytes:
    return _CHUNKED + b"\r\n" + body


_TWO_LENGTHS = {
    "length and chunks": _with(b"Content-Length: 6\r\nTransfer-Encoding: chunked"),
    "chunks and length": _with(b"Transfer-Encoding: chunked\r\nContent-Length: 6"),
    "length and odd chunks": _with(b"Content-Length: 6\r\nTransfer-Encoding: xchunked"),
    "length and chunks, other case": _with(b"content-length: 6\r\nTRANSFER-ENCODING: CHUNKED"),
    "trailers that frame": _chunks(
        b"0\r\nContent-Length: 70\r\nTransfer-Encoding: chunked\r\n\r\n" + SMUGGLED
    ),
    "two equal lengths": _with(b"Content-Length: 5\r\nContent-Length: 5", b"x" * 5),
    "two lengths": _with(b"Content-Length: 5\r\nContent-Length: 0", b"x" * 5 + SMUGGLED),
    "two lengths, other case": _with(b"Content-Length: 0\r\ncontent-length: 5", SMUGGLED),
    "a list of lengths": _with(b"Content-Length: 5, 5", b"x" * 5),
    "a list of two lengths": _with(b"Content-Length: 0,70", SMUGGLED),
}
_CODINGS = {
    f"coding {value!r}": _with(b"Transfer-Encoding: " + value)
    for value in (
        *(b"", b"identity", b"xchunked", b"chunkedx", b"chunked, identity", b"identity, chunked"),
        *(b"gzip, chunked", b"chunked, chunked", b"chunked;q=1", b'"chunked"', b"'chunked'"),
        *(b"\x0bchunked", b"\x0cchunked", b"chunked\x00", b"\x00chunked", b"chun\x00ked"),
        *(b"chunked,", b",chunked", b"chunked\xa0", b"cow", b"chunked\r\n ", b"chunked\r\n\tx"),
    )
}
_NAMES = {
    f"name {name!r}": _HEAD + name + b"\r\n\r\n" + _END + SMUGGLED
    for name in (
        *(b"Transfer-Encoding : chunked", b"Transfer-Encoding\t: chunked"),
        *(b" Transfer-Encoding: chunked", b"\tTransfer-Encoding: chunked"),
        *(b"Transfer-Encoding\x00: chunked", b"\x00Transfer-Encoding: chunked"),
        *(b"Transfer-Encoding\r\n : chunked", b"X: y\r\n Transfer-Encoding: chunked"),
        *(b"X: y\nTransfer-Encoding: chunked", b"X: y\rTransfer-Encoding: chunked"),
        *(b"Transfer-Encoding\xa0: chunked", b"Transfer-Enc\x7foding: chunked"),
        *(b"Transfer-Encoding", b": chunked", b"X y: chunked", b"X(y): chunked", b"X: y\r\n: z"),
        *(b"Content-Length : 5", b"Content-Length\t: 5", b" Content-Length: 5"),
        *(b"Content-Length\x00: 5", b"Content-Length\r\n: 5", b"Content-Length"),
    )
}
_LENGTHS = {
    f"length {value!r}": _with(b"Content-Length: " + value, b"x" * 5 + SMUGGLED)
    for value in (
        *(b"", b"+5", b"-5", b"5 5", b"0x5", b"5x", b"x5", b"1e1", b"5;", b"5.0", b"\xd9\xa5"),
        *(
            b"9" * 19,
            b"9" * 40,
            b"18446744073709551616",
            b"18446744073709551621",
            b"5\x00",
            b"\x005",
        ),
        *(b"5\r\n 0", b"\r\n 5", b"5\x0b", b"_5", b"5_0"),
    )
}
_CHUNKS = {
    f"chunks {body[:24]!r}": _chunks(body)
    for body in (
        *(b"-5\r\nxxxxx\r\n", b"+5\r\nxxxxx\r\n", b"0x5\r\nxxxxx\r\n", b"5 x\r\nxxxxx\r\n"),
        *(b"g\r\nxxxxx\r\n", b"\r\nxxxxx\r\n", b" 5\r\nxxxxx\r\n", b"\t5\r\nxxxxx\r\n"),
        *(b"5\nxxxxx\r\n", b"5\rxxxxx\r\n", b"5\r\nxxxxx\n", b"5\r\nxxxxx", b"5\r\nxxxxxx\r\n"),
        *(b"5\r\nxxxx\r\n" + _END, b"5\r\n\r\nxxxxx" + _END, b"5\r\nxxxxxX\n" + _END),
        *(b"5;a\nb\r\nxxxxx\r\n", b"5;a\rb\r\nxxxxx\r\n", b"5;\x00\r\nxxxxx\r\n"),
        *(b"5\x00\r\nxxxxx\r\n", b"5,5\r\nxxxxx\r\n", b"5_0\r\nxxxxx\r\n", b"5.\r\nxxxxx\r\n"),
        *(b"f" * 16 + b"\r\nx", b"f" * 17 + b"\r\nx", b"1" + b"0" * 16 + b"\r\nx"),
        *(b"8000000000000000\r\nx", b"fffffffffffffffb\r\nx", b"\xef\xbc\x95\r\nxxxxx\r\n"),
        *(
            b"0\r\nX: y\nZ: 0\r\n\r\n",
            b"0\r\nX y\r\n\r\n",
            b"0\r\n X: y\r\n\r\n",
            b"0\r\n: y\r\n\r\n",
        ),
        *(b"0\r\n\x00: y\r\n\r\n", b"0\n\n", b"0\r\n\n", b"0\n\r\n", b"0\r\n\rX"),
    )
}
_LINES = {
    f"line {line[:40]!r}": line + b"\r\nHost: a\r\n\r\n"
    for line in (
        *(b"POST /sleep", b"GET /sleep", b"GET /v1/models", b"/sleep", b"POST", b""),
        *(b"POST /sleep HTTP/0.9", b"POST /sleep HTTP/1.2", b"POST /sleep HTTP/2.0"),
        *(b"POST /sleep HTTP/1", b"POST /sleep HTTP/11", b"POST /sleep HTTP/1.1.1"),
        *(b"POST /sleep http/1.1", b"POST /sleep HTTP /1.1", b"POST /sleep XHTTP/1.1"),
        *(b"PRI * HTTP/2.0", b"OPTIONS * HTTP/1.1", b"POST * HTTP/1.1", b"CONNECT a:80 HTTP/1.1"),
        *(
            b"CONNECT /sleep HTTP/1.1",
            b"CONNECT ",
            b"TRACE /v1/models HTTP/1.1",
            b"SLEEP /v1/models HTTP/1.1",
        ),
        *(b"post /v1/models HTTP/1.1", b"POST  /sleep HTTP/1.1", b"POST\t/sleep HTTP/1.1"),
        *(b"POST /v1/models /sleep HTTP/1.1", b"POST /v1/models HTTP/1.1 HTTP/1.1"),
        *(b" POST /sleep HTTP/1.1", b"\x00POST /sleep HTTP/1.1", b"POST \x00/sleep HTTP/1.1"),
        *(b"POST /v1/mo\x00dels HTTP/1.1", b"POST /v1/models\x00 HTTP/1.1"),
        *(b"POST /v1/models\x0b/sleep HTTP/1.1", b"POST /v1/models\r/sleep HTTP/1.1"),
        *(b"POST /v1/models\n/sleep HTTP/1.1", b"POST /v1/models\xff HTTP/1.1"),
        *(b"POST /v1/models?\xff HTTP/1.1", b"POST /v1/models?a\x7f HTTP/1.1"),
        *(b"POST http://a/v1/models HTTP/1.1", b"POST http:///sleep HTTP/1.1"),
        *(b"POST a:80 HTTP/1.1", b"POST a HTTP/1.1", b"POST ?/sleep HTTP/1.1"),
        *(b"POST #/sleep HTTP/1.1", b"POST /v1/models#/sleep HTTP/1.1", b"POST \\sleep HTTP/1.1"),
        *(b"HTTP/1.1 200 OK", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"\x80\x00\x00\x00"),
    )
}
_HOSTS = {
    f"hosts {hosts!r}": b"POST /v1/completions HTTP/1.1\r\n" + hosts + b"\r\n\r\n" + SMUGGLED
    for hosts in (
        *(b"X: y", b"Host: a\r\nHost: b", b"Host: a\r\nhost: a", b"Host: ", b"Host: a/sleep?"),
        *(b"Host: a#", b"Host: u:p@a", b"Host: a b", b"Host: a, b", b"Host : a", b"Host: [::1"),
        *(b"Host: a\x00b", b"Host: a\r\n /sleep", b"Host: a:80:80", b"Host: \xff"),
    )
}
_UPGRADES = {
    f"upgrade {header!r}": _with(header, SMUGGLED)
    for header in (
        *(b"Connection: Upgrade\r\nUpgrade: websocket", b"Upgrade: h2", b"Upgrade: "),
        b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c/1\r\nHTTP2-Settings: AAMAAABkAAQ",
        *(b"Connection: upgrade\r\nUpgrade: TLS/1.0", b"Upgrade: h2c\r\nUpgrade: websocket"),
        b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key1: x",
        b"Connection: Upgrade\r\nUpgrade: tcp\r\nContent-Length: 3",
    )
}
_EXPECTS = {
    f"expects {value!r}": _with(b"Expect: " + value + b"\r\nContent-Length: 3", SMUGGLED)
    for value in (b"200-ok", b"100-continue, x", b"", b"100-continue\r\nExpect: 100-continue")
}
_ENDS = {
    "lines end with lf": b"POST /sleep HTTP/1.1\nHost: a\n\n",
    "lines end with cr": b"POST /sleep HTTP/1.1\rHost: a\r\r",
    "data route, lines end with lf": b"GET /v1/models HTTP/1.1\nHost: a\n\n",
    "the last line ends with lf": b"GET /v1/models HTTP/1.1\r\nHost: a\r\n\n",
    "the first line ends with lf": b"GET /v1/models HTTP/1.1\nHost: a\r\n\r\n",
    "a header ends with lf": b"GET /v1/models HTTP/1.1\r\nHost: a\nX: y\r\n\r\n",
    "a header ends with cr": b"GET /v1/models HTTP/1.1\r\nHost: a\rX: y\r\n\r\n",
    "no http at all": b"\x00" * 64,
    "one byte": b"P",
    "nothing": b"\r\n\r\n",
}
REFUSED: dict[str, bytes] = (
    _TWO_LENGTHS | _CODINGS | _NAMES | _LENGTHS | _CHUNKS | _LINES | _HOSTS | _UPGRADES
) | (_EXPECTS | _ENDS)
"""None of them reaches the engine, nor does anything that stands behind."""

TAKEN: dict[str, tuple[bytes, bytes]] = {
    "a request in a body": (
        _with(b"Content-Length: %d" % len(SMUGGLED), SMUGGLED + SMUGGLED),
        SMUGGLED,
    ),
    "a request in a chunk": (
        _chunks(b"%x\r\n" % len(SMUGGLED) + SMUGGLED + b"\r\n" + _END + SMUGGLED),
        SMUGGLED,
    ),
    "a request behind": (_with(b"Content-Length: 0", SMUGGLED), b""),
    "one behind that names no target": (
        _with(b"Content-Length: 0", b"CONNECT \r\nHost: a\r\n\r\n" + SMUGGLED),
        b"",
    ),
    "a request behind chunks": (_chunks(_END + SMUGGLED), b""),
    "a request in a query": (b"GET /v1/models?/../../sleep HTTP/1.1\r\nHost: a\r\n\r\n", b""),
    "one without a length": (_HEAD + b"\r\n" + SMUGGLED, b""),
    "chunks with a word": (_chunks(b'5;a="b"\r\nxxxxx\r\n' + _END), b"xxxxx"),
    "chunks of many zeros": (_chunks(b"0005\r\nxxxxx\r\n000\r\n\r\n"), b"xxxxx"),
    "chunks in other case": (
        _HEAD + b"transfer-encoding: \t Chunked\r\n\r\nA\r\n0123456789\r\n" + _END,
        b"0123456789",
    ),
    "a length with zeros": (_with(b"Content-Length: 005", b"xxxxx" + SMUGGLED), b"xxxxx"),
    "lengths named in connection": (
        _with(b"Connection: content-length, host\r\nContent-Length: 5", b"xxxxx" + SMUGGLED),
        b"xxxxx",
    ),
    "codings named in connection": (
        _with(b"Connection: transfer-encoding\r\nTransfer-Encoding: chunked"),
        b"",
    ),
    "a header that others frame by": (
        _with(b"Transfer_Encoding: chunked\r\nContent_Length: 70\r\nX-Length: 3", SMUGGLED),
        b"",
    ),
    "headers that others route by": (
        _with(
            b"X-Original-URL: /sleep\r\nX-Rewrite-URL: /sleep\r\nX-Forwarded-Prefix: /sleep\r\n"
            b"X-HTTP-Method-Override: TRACE\r\nX-Forwarded-Host: a/sleep",
            SMUGGLED,
        ),
        b"",
    ),
    "lines before the first": (b"\r\n\r\n" + _HEAD + b"\r\n", b""),
}
"""Odd, and a request all the same: how it arrives as the one that it is, with this body."""

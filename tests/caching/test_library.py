"""Pulling as a program calls it: values go in and come out, and only our own errors."""

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from firstlight.core.errors import FirstlightError, OutsideFailed
from firstlight.edges.cache_target import CacheTarget
from firstlight.wiring.caching.pulling import Order, pull
from firstlight.wiring.caching.steps import Event, Step
from tests.caches.made import FACTORS
from tests.caching.faulty import Spoils, faulty
from tests.caching.small import FILES, PUBLIC, pushed, read, write

pytestmark = pytest.mark.timeout(60)


def order(into: Path, *, timeout_s: float = 20) -> Order:
    return Order(into=into, here=FACTORS, trusted=(PUBLIC,), timeout_s=timeout_s, most_bytes=10**9)


def test_each_step_is_told(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """In order, with bytes that grow to all there are; nothing is printed."""
    url = f"file://{tmp_path}/store"
    done = pushed(url, write(tmp_path / "root"))
    told: list[Step] = []

    found = pull(url, order(tmp_path / "into" / "engine"), told.append)

    assert done.manifest is not None
    size = done.manifest.archive.size_bytes
    assert [Event.LOOKING, Event.CHOSEN] == [step.event for step in told[:2]]
    unpacking = told[2:]
    assert {Event.UNPACKING} == {step.event for step in unpacking}
    counted = [step.bytes_done or 0 for step in unpacking]
    assert sorted(counted) == counted
    assert (size, size) == (counted[-1], unpacking[-1].bytes_of)
    assert {done.key} == {step.key for step in told[1:]}
    assert found.seconds >= told[-1].seconds >= told[0].seconds >= 0
    assert ("", "") == tuple(capfd.readouterr())


class _Breaks:
    """Breaks the answer with this number, and counts them."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.asked = 0
        self._lock = threading.Lock()

    def __call__(self, ask: BaseHTTPRequestHandler, body: bytes) -> bool:
        with self._lock:
            number, self.asked = self.asked, self.asked + 1
        return number == self.number and self.spoil(ask, body)

    def spoil(self, ask: BaseHTTPRequestHandler, _: bytes) -> bool:
        raise NotImplementedError


class _Refuses(_Breaks):
    """With words of S3."""

    def spoil(self, ask: BaseHTTPRequestHandler, _: bytes) -> bool:
        body = b"<Error><Code>AccessDenied</Code></Error>"
        ask.send_response(403)
        ask.send_header("Content-Length", str(len(body)))
        ask.end_headers()
        ask.wfile.write(body)
        return True


class _Babbles(_Breaks):
    """With what is no answer to anything."""

    def spoil(self, ask: BaseHTTPRequestHandler, _: bytes) -> bool:
        body = b"\x00\xff<html>&nothing;" * 50
        ask.send_response(200)
        ask.send_header("Content-Length", str(len(body)))
        ask.end_headers()
        ask.wfile.write(body)
        return True


class _Other(_Breaks):
    """With as many bytes, each of them another."""

    def spoil(self, ask: BaseHTTPRequestHandler, body: bytes) -> bool:
        ask.send_response(206 if ask.headers["Range"] else 200)
        size = len(body)
        ask.send_header("Content-Length", str(size))
        ask.send_header("Content-Range", f"bytes 0-{size - 1}/{size}")
        ask.send_header("ETag", '"x"')
        ask.send_header("Last-Modified", "Mon, 30 Nov 2026 10:00:00 GMT")
        ask.end_headers()
        ask.wfile.write(bytes(byte ^ 1 for byte in body))
        return True


def refused(url: str, into: Path) -> FirstlightError | None:
    """Why nothing was taken; None where it was."""
    try:
        pull(url, order(into))
    except FirstlightError as wrong:
        return wrong
    return None


@pytest.mark.parametrize("kind", [_Refuses, _Babbles, _Other])
def test_a_store_that_breaks_at_any_step_is_an_error_of_ours(
    bucket: str,
    endpoint: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    *,
    kind: type[_Breaks],
) -> None:
    """One sentence and a remedy, nothing at the target, and nothing printed."""
    pushed(bucket, write(tmp_path / "root"))
    for number in range(20):
        breaks = kind(number)
        spoils: Spoils = breaks
        into = tmp_path / f"into-{number}" / "engine"
        with faulty(endpoint, spoils) as before:
            monkeypatch.setenv("AWS_ENDPOINT_URL", before)
            wrong = refused(bucket, into)
        if wrong is None:
            assert FILES == read(into)
        else:
            assert wrong.message.strip()
            assert wrong.remedy.strip()
            assert not into.exists()
        if breaks.asked <= number:
            break

    assert number > 1
    assert ("", "") == tuple(capfd.readouterr())


_FAULTS: list[tuple[str, BaseException]] = [
    ("firstlight.wiring.caching.pulling.ObjectStore.entries", RuntimeError("of a library")),
    ("firstlight.wiring.caching.pulling.ObjectStore.read", MemoryError()),
    ("firstlight.wiring.caching.pulling.ObjectStore.read_range", KeyError("of ours")),
    ("firstlight.wiring.caching.pulling.unpack", type("Panic", (BaseException,), {})("in Rust")),
    ("firstlight.wiring.caching.pulling.CacheTarget.check", PermissionError(13, "denied", "/x")),
    ("firstlight.wiring.caching.pulling.CacheTarget.arrive", OSError(5, "Input/output error")),
]


@pytest.mark.parametrize(("where", "fault"), _FAULTS, ids=[where for where, _ in _FAULTS])
def test_what_nobody_foresaw_is_an_error_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str, fault: BaseException
) -> None:
    """A fault of firstlight itself keeps no engine from starting."""
    url = f"file://{tmp_path}/store"
    pushed(url, write(tmp_path / "root"))
    monkeypatch.setattr(where, _raising(fault))

    with pytest.raises(OutsideFailed, match="pulling a cache broke off") as told:
        pull(url, order(tmp_path / "into" / "engine"))

    assert fault is told.value.__cause__
    assert not (tmp_path / "into" / "engine").exists()


def test_who_is_told_to_end_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That is no fault."""
    monkeypatch.setattr(CacheTarget, "check", _raising(KeyboardInterrupt()))

    with pytest.raises(KeyboardInterrupt):
        pull(f"file://{tmp_path}/store", order(tmp_path / "into" / "engine"))


def _raising(error: BaseException) -> Callable[..., Iterator[None]]:
    def call(*_: object, **__: object) -> Iterator[None]:
        raise error

    return call

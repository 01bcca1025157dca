"""A server in a pod, asked through the API server, and how much of it is listened to."""

import itertools
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from firstlight.edges.kube.answers import Refused
from firstlight.edges.kube.api import KubeApi
from firstlight.edges.kube.pod_reply import PodReply
from tests.edges.kube.server import scripted

pytestmark = pytest.mark.timeout(10)

MB = 1 << 20
S = 1_000_000_000


def drips(*, every_s: float, first: bytes = b"") -> Iterator[bytes]:
    """A body that never ends, and is never silent for long."""
    if first:
        yield first
    while True:
        time.sleep(every_s)
        yield b"x"


def lines_of(reply: PodReply) -> list[bytes]:
    return list(iter(reply.line, b""))


def asked(api: KubeApi, timeout_ns: int = 5 * S) -> Iterator[PodReply]:
    with api.through_pod("demo", "vllm-0", 8000, "/v1/x", timeout_ns=timeout_ns) as reply:
        assert isinstance(reply, PodReply), reply
        yield reply


def test_a_pod_is_asked_through_the_server(tmp_path: Path) -> None:
    """Line by line; a no of the pod's own server is not the cluster's."""
    with scripted(tmp_path) as (script, api):
        answers = iter(
            [(200, iter([b"data: a\n", b"\ndata:", b" b\n\n"])), (401, iter([b'{"error": "key"}']))]
        )
        script.says = lambda *_: next(answers)
        with api.through_pod("demo", "vllm-0", 8000, "/v1/completions") as reply:
            assert isinstance(reply, PodReply)
            lines = lines_of(reply)
            assert reply.asked_ns <= reply.answered_ns
        with api.through_pod("demo", "vllm-0", 8000, "/v1/models") as no:
            assert isinstance(no, Refused)

    assert [b"data: a", b"data: b"] == lines
    assert None is reply.broken
    assert "/api/v1/namespaces/demo/pods/vllm-0:8000/proxy/v1/completions" == script.asked[0][0]
    assert (401, False) == (no.status, no.own)


def test_what_was_not_read_line_by_line_is_the_body(tmp_path: Path) -> None:
    """Also of a line that has begun, and with no end of a line."""
    with scripted(tmp_path) as (script, api):
        script.says = lambda *_: (200, iter([b"a\n\nb", b"c\nd"]))
        for reply in asked(api):
            assert (b"a", b"\nbc\nd", b"") == (reply.line(), reply.body(), reply.body())


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_no_more_than_a_megabyte_is_kept(tmp_path: Path, end: bytes) -> None:
    """Of a body without a line's end, and of one with a thousand; in linear time."""
    with scripted(tmp_path) as (script, api):
        script.says = lambda *_: (200, itertools.repeat(b"x" * 65_000 + end))
        began = time.monotonic()
        for reply in asked(api):
            assert MB == len(reply.body())
        for reply in asked(api):
            assert (65_000 if end else MB) == len(reply.line())
    assert time.monotonic() - began < 2


def test_a_body_that_drips_ends_in_time(tmp_path: Path) -> None:
    """It is never silent, and it is over when the time is up; why, is said."""
    with scripted(tmp_path) as (script, api):
        script.says = lambda *_: (200, drips(every_s=0.05))
        began = time.monotonic()
        for reply in asked(api, timeout_ns=S // 2):
            reply.body()
            assert "no end within 0.5 s" == reply.broken
    assert 0.4 < time.monotonic() - began < 1.5


@pytest.mark.parametrize("every_s", [0.05, 4.0])
def test_the_rest_is_waited_for_a_second(tmp_path: Path, every_s: float) -> None:
    """Whether the server drips or falls silent after its token."""
    with scripted(tmp_path) as (script, api):
        script.says = lambda *_: (200, drips(every_s=every_s, first=b"data: token\n"))
        for reply in asked(api):
            assert b"data: token" == reply.line()
            began = time.monotonic()
            reply.drain()
            assert 0.9 < time.monotonic() - began < 1.7


def test_the_connection_serves_the_next_question(tmp_path: Path) -> None:
    """Long after the time of the one before is up."""
    with scripted(tmp_path) as (script, api):
        script.says = lambda *_: (200, iter([b"{}"]))
        for reply in asked(api, timeout_ns=S // 10):
            reply.body()
        time.sleep(0.2)

        assert {} == api.get("/api/v1/nodes/n")

"""The engine's server in a pod: what its answers mean, and who may say no in between."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from firstlight.edges.kube.api import KubeApi
from firstlight.edges.kube.pod_server import PodServer
from tests.edges.kube.server import Answer, Cut, scripted

pytestmark = pytest.mark.timeout(10)

TOKEN = b'data: {"choices": [{"text": "x"}]}\n\n'


def models(api: KubeApi, timeout_ns: int = 5 * 10**9) -> tuple[bool, str | None, bool, str]:
    answer = PodServer(api).models("demo", "vllm-0", 8000, https=False, timeout_ns=timeout_ns)
    return answer.ok, answer.model, answer.own, answer.words


def token(api: KubeApi, *, https: bool = False, timeout_ns: int = 5 * 10**9) -> tuple[bool, str]:
    answer = PodServer(api).first_token(
        "demo", "vllm-0", 8000, https=https, timeout_ns=timeout_ns, model="tiny", chat=False
    )
    return answer.ok, answer.words


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (200, b'{"data": [{"id": "tiny"}]}', (True, "tiny", False, "answered 200")),
        (200, b"<html>", (True, None, False, "answered 200")),
        (401, b'{"error": "who?"}', (False, None, False, "GET /v1/models answered 401: who?")),
        (403, b'{"kind": "Status", "message": "no right"}', (False, None, True, "no right")),
    ],
)
def test_who_says_what(
    tmp_path: Path, status: int, body: bytes, expected: tuple[bool, str | None, bool, str]
) -> None:
    """The pod's server in its words, the API server in its own."""
    with scripted(tmp_path) as (script, api):
        script.says = lambda *_: (status, iter([body]))
        ok, model, own, words = models(api)

    assert expected[:3] == (ok, model, own)
    assert expected[3] in words


def test_nobody_answers(tmp_path: Path) -> None:
    """That is an answer like any other."""
    with scripted(tmp_path) as (script, api):
        script.says = lambda *_: (200, late())
        began = time.monotonic()
        ok, model, _, words = models(api, timeout_ns=300_000_000)

    assert (True, None) == (ok, model), words
    assert time.monotonic() - began < 1.5


def late() -> Iterator[bytes]:
    yield b"{"
    time.sleep(2)


def test_a_token_is_asked_for_once(tmp_path: Path) -> None:
    """One, greedily, as a stream, from the port that speaks TLS."""
    with scripted(tmp_path) as (script, api):
        script.content_type = "text/event-stream"
        script.says = lambda *_: (200, iter([b": hello\n\n", TOKEN, b"data: [DONE]\n\n"]))
        ok, words = token(api, https=True)

    assert (True, "POST /v1/completions: the first token came") == (ok, words)
    (path, _), body = script.asked[0], json.loads(script.bodies[0])
    assert path.endswith("/pods/https:vllm-0:8000/proxy/v1/completions")
    assert ("tiny", 1, True) == (body["model"], body["max_tokens"], body["stream"])


def test_a_stream_without_a_token_ends_in_time(tmp_path: Path) -> None:
    """A server that keeps the connection alive for ever, and one that hangs up: why, is said."""

    def alive() -> Iterator[bytes]:
        while True:
            yield b": still here\n\n"
            time.sleep(0.02)

    def torn() -> Iterator[bytes]:
        yield b": hello\n\n"
        raise Cut

    answers: Iterator[Answer] = iter([(200, alive()), (200, torn())])
    with scripted(tmp_path) as (script, api):
        script.content_type = "text/event-stream"
        script.says = lambda *_: next(answers)
        kept, cut = token(api, timeout_ns=300_000_000), token(api)

    assert (False, False) == (kept[0], cut[0])
    assert kept[1].endswith("the stream ended without a token (no end within 0.3 s)")
    assert "the stream ended without a token (" in cut[1]

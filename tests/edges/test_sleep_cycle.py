import json
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

import pytest

from firstlight.edges.sleep_cycle import sleep_cycle
from tests.fakes.canned_server import canned, reply, stream

S = 1_000_000_000
Answers = Mapping[str, tuple[int, object]]


def cycle(answer: bytes, *, timeout_ns: int = S) -> dict[str, Any]:
    """Everything is answered alike: the calls take any 200, the rest looks at the body."""
    with canned(answer) as server:
        found = sleep_cycle(
            server.url,
            model="m",
            api_key=None,
            chat=False,
            level=1,
            timeout_ns=timeout_ns,
        )
        asked = [request.split(b" HTTP")[0].decode() for request in server.asked]
    return {**found, "asked": asked}


class Engine(BaseHTTPRequestHandler):
    """Answers by path; says the words of its state, and sleeps while it is told to."""

    answers: ClassVar[Answers] = {}
    words: ClassVar[list[str]] = []
    """What it says to each request in turn; to later ones the last."""
    asleep: ClassVar[bool] = False

    def do_GET(self) -> None:
        self._answered({"is_sleeping": self.asleep})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        of = type(self)
        if self.path == "/v1/completions":
            said = of.words.pop(0) if len(of.words) > 1 else of.words[0]
            if not json.loads(body)["stream"]:
                self._answered({"choices": [{"text": said}]})
                return
            events = [json.dumps({"choices": [{"text": one}]}).encode() for one in said]
            self.wfile.write(stream(*events, b"[DONE]"))
            return
        of.asleep = self.path.startswith("/sleep")
        self._answered({})

    def log_message(self, *_: object) -> None: ...

    def _answered(self, value: object) -> None:
        status, value = self.answers.get(self.path, (200, value))
        self.wfile.write(reply(status, json.dumps(value).encode()))


def cycle_of(words: list[str], answers: Answers | None = None) -> dict[str, Any]:
    """One cycle of an engine that answers by path."""
    engine = type("Engine", (Engine,), {"words": words, "answers": answers or {}})
    with ThreadingHTTPServer(("127.0.0.1", 0), engine) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        found = sleep_cycle(
            f"http://127.0.0.1:{server.server_port}",
            model=None,
            api_key=None,
            chat=False,
            level=1,
            timeout_ns=S,
        )
        server.shutdown()
    return found


@pytest.mark.parametrize(
    ("words", "agreement", "problem"),
    [
        (["abcd", "abcd", "a", "abcd"], 1.0, None),
        (["abcd", "abcd", "a", "abxd"], 0.5, None),
        (["abcd", "abcd", "a", "ab"], 0.5, None),
        (["abcd", "abcx", "a", "xxxx"], None, None),
        (["abcd", "abcd", "x", "xxxx"], 0.0, "its weights did not come back"),
    ],
    ids=["alike", "later other", "shorter", "never steady", "other from the first on"],
)
def test_what_it_says_is_held_against_what_it_said_before(
    words: list[str], agreement: float | None, problem: str | None
) -> None:
    """Nonsense after a wake-up is no wake-up; an engine that is never steady is let be."""
    found = cycle_of(words)

    assert agreement == found["agreement"]
    assert (problem or "") in (found["problem"] or "")
    assert (problem is None) == (found["problem"] is None)


def test_one_that_failed_to_sleep_is_woken() -> None:
    """It says that it sleeps, and requests to it would wait for ever."""
    found = cycle_of(["a"], {"/sleep?level=1": (500, {"error": {"message": "no room"}})})

    assert (
        "/sleep?level=1 answered 500: no room; it said that it sleeps all the same, and was woken"
        == found["problem"]
    )
    assert "asleep_ns" not in found


def test_one_that_failed_to_sleep_and_to_wake_is_told_with_both() -> None:
    """The failure first, then what came of the attempt to mend it."""
    no = (500, {"error": {"message": "no"}})

    found = cycle_of(["a"], {"/sleep?level=1": no, "/wake_up": no})

    assert (
        "/sleep?level=1 answered 500: no; since then /wake_up answered 500: no" == found["problem"]
    )


def test_a_wake_up_that_fails_is_told_with_what_it_leaves() -> None:
    """A dead engine core shows in `/health`; one that goes on sleeping does not."""
    no = (500, {"error": {"message": "no"}})

    sleeping = cycle_of(["a"], {"/wake_up": no, "/is_sleeping": (200, {"is_sleeping": True})})
    dead = cycle_of(["a"], {"/wake_up": no, "/health": (503, {})})

    assert (
        "/wake_up answered 500: no; since then it says that it sleeps, so requests wait, "
        "and /health answered 200" == sleeping["problem"]
    )
    assert dead["problem"].startswith("/wake_up answered 500: no; since then ")
    assert "/health answered 503" in dead["problem"]
    assert "woken_ns" not in sleeping


def test_it_is_woken_once_it_says_that_it_sleeps() -> None:
    """In this order, each moment after the one before."""
    body = {"is_sleeping": True, "choices": [{"text": "a"}]}

    found = cycle(reply(200, json.dumps(body).encode()))

    same = "POST /v1/completions"
    assert [
        *(same, same),
        "POST /sleep?level=1",
        "GET /is_sleeping",
        "GET /health",
        "POST /wake_up",
        *("POST /v1/completions", same),
    ] == found["asked"]
    names = ("sleep_asked", "asleep", "wake_asked", "woken", "first_token")
    moments = [found[f"{name}_ns"] for name in names]
    assert (None, sorted(moments)) == (found["problem"], moments)


def test_one_that_never_sleeps_is_not_woken() -> None:
    """The wake-up of an engine that is awake takes no time."""
    found = cycle(reply(200, b'{"is_sleeping": false}'), timeout_ns=S // 5)

    assert "/is_sleeping never said that it sleeps" == found["problem"]
    assert "POST /wake_up" not in found["asked"]


def test_a_wake_up_without_a_token_is_no_wake_up() -> None:
    """The words are the server's."""
    found = cycle(reply(200, b'{"is_sleeping": true}'))

    assert found["problem"].startswith("no token after the wake-up: POST /v1/completions")
    assert "first_token_ns" not in found


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (reply(404, b'{"detail": "Not Found"}'), "/sleep?level=1 answered 404: Not Found"),
        (b"what?\r\n\r\n", "/sleep?level=1: "),
    ],
)
def test_a_refusal_is_kept_with_its_words(answer: bytes, words: str) -> None:
    """It never raises."""
    assert words in cycle(answer)["problem"]

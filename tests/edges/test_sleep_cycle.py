import json
from typing import Any

import pytest

from firstlight.edges.sleep_cycle import sleep_cycle
from tests.fakes.canned_server import canned, reply

S = 1_000_000_000


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


def test_it_is_woken_once_it_says_that_it_sleeps() -> None:
    """In this order, each moment after the one before."""
    body = {"is_sleeping": True, "choices": [{"text": "a"}]}

    found = cycle(reply(200, json.dumps(body).encode()))

    assert [
        "POST /sleep?level=1",
        "GET /is_sleeping",
        "POST /wake_up",
        "POST /v1/completions",
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

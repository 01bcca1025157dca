"""The gateway's own words, in the shape that clients of an engine read."""

import json

import pytest

from firstlight.gateway.answers import Code, Problem, on_the_wire
from firstlight.gateway.orders import Why


def test_an_error_has_the_shape_of_openais_and_says_who_speaks() -> None:
    problem = Problem(code=Why.FULL, words="too many wait", retry_after_s=7)
    assert {
        "error": {
            "message": "too many wait",
            "type": "server_error",
            "param": None,
            "code": "queue_full",
        }
    } == json.loads(problem.body)
    assert (
        503,
        (
            ("Content-Type", "application/json"),
            ("X-Firstlight-Gate", "refused"),
            ("Retry-After", "7"),
        ),
    ) == (problem.status, problem.headers)


@pytest.mark.parametrize(
    ("code", "status", "fault"),
    [
        (Code.NO_ROUTE, 404, "invalid_request_error"),
        (Code.METHOD, 405, "invalid_request_error"),
        (Code.UPGRADE, 400, "invalid_request_error"),
        (Code.BAD_REQUEST, 400, "invalid_request_error"),
        (Code.EXPECTATION, 417, "invalid_request_error"),
        (Code.HEAD_TOO_LARGE, 431, "invalid_request_error"),
        (Code.BODY_TOO_LARGE, 413, "invalid_request_error"),
        (Code.TOO_SLOW, 408, "invalid_request_error"),
        (Code.CONNECTIONS, 503, "server_error"),
        (Code.UNREACHABLE, 502, "server_error"),
        (Code.BROKE_OFF, 502, "server_error"),
        (Code.NO_HTTP, 502, "server_error"),
        (Code.ABANDONED, 502, "server_error"),
        (Code.OURS, 500, "server_error"),
        *((why, 503, "server_error") for why in Why),
    ],
)
def test_each_reason_has_its_status(code: Code | Why, status: int, fault: str) -> None:
    problem = Problem(code=code, words="words")
    assert (status, fault) == (problem.status, json.loads(problem.body)["error"]["type"])


def test_every_reason_is_in_the_table_above() -> None:
    assert all(Problem(code=code, words="").status for code in Code)
    assert not {code.value for code in Code} & {why.value for why in Why}


def test_a_connection_ends_where_the_end_of_a_request_is_not_known_or_the_gateway_ends() -> None:
    closing = {code for code in (*Code, *Why) if Problem(code=code, words="").closes}
    assert {
        Code.UPGRADE,
        Code.BAD_REQUEST,
        Code.EXPECTATION,
        Code.HEAD_TOO_LARGE,
        Code.BODY_TOO_LARGE,
        Code.TOO_SLOW,
        Code.CONNECTIONS,
        Code.OURS,
        Why.DRAINING,
    } == closing


def test_an_answer_can_be_written_without_a_request() -> None:
    problem = Problem(code=Code.TOO_SLOW, words="too slow")
    head, _, body = on_the_wire(problem).partition(b"\r\n\r\n")
    assert head.split(b"\r\n") == [
        b"HTTP/1.1 408 request_too_slow",
        b"Content-Type: application/json",
        b"X-Firstlight-Gate: refused",
        b"Content-Length: %d" % len(body),
        b"Connection: close",
    ]
    assert body == problem.body

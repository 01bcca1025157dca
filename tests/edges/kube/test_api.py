"""Questions to an API server, and what comes of odd answers."""

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from firstlight.core.errors import OutsideFailed
from firstlight.edges.kube.answers import Refused, asked
from tests.edges.kube.server import Answer, Cut, scripted

pytestmark = pytest.mark.timeout(10)


def whole(document: dict[str, Any], status: int = 200) -> Answer:
    return status, iter([json.dumps(document).encode()])


@pytest.mark.parametrize(
    ("method", "path", "params", "expected"),
    [
        ("GET", "/api/v1/namespaces/demo/pods", None, "list pods in namespace demo"),
        ("GET", "/api/v1/pods", {"watch": "1"}, "watch pods"),
        ("GET", "/api/v1/nodes/n", None, "get nodes n"),
        ("GET", "/api/v1/namespaces/demo", None, "get namespaces demo"),
        ("GET", "/api/v1/namespaces/d/pods/p/log", None, "get pods/log p in namespace d"),
        ("POST", "/api/v1/namespaces/d/pods/p:80/proxy/v1/x", None, "create pods/proxy p:80 in"),
        ("GET", "/apis/karpenter.sh/v1/nodeclaims", None, "list nodeclaims.karpenter.sh"),
        ("PATCH", "/apis/apps/v1/namespaces/d/deployments/x", None, "patch deployments.apps x in"),
        ("GET", "/version", None, "list discovery"),
    ],
)
def test_a_request_in_the_words_of_rbac(
    method: str, path: str, params: dict[str, str] | None, expected: str
) -> None:
    """A right is granted for a verb on a resource."""
    assert str(asked(method, path, params)).startswith(expected)


def test_pages_become_one_list(tmp_path: Path) -> None:
    """Each item says its kind, as in a list that kubectl prints."""
    with scripted(tmp_path) as (script, api):

        def says(_: str, query: dict[str, str]) -> Answer:
            name, more = ("b", {}) if "continue" in query else ("a", {"continue": "next"})
            item = {"metadata": {"name": name}}
            return whole(
                {
                    "kind": "PodList",
                    "apiVersion": "v1",
                    "metadata": {"resourceVersion": "7", **more},
                    "items": [item],
                }
            )

        script.says = says
        answer = api.items("/api/v1/pods")

    assert isinstance(answer, dict)
    assert [("Pod", "a"), ("Pod", "b")] == [
        (one["kind"], one["metadata"]["name"]) for one in answer["items"]
    ]
    assert {"resourceVersion": "7"} == answer["metadata"]


def test_pages_that_outlive_their_version_are_asked_for_in_one_piece(tmp_path: Path) -> None:
    """410 in the middle of a list."""
    with scripted(tmp_path) as (script, api):

        def says(_: str, query: dict[str, str]) -> Answer:
            if "continue" in query:
                return whole({"kind": "Status", "reason": "Expired"}, 410)
            more = {"continue": "next"} if "limit" in query else {}
            items = [] if "limit" in query else [{"metadata": {"name": "a"}}]
            return whole({"kind": "PodList", "metadata": more, "items": items})

        script.says = says
        answer = api.items("/api/v1/pods")

    assert isinstance(answer, dict)
    assert 1 == len(answer["items"])


def test_a_no_is_a_value(tmp_path: Path) -> None:
    """With the server's words, and whose they are."""
    with scripted(tmp_path) as (script, api):
        script.says = lambda *_: whole(
            {"kind": "Status", "reason": "Forbidden", "message": "you may not"}, 403
        )
        answer = api.get("/api/v1/nodes/n")

    assert isinstance(answer, Refused)
    assert (True, True, "you may not", "get", "nodes") == (
        answer.forbidden,
        answer.own,
        answer.words,
        answer.verb,
        answer.resource,
    )


def test_a_no_that_never_ends_is_a_no(tmp_path: Path) -> None:
    """Something behind the server may talk for ever; a sentence of it is enough."""
    with scripted(tmp_path) as (script, api):
        script.says = lambda *_: (404, itertools.repeat(b"x" * 65_000))
        answer = api.get("/api/v1/nodes/n")

    assert isinstance(answer, Refused)
    assert (404, False, "x" * 500) == (answer.status, answer.own, answer.words)


def test_a_cut_answer_is_asked_for_again(tmp_path: Path) -> None:
    """It changes nothing to ask twice."""
    with scripted(tmp_path) as (script, api):

        def half() -> Iterator[bytes]:
            yield b'{"half'
            raise Cut

        answers = iter([(200, half()), (200, half()), whole({"whole": True})])
        script.says = lambda *_: next(answers)

        assert {"whole": True} == api.get("/api/v1/nodes/n")


def test_a_server_that_starts_is_asked_again(tmp_path: Path) -> None:
    """It was there, is busy, refuses what it allows a second later, and answers."""
    with scripted(tmp_path) as (script, api):

        def cut() -> Iterator[bytes]:
            yield b"{"
            raise Cut

        answers = iter(
            [
                whole({}),
                (200, cut()),
                whole({"message": "starting"}, 503),
                whole({"kind": "Status", "reason": "Forbidden"}, 403),
                whole({"whole": True}),
            ]
        )
        script.says = lambda *_: next(answers)
        api.get("/api/v1/nodes/n")

        assert {"whole": True} == api.get("/api/v1/nodes/n")


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (401, b"{}", "does not accept the credentials of context here"),
        (200, b"<html>a proxy</html>", "no JSON object"),
        (200, b"[1]", "no JSON object"),
    ],
)
def test_what_makes_every_question_pointless_raises(
    tmp_path: Path, status: int, body: bytes, words: str
) -> None:
    """One sentence, one remedy."""
    with scripted(tmp_path) as (script, api):
        script.says = lambda *_: (status, iter([body]))
        with pytest.raises(OutsideFailed, match=words):
            api.get("/api/v1/nodes/n")


def test_who_asks_for_somebody_else_says_so(tmp_path: Path) -> None:
    """Impersonation, as the kubeconfig's user has it."""
    user: dict[str, object] = {"token": "t", "as": "jane", "as-groups": ["a", "b"]}
    with scripted(tmp_path, user) as (script, api):
        script.says = lambda *_: whole({})
        api.get("/version")

    assert ("jane", "Bearer t") == (
        script.headers[0]["Impersonate-User"],
        script.headers[0]["Authorization"],
    )


def test_the_servers_clock_is_bounded(tmp_path: Path) -> None:
    """By every answer's date; this one is on the same machine."""
    with scripted(tmp_path) as (script, api):
        script.says = lambda *_: whole({})
        assert api.clock_difference is None
        api.get("/version")
        difference = api.clock_difference

    assert difference is not None
    assert -1_100_000_000 < difference.lowest_ns <= 0 <= difference.highest_ns < 1_100_000_000

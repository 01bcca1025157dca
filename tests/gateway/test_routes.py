"""Which target is whose, by its spelling alone."""

import pytest

from firstlight.gateway.answers import Code, Problem
from firstlight.gateway.routes import DATA, OWN, Route, route
from tests.gateway.control_routes import CONTROL, sloppy, spellings

DATA_BELOW_V1 = (
    "/v1/audio/transcriptions",
    "/v1/audio/translations",
    "/v1/chat/completions",
    "/v1/chat/completions/batch",
    "/v1/chat/completions/derender",
    "/v1/chat/completions/render",
    "/v1/completions",
    "/v1/completions/derender",
    "/v1/completions/render",
    "/v1/embeddings",
    "/v1/messages",
    "/v1/messages/count_tokens",
    "/v1/messages/render",
    "/v1/models",
    "/v1/rerank",
    "/v1/responses",
    "/v1/responses/render",
    "/v1/responses/resp_0f3Ab",
    "/v1/responses/resp_0f3Ab/cancel",
    "/v1/score",
    "/v1/systemone",
    "/v1/models/Qwen/Qwen3-0.6B",
)
"""Of vLLM 0.32.0, and what OpenAI has for one model."""


@pytest.mark.parametrize("path", [*sorted(DATA), *DATA_BELOW_V1])
def test_each_data_route_passes_with_its_query(path: str) -> None:
    wakes = not path.startswith("/v1/models")
    assert Route(is_own=False, path=path, query="", wakes=wakes) == route("POST", path)
    asked = route("GET", f"{path}?a=%2F|&b?")
    assert isinstance(asked, Route)
    assert (False, path, "a=%2F|&b?") == (asked.is_own, asked.path, asked.query)


@pytest.mark.parametrize("path", sorted(OWN))
def test_the_gateways_own_are_its_own_in_one_spelling(path: str) -> None:
    assert Route(is_own=True, path=path, query="q") == route("GET", f"{path}?q")
    for other in (f"{path}/", path.upper(), f"/{path}", f"/v1/..{path}", f"{path};", f"{path}%20"):
        assert isinstance(route("GET", other), Problem), other


@pytest.mark.parametrize("control", CONTROL)
def test_no_control_route_passes_in_any_spelling(control: str) -> None:
    for target in spellings(control):
        for method in ("GET", "POST", "HEAD", "OPTIONS"):
            goes = route(method, target)
            if isinstance(goes, Route):
                assert not goes.is_own, target
                assert sloppy(goes.path) not in CONTROL, target


@pytest.mark.parametrize("target", spellings("/sleep"))
def test_of_all_spellings_of_one_only_questions_about_data_routes_pass(target: str) -> None:
    assert isinstance(route("POST", target), Problem)


def test_the_oracle_of_these_tests_sees_through_most_spellings() -> None:
    """The others make another route of it: below something, or with something behind."""
    seen = [target for target in spellings("/sleep") if sloppy(target) == "/sleep"]
    assert 46 <= len(seen)


@pytest.mark.parametrize("method", ["CONNECT", "TRACE", "get", "PRI", "SLEEP", ""])
def test_other_methods_pass_nowhere(method: str) -> None:
    goes = route(method, "/v1/models")
    assert isinstance(goes, Problem)
    assert (Code.METHOD, 405) == (goes.code, goes.status)


@pytest.mark.parametrize(
    "query", ["a b", "a#b", "a\tb", "a\x00", "a\x7f", "é", "\udce9", "a\r\nX: y"]
)
def test_a_query_is_printable_or_refused(query: str) -> None:
    goes = route("GET", f"/v1/models?{query}")
    assert isinstance(goes, Problem)
    assert (Code.BAD_REQUEST, 400) == (goes.code, goes.status)


def test_a_websocket_is_said_not_to_pass() -> None:
    goes = route("GET", "/v1/realtime")
    assert isinstance(goes, Problem)
    assert (404, "websockets are not passed to the engine") == (goes.status, goes.words)


@pytest.mark.parametrize(
    "path",
    [
        "/v1",
        "/v1/",
        "/v1/models/",
        "/v1//models",
        "/v1/Models",
        "/v1/chat/Completions",
        "/v1/models/..",
        "/v1/models/.x",
        "/v1/models/x.",
        "/v1/models/a%2fb",
        "/v1/a.b",
        "/v1/-",
        "/v1/a b",
        "/v1/ä",
        "/v1/models/ä",
        "/v1/a\n",
        "/tokenize/",
        "/Tokenize",
        "/",
        "",
        "*",
    ],
)
def test_a_spelling_that_would_need_putting_right_is_nobodys(path: str) -> None:
    assert isinstance(route("GET", path), Problem)


@pytest.mark.parametrize(
    ("method", "target", "wakes"),
    [
        ("GET", "/v1/models", False),
        ("HEAD", "/v1/models", False),
        ("GET", "/v1/models/org/name?x=1", False),
        ("POST", "/v1/models", False),
        ("POST", "/v1/models/org/name", False),
        ("GET", "/v1/responses/resp_1", False),
        ("HEAD", "/v1/completions", False),
        ("OPTIONS", "/v1/chat/completions", False),
        ("GET", "/score", False),
        ("PUT", "/score", False),
        ("PATCH", "/v1/completions", False),
        ("DELETE", "/v1/responses/resp_1", False),
        ("POST", "/v1/responses/resp_1/cancel", True),
        ("POST", "/score", True),
        ("POST", "/v1/completions", True),
        ("POST", "/v1/a-later-one", True),
    ],
)
def test_what_cannot_generate_wakes_nobody(method: str, target: str, wakes: bool) -> None:
    """A dashboard that asks for something every few seconds would keep the engine awake."""
    goes = route(method, target)
    assert isinstance(goes, Route)
    assert wakes is goes.wakes


@pytest.mark.parametrize(
    "name", ["default", "sql-lora", "awake-7b", "org/llama-scale", "reset", "worldmodel/x:Adapter"]
)
def test_a_name_that_a_user_gave_is_no_word_of_control(name: str) -> None:
    for method in ("GET", "HEAD", "OPTIONS"):
        assert isinstance(route(method, f"/v1/models/{name}"), Route)
    # Where a model could be steered, it is no look any more.
    assert isinstance(route("POST", f"/v1/models/{name}/unload_lora"), Problem)


def test_of_a_name_by_chance_only_what_stands_around_it_is_read() -> None:
    assert isinstance(route("POST", "/v1/batches/batch_rpc4Lora/cancel"), Route)
    assert isinstance(route("POST", "/v1/batches/batch_rpc4Lora/reset"), Problem)

"""
Which requests are for the engine, which for the gateway, and which for nobody.

An engine in development mode has routes that put it to sleep, load code into it or swap its
weights, all without a word of authentication, beside those that people are to use. What tells
them apart is the path, and there are many ways to spell one: its server decodes `%73leep`, and
whatever merges slashes or resolves dots in between would do the same. So nothing is decoded or
put right here: a target is let through as it was spelled, and only in the one spelling that
needs no putting right. Whatever has a percent sign in its path is nobody's, however harmless it
may be: no data route needs one.

The data routes are those of vLLM 0.32.0 (`vllm/entrypoints/**/api_router.py`), and below `/v1/`
all that later versions may add, but for words that only control routes have, where they stand in
no name. Left out on purpose, of the same version: /abort_requests, /collective_rpc, /docs,
/fault_tolerance/*, /finish_weight_update, /get_world_size, /inference/v1/abort_requests,
/init_weight_transfer_engine, /is_paused, /is_scaling_elastic_ep, /is_sleeping, /kv_event_sources,
/load, /pause, /ping, /release_kv_cache_memory, /reset_*, /resume, /scale_elastic_ep, /server_info,
/shutdown_weight_transfer_engine, /sleep, /start_*, /stop_profile, /tokenizer_info,
/update_weights, /update_weight_version, /v1/load_lora_adapter, /v1/unload_lora_adapter, /version,
/wake_up, /weight_checker, /weight_info.
"""

import re
from dataclasses import dataclass

from firstlight.gateway.answers import Code, Problem

OWN = frozenset(
    {
        "/health",
        "/readyz",
        "/livez",
        "/startupz",
        "/metrics",
        "/-/engine-livez",
        "/-/drained",
        "/-/sleep",
        "/-/wake",
        "/-/state",
    }
)
"""Answered by the gateway itself."""
DATA = frozenset(
    {
        "/classify",
        "/cohere/v2/chat",
        "/cohere/v2/chat/render",
        "/detokenize",
        "/generative_scoring",
        "/inference/v1/generate",
        "/invocations",
        "/pooling",
        "/rerank",
        "/score",
        "/tokenize",
        "/v2/embed",
        "/v2/rerank",
    }
)
"""Of the engine, outside of `/v1/`."""
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_LOOKS = frozenset({"GET", "HEAD", "OPTIONS"})
_MODELS = "/v1/models"
_NO_WEBSOCKET = "/v1/realtime"
_CONTROL = (
    *("abort", "adapter", "admin", "collective", "debug", "elastic", "fault", "internal"),
    *("kv_cache", "lora", "pause", "profile", "reset", "resume", "rpc", "scale", "server_info"),
    *("shutdown", "sleep", "update", "wake", "weight", "world"),
)
"""Words in the names of routes that steer an engine, now or in a version to come."""
_SEGMENT = "[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?"
_ID = "[A-Za-z0-9](?:[A-Za-z0-9._:-]*[A-Za-z0-9])?"
_PATH = re.compile(
    rf"/v1/(?:(?:responses|conversations|files|batches)/(?P<id>{_ID})(?:/{_SEGMENT})*"
    rf"|models/(?P<model>{_ID}(?:/{_ID})*)"
    rf"|{_SEGMENT}(?:/{_SEGMENT})*)",
    re.ASCII,
)
_QUERY = re.compile(r"[!-\"$-~]*", re.ASCII)
"""All that is printable, but for spaces and the sign that begins a fragment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """Where a request goes."""

    is_own: bool
    """To the gateway itself; to the engine otherwise."""
    path: str
    query: str
    wakes: bool = True
    """Whether the engine must be awake for it, as for all that may generate. The rest is answered
    by its front end, asleep too: nobody waits for that, and no clock begins anew."""


def route(method: str, target: str) -> Route | Problem:
    """
    Where a request goes, or why it goes nowhere.

    Args:
        method: as the client wrote it.
        target: what stands in the request line, as it was spelled.
    """
    if method not in METHODS:
        return Problem(code=Code.METHOD, words="this method is not passed to the engine")
    if not target.startswith("/"):
        words = "the target of a request begins with a slash here: this is no forward proxy"
        return Problem(code=Code.BAD_REQUEST, words=words)
    path, _, query = target.partition("?")
    if not _QUERY.fullmatch(query):
        words = "there are characters in the query that must be percent-encoded"
        return Problem(code=Code.BAD_REQUEST, words=words)
    if path in OWN:
        return Route(is_own=True, path=path, query=query)
    if path == _NO_WEBSOCKET:
        return Problem(code=Code.NO_ROUTE, words="websockets are not passed to the engine")
    if path in DATA or _passes(method, path):
        return Route(is_own=False, path=path, query=query, wakes=_may_generate(method, path))
    words = "no such route here: what is passed to the engine is spelled as in its documentation"
    return Problem(code=Code.NO_ROUTE, words=words)


def _may_generate(method: str, path: str) -> bool:
    # A route that this version does not know may be one that generates, and would hang asleep. A
    # response that was asked for before is looked up by GET; it lies in the front end's memory.
    return method == "POST" and path != _MODELS and not path.startswith(f"{_MODELS}/")


def _passes(method: str, path: str) -> bool:
    """Whether it is spelled as a route below `/v1/`, and has no word of control but in a name."""
    found = _PATH.fullmatch(path)
    if found is None:
        return False
    # Names are made by users, who call a model `default` or `sql-lora`, or by chance.
    named = "model" if found["model"] and method in _LOOKS else "id"
    begin, end = found.span(named)
    words = (path if found[named] is None else path[:begin] + path[end:]).lower()
    return not any(word in words for word in _CONTROL)

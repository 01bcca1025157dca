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
all that later versions may add, but for words that only control routes have. Left out on purpose,
of the same version: /abort_requests, /collective_rpc, /docs, /fault_tolerance/*,
/finish_weight_update, /get_world_size, /inference/v1/abort_requests,
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
_LOOKS = frozenset({"GET", "HEAD"})
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
    rf"/v1/(?:(?:responses|conversations|files|batches)/{_ID}(?:/{_SEGMENT})*"
    rf"|models/{_ID}(?:/{_ID})*"
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
    """Whether the engine must be awake for it, and somebody wants it awake who asks."""


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
    if path in DATA or (_PATH.fullmatch(path) and not _steers(path)):
        return Route(is_own=False, path=path, query=query, wakes=not _is_look(method, path))
    words = "no such route here: what is passed to the engine is spelled as in its documentation"
    return Problem(code=Code.NO_ROUTE, words=words)


def _is_look(method: str, path: str) -> bool:
    """
    Whether it only asks what there is, as dashboards and routers do every few seconds.

    The engine's front end knows that asleep too, so nobody waits for it, and no clock begins anew.
    """
    return method in _LOOKS and (path == _MODELS or path.startswith(f"{_MODELS}/"))


def _steers(path: str) -> bool:
    lower = path.lower()
    return any(word in lower for word in _CONTROL)

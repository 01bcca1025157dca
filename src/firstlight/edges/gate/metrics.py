"""
A gateway's own numbers, as Prometheus reads them.

They are in a registry of their own, beside those of the process that carry no prefix. What a scaler
looks at is how many requests wait; what a person looks at is the state, how long the
wake-ups take, and what is turned away and why. Labels are words of ours: nothing that a client
says becomes one, so their number is known.
"""

from collections.abc import Iterable

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from firstlight.edges.gate.door import End, Exchanged

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4
_WELL = 2
"""What all statuses begin with that say so."""
_CALL_BUCKETS_S = (0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256)
_TOKEN_BUCKETS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64)


class Metrics:
    """All of them; also a witness of what passes the door."""

    def __init__(self, states: Iterable[str]) -> None:
        """
        Args:
            states: every word that `state` may be told.
        """
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._states = tuple(states)
        self._state = self._gauge("state", "Which state it is in: 1 for that one.", "state")
        self._sleeps = self._counter("sleeps", "Sleeps of the engine that succeeded.")
        self._wakes = self._counter("wakes", "Wake-ups of the engine that succeeded.")
        self._sleep_s = Histogram(
            "firstlight_gate_sleep_seconds",
            "Until it slept; the first sleep of an engine fills the host's memory.",
            ["first"],
            buckets=_CALL_BUCKETS_S,
            registry=self._registry,
        )
        self._wake_s = Histogram(
            "firstlight_gate_wake_seconds",
            "From the order to wake up to the engine's own word that it is awake.",
            buckets=_CALL_BUCKETS_S,
            registry=self._registry,
        )
        self._waiting = self._gauge("waiting", "Requests that wait for the engine.")
        self._waiting_bytes = self._gauge("waiting_bytes", "What is kept of them meanwhile.")
        self._in_flight = self._gauge("in_flight", "Requests that are with the engine.")
        self._refused = self._counter("refused", "Requests answered by the gateway itself.", "why")
        self._exchanges = self._counter("exchanges", "Requests that went to the engine.", "end")
        self._request_bytes = self._counter("request_bytes", "Bodies that went to the engine.")
        self._response_bytes = self._counter("response_bytes", "Bodies that came from it.")
        self._first_byte_s = Histogram(
            "firstlight_gate_ttft_seconds",
            "From the whole request, and its going in, to the first byte of its answer's body.",
            buckets=_TOKEN_BUCKETS_S,
            registry=self._registry,
        )
        self._fixed_s = self._gauge(
            "fixed_request_seconds",
            "What one and the same request took before the first sleep and after the last wake-up.",
            "when",
        )
        self._in_use = self._gauge("engine_in_use_bytes", "Still in use while it last slept.")
        self._failures = self._counter("failures", "What went wrong with the engine.", "what")
        self._primed = self._counter("primed", "Requests replayed after a wake-up.", "end")

    def state(self, state: str) -> None:
        for one in self._states:
            self._state.labels(one).set(one == state)

    def counts(self, *, waiting: int, waiting_bytes: int, in_flight: int) -> None:
        self._waiting.set(waiting)
        self._waiting_bytes.set(waiting_bytes)
        self._in_flight.set(in_flight)

    def slept(self, took_s: float, *, first: bool) -> None:
        self._sleeps.inc()
        self._sleep_s.labels(str(first).lower()).observe(took_s)

    def woke(self, took_s: float) -> None:
        self._wakes.inc()
        self._wake_s.observe(took_s)

    def failed(self, what: str) -> None:
        self._failures.labels(what).inc()

    def fixed_request(self, when: str, took_s: float) -> None:
        self._fixed_s.labels(when).set(took_s)

    def in_use(self, size_bytes: int) -> None:
        self._in_use.set(size_bytes)

    def primed(self, *, well: bool) -> None:
        self._primed.labels("answered" if well else "failed").inc()

    def passed(self, exchanged: Exchanged) -> None:
        """An exchange with the engine has ended."""
        self._exchanges.labels(exchanged.end.value).inc()
        self._request_bytes.inc(exchanged.request_bytes)
        self._response_bytes.inc(exchanged.response_bytes)
        if _shows_the_first_token(exchanged) and exchanged.first_byte_s is not None:
            self._first_byte_s.observe(exchanged.first_byte_s)

    def turned_away(self, code: str) -> None:
        """The gateway itself said no."""
        self._refused.labels(code).inc()

    def page(self) -> bytes:
        """All of them, in Prometheus' text."""
        return generate_latest(self._registry)

    def _gauge(self, name: str, words: str, *labels: str) -> Gauge:
        return Gauge(f"firstlight_gate_{name}", words, labels, registry=self._registry)

    def _counter(self, name: str, words: str, *labels: str) -> Counter:
        return Counter(f"firstlight_gate_{name}", words, labels, registry=self._registry)


def _shows_the_first_token(exchanged: Exchanged) -> bool:
    """Whether it was generated: a list of models and an error are there at once."""
    went_well = exchanged.status is not None and exchanged.status // 100 == _WELL
    return went_well and exchanged.method == "POST" and exchanged.end is not End.ENGINE_FAILED

"""
The probes of an engine's container: what they ask, how often, and how long they wait.

A field that is not written has Kubernetes' default; one that is written and cannot be read,
such as `${PERIOD}`, is not known.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from firstlight.lint.engine import Engine, Known
from firstlight.readers.engine_program import DEFAULT_PORT
from firstlight.readers.kube.fields import counted, mapping, mappings, natural, text

STARTUP = "startupProbe"
READINESS = "readinessProbe"
LIVENESS = "livenessProbe"
_DEFAULTS = {"periodSeconds": 10, "failureThreshold": 3, "initialDelaySeconds": 0}
ENGINE_PATHS = frozenset({"/health", "/ping", "/v1/models", "/version", "/metrics"})
"""What vLLM's server answers, and not before it is up."""
ENGINE_LIVEZ = "/-/engine-livez"
"""What firstlight's gateway answers for the engine beside it: not before that is up, and no longer
when it failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """One probe of an engine's container."""

    kind: str
    value: Mapping[str, Any]
    pointer: str
    """Into the object."""
    engine: Engine

    @property
    def period_s(self) -> int | None:
        return self._number("periodSeconds")

    @property
    def delay_s(self) -> int | None:
        return self._number("initialDelaySeconds")

    @property
    def allowed_s(self) -> int | None:
        """How long it may fail before the kubelet acts; None where that is not known."""
        failures = self._number("failureThreshold")
        if self.period_s is None or self.delay_s is None or failures is None:
            return None
        return self.delay_s + self.period_s * failures

    @property
    def path(self) -> str | None:
        """What it asks by HTTP; None where it asks otherwise."""
        asked = self.value.get("httpGet")
        return (text(asked.get("path")) or "/") if isinstance(asked, dict) else None

    @property
    def asks_by_network(self) -> bool:
        return any(isinstance(self.value.get(how), dict) for how in ("httpGet", "tcpSocket"))

    @property
    def asks_engine(self) -> bool | None:
        """Whether it is the engine that answers; None where that is not known."""
        if self._asked.get("host"):
            return None
        own = engine_port(self.engine)
        return None if self.port is None or own is None else self.port == own

    @property
    def port(self) -> int | None:
        """The port that it asks; None where that is not known, or it asks none."""
        return _port_number(self._asked.get("port"), self.engine)

    @property
    def _asked(self) -> Mapping[str, Any]:
        return mapping(self.value.get("httpGet")) or mapping(self.value.get("tcpSocket"))

    @property
    def waits_for_engine(self) -> bool:
        """Whether it certainly fails until the engine is up."""
        if not self.asks_by_network:
            return False
        alone = len(self.engine.pod.get("containers") or []) == 1
        # A wrapper of the engine answers its own paths before the engine is up.
        own = self.path is None or self.path in ENGINE_PATHS
        if self.path == ENGINE_LIVEZ:
            return True
        return self.asks_engine is True or (self.asks_engine is None and alone and own)

    def _number(self, field: str) -> int | None:
        given = self.value.get(field)
        # The API reads a period and a threshold of 0 as not given.
        return _DEFAULTS[field] if given is None or given == 0 else natural(given)


def probe_of(engine: Engine, kind: str) -> Probe | None:
    """A probe of the engine's container; None where it has none of that kind."""
    value = engine.container.get(kind)
    if not isinstance(value, dict) or not value:
        return None
    return Probe(kind=kind, value=value, pointer=engine.pointer(f"/{kind}"), engine=engine)


def engine_port(engine: Engine) -> int | None:
    """The port that the engine listens on; None where that is not known."""
    if engine.argument("--uds").known is not Known.ABSENT:
        return None
    given = engine.argument("--port")
    if given.known is Known.ABSENT:
        return DEFAULT_PORT
    return counted(engine.text_of(given))


def _port_number(port: object, engine: Engine) -> int | None:
    written = text(port)
    if not written or written.isdecimal():
        return counted(port)
    ports = mappings(engine.container.get("ports"))
    return next((natural(p.get("containerPort")) for p in ports if p.get("name") == written), None)

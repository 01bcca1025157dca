"""
Who answers at a port of an engine's pod: the engine, another container, nobody.

Ports of containers are words for people; nothing listens because of them, and what listens need
not be among them. So a container counts as one that may answer at a port when it declares it,
when the number stands anywhere in its words, or when it declares no port at all. The engine's own
container declares what it likes: it answers where its arguments say.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from firstlight.core.hosts import is_loopback
from firstlight.lint.engine import Engine, Known
from firstlight.lint.probes import engine_port
from firstlight.manifests.pod_templates import command_items, sidecars
from firstlight.readers.engine_program import Program
from firstlight.readers.kube.fields import mappings, natural, text

_ON_ALL = frozenset({"0.0.0.0", "::", "[::]"})  # noqa: S104


@dataclass(frozen=True, slots=True, kw_only=True)
class Listens:
    """Where an engine listens."""

    port: int
    address: str
    """As it was given; empty for all addresses."""
    on_loopback: bool
    """Nobody outside of the pod reaches it."""

    @property
    def says(self) -> str:
        """For a sentence: `127.0.0.1:8000 only`."""
        return f"{self.address}:{self.port} only" if self.on_loopback else f"port {self.port}"


def listens(engine: Engine) -> Listens | None:
    """Where an engine listens; None where it is not known, or it is no port."""
    line = engine.line
    if line is None or engine.argument("--headless").known is not Known.ABSENT:
        return None
    port, host = engine_port(engine), engine.argument("--host")
    given = engine.argument("--port").known is Known.GIVEN
    if line.program is Program.IMAGE and not given and not _is_of_vllm(engine):
        # Whoever builds images of his own may have given his server another port.
        return None
    address = "" if host.known is Known.ABSENT else engine.text_of(host)
    if port is None or address is None or host.known is Known.UNKNOWN:
        return None
    return Listens(
        port=port,
        address="" if address in _ON_ALL else address,
        on_loopback=bool(address) and is_loopback(address),
    )


def may_answer(engine: Engine, port: int) -> bool:
    """Whether something else than the engine may answer at a port of its pod."""
    if any(_may(other, port) for other in others(engine)):
        return True
    # At its own port nothing of the engine's container can answer but the engine.
    return port != engine_port(engine) and (_starts_more(engine) or _names(engine.container, port))


def others(engine: Engine) -> Iterator[Mapping[str, Any]]:
    """The containers that run beside the engine."""
    at = engine.workload.engine
    yield from sidecars(engine.pod)
    yield from (c for k, c in enumerate(mappings(engine.pod.get("containers"))) if k != at)


def declared(container: Mapping[str, Any], name: str) -> int | None:
    """The number of a port by its name; None where the container has none of that name."""
    ports = mappings(container.get("ports"))
    return next((natural(p.get("containerPort")) for p in ports if p.get("name") == name), None)


def _may(container: Mapping[str, Any], port: int) -> bool:
    ports = mappings(container.get("ports"))
    return (
        not ports
        or any(natural(p.get("containerPort")) in (port, None) for p in ports)
        or _names(container, port)
    )


def _names(container: Mapping[str, Any], port: int) -> bool:
    """Whether the number stands in its words or variables."""
    number = re.compile(rf"(?<!\d){port}(?!\d)")
    values = [text(e.get("value")) for e in mappings(container.get("env"))]
    return any(number.search(said) for said in (*command_items(dict(container)), *values))


def _starts_more(engine: Engine) -> bool:
    """Whether the engine's script leaves something running beside it."""
    items = command_items(engine.container)
    scripted = engine.line is not None and engine.line.script is not None
    return scripted and any("&" in item.replace("&&", "") for item in items)


def _is_of_vllm(engine: Engine) -> bool:
    name = text(engine.container.get("image")).rpartition("/")[2].partition(":")[0]
    return name.startswith("vllm-openai")

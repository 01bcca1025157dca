"""
The gateway beside an engine: `firstlight gate`, known by its words.

Other gateways are no business of ours: what their routes say, and how they end, nobody here knows.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from firstlight.lint.engine import Engine
from firstlight.lint.probes import engine_port
from firstlight.manifests.pod_templates import command_items, is_sidecar
from firstlight.readers.kube.fields import counted, mappings

DRAIN_DELAY_S, DRAIN_S = 5.0, 60.0
"""What `firstlight gate` does where it is told nothing."""
DRAINED = "-/drained"
"""What the engine's preStop asks: it is answered when nothing is under way any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gateway:
    """One of ours, for one engine."""

    container: Mapping[str, Any]
    pointer: str
    """Of the container, into the object."""
    is_sidecar: bool
    """Whether it is an initContainer that goes on running."""

    def option(self, name: str) -> str | None:
        """The value of an option; None where it is not given."""
        return _option(_words(self.container), name)

    def seconds(self, name: str, otherwise: float) -> float | None:
        """An option as a number of seconds; None where it is none."""
        given = self.option(name)
        try:
            return otherwise if given is None else float(given)
        except ValueError:
            return None

    @property
    def port(self) -> int | None:
        """Where it listens; None where that is not known."""
        return _port(self.option("--listen"))


def gateway_of(engine: Engine) -> Gateway | None:
    """The gateway that stands before an engine; None where there is none of ours."""
    at = engine_port(engine)
    for found in _gateways(engine):
        behind = _port(found.option("--engine"))
        if at is None or behind is None or at == behind:
            return found
    return None


def _gateways(engine: Engine) -> Iterator[Gateway]:
    for field in ("containers", "initContainers"):
        for at, container in enumerate(mappings(engine.pod.get(field))):
            words = _words(container)
            if "gate" in words and _option(words, "--engine") is not None:
                pointer = f"{engine.workload.pod_pointer}/{field}/{at}"
                sidecar = field == "initContainers" and is_sidecar(dict(container))
                yield Gateway(container=container, pointer=pointer, is_sidecar=sidecar)


def _words(container: Mapping[str, Any]) -> list[str]:
    """Each word, also of a script."""
    return [word for item in command_items(dict(container)) for word in item.split()]


def _option(words: list[str], name: str) -> str | None:
    found = None
    for word, following in zip(words, [*words[1:], None], strict=True):
        if word == name:
            found = following
        elif word.startswith(f"{name}="):
            found = word.partition("=")[2]
    return found


def _port(address: str | None) -> int | None:
    return counted((address or "").rstrip("/").rpartition(":")[2])

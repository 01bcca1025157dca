"""
What a gateway is told, and what of it cannot be right.
"""

import socket
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from firstlight.core.errors import BadInput
from firstlight.edges.gate.limits import Limits
from firstlight.gateway.policy import Policy
from firstlight.wiring.gating.looking import Pace

_REMEDY = "say http://127.0.0.1:8000, where the engine beside this gateway listens"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All of it."""

    engine: str
    """A URL."""
    host: str | None
    """None for every address of this machine."""
    port: int
    api_key: str | None = None
    """Of the engine, for what the gateway itself asks."""
    level: int = 1
    wait_s: float = 60.0
    """So long a request waits at most."""
    token_every_s: float = 60.0
    """So often the engine has to have answered, to be called ready."""
    token_within_s: float = 60.0
    drain_delay_s: float = 5.0
    drain_s: float = 60.0
    policy: Policy = field(default_factory=Policy)
    limits: Limits = field(default_factory=Limits)
    pace: Pace = field(default_factory=Pace)
    admin_token_file: Path | None = None
    state_file: Path | None = None
    engine_log: Path | None = None


def check_host(host: str) -> None:
    """
    See that the gateway can be told to listen there.

    Args:
        host: a name or an address.

    Raises:
        BadInput: there is no such host.
    """
    if not _addresses(host):
        raise BadInput(
            f"the host {host!r} that is to be listened on is unknown",
            remedy="give an address of this machine, or none for all of them: --listen :8080",
        )


def check_engine(url: str, *, host: str | None, port: int) -> None:
    """
    See that a URL can be an engine's.

    Args:
        url: of the engine.
        host: where the gateway is to listen; None for everywhere.
        port: the same.

    Raises:
        BadInput: it is no URL, or the gateway's own.
    """
    if "@" in url:
        # What is printed or logged has no password in it, and this is printed where it is wrong.
        raise BadInput(
            "an engine's URL has no name and no password in it",
            remedy="give the engine's key in VLLM_API_KEY, if it has one",
        )
    try:
        at = urlsplit(url)
        right = at.scheme == "http" and bool(at.hostname)
        engine = at.hostname or "", 80 if at.port is None else at.port
        engine[0].encode("idna")
    except ValueError:
        right, engine = False, ("", 80)
    if not right or not url.isprintable() or any(mark in url for mark in " ?#"):
        raise BadInput(f"{url} is no engine's URL", remedy=_REMEDY)
    if engine[1] == 0:
        raise BadInput(f"{url} names port 0, where nobody can listen", remedy=_REMEDY)
    if engine[1] == port and _is_here(engine[0], host):
        raise BadInput(
            f"{url} is where this gateway itself is to listen",
            remedy="have the engine listen on another port of 127.0.0.1, and name that with "
            "--engine",
        )


def _is_here(engine: str, host: str | None) -> bool:
    """Whether whoever connects to one host reaches who listens on the other."""
    engines, ours = _addresses(engine), _addresses(host) if host else set()
    everywhere = not host or bool(ours & {"0.0.0.0", "::"})  # noqa: S104 - compared, not bound
    if everywhere:
        return any(_belongs_here(one) for one in engines)
    return bool(engines & ours)


def _addresses(host: str) -> set[str]:
    with suppress(OSError, UnicodeError):
        return {str(one[4][0]) for one in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)}
    return set()


def _belongs_here(address: str) -> bool:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with suppress(OSError), socket.socket(family, socket.SOCK_STREAM) as tried:
        tried.bind((address, 0))
        return True
    return False

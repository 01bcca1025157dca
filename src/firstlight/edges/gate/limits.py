"""How much of anything one client may have of a gateway."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The bounds of what is taken, waited for and kept."""

    connections: int = 4096
    reserved_connections: int = 64
    """Beyond the others, for requests to the gateway itself: a crowd before a door must not keep
    those out that ask whether the house stands."""
    line_bytes: int = 8190
    """Of a request line, and of each header."""
    headers: int = 100
    head_bytes: int = 32 * 1024
    """Of a request line and its headers together; also of what a client sends behind a request
    that is not answered yet."""
    head_within_s: float = 15.0
    """From a connection, or from the first byte of a next request, to the end of its head."""
    body_bytes: int = 64 * 1024 * 1024
    kept_body_bytes: int = 64 * 1024
    """Read before a request is let in; what is larger goes on piece by piece."""
    body_idle_s: float = 30.0
    """Between two pieces of a body."""
    slowest_body_bytes_per_s: int = 1024
    """On the average, beyond the first `body_idle_s`."""
    stall_s: float = 60.0
    """So long a client may leave full what was written for it."""
    keep_alive_s: float = 75.0
    """Between two requests."""
    linger_s: float = 1.0
    """So long the rest of a body is read and thrown away, so that its sender gets the answer."""

    @property
    def look_every_s(self) -> float:
        """How often slow clients are looked for, so that each is found within a tenth more."""
        return min(self.head_within_s, self.stall_s) / 10

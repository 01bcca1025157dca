"""When an engine sleeps, and how much is waited for it."""

from dataclasses import dataclass

from firstlight.core.units import NS_PER_S


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What whoever runs a gateway decides."""

    idle_ns: int | None = 600 * NS_PER_S
    """So long without a request before it sleeps by itself; None for never."""
    min_awake_ns: int = 60 * NS_PER_S
    """So long it stays awake after a start or a wake-up, however idle it is; who wants it asleep
    waits for no more than the requests that are with it."""
    sleep_within_ns: int = 180 * NS_PER_S
    """The first sleep pins the host's memory, and may take tens of seconds."""
    wake_within_ns: int = 120 * NS_PER_S
    verify_within_ns: int = 60 * NS_PER_S
    silent_within_ns: int = 60 * NS_PER_S
    gone_within_ns: int = 300 * NS_PER_S
    """So long an engine that closed its door may finish what it has."""
    """So long requests stay with an engine that fell silent, for it may go on with them."""
    most_waiting: int = 1_000
    most_waiting_bytes: int = 64 * 1024 * 1024
    most_failed_sleeps: int = 3
    """One after another; then it is not tried again until the engine is started anew."""

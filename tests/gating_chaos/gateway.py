"""
`firstlight gate` as a process, in haste: all of it but its command line.

The command counts in seconds what a test has to see two hundred times, so what it is told is said
here: what it does, its signals and its sockets are its own.
"""

import sys
from pathlib import Path

from firstlight.core.units import NS_PER_S
from firstlight.gateway.policy import Policy
from firstlight.wiring.gating.looking import Pace
from firstlight.wiring.gating.running import run
from firstlight.wiring.gating.settings import Settings

WAIT_S = 5.0
SLEEP_WITHIN_S = WAKE_WITHIN_S = VERIFY_WITHIN_S = 3.0
SILENT_S = 1.5
"""Also so long those that are with a silent engine stay there."""
DRAIN_DELAY_S = 0.5
DRAIN_S = 10.0
MOST_WAITING = 120
TOKEN_FILE, STATE_FILE = "token", "state.json"
"""In the folder that it is given."""


def settings(engine: str, port: int, level: int, folder: Path) -> Settings:
    """
    What it is told.

    Args:
        engine: URL.
        port: to listen on.
        level: to sleep on.
        folder: where its files are.
    """
    return Settings(
        engine=engine,
        host="127.0.0.1",
        port=port,
        level=level,
        wait_s=WAIT_S,
        drain_delay_s=DRAIN_DELAY_S,
        drain_s=DRAIN_S,
        policy=Policy(
            idle_ns=NS_PER_S // 20,
            min_awake_ns=0,
            sleep_within_ns=round(SLEEP_WITHIN_S * NS_PER_S),
            wake_within_ns=round(WAKE_WITHIN_S * NS_PER_S),
            verify_within_ns=round(VERIFY_WITHIN_S * NS_PER_S),
            silent_within_ns=round(SILENT_S * NS_PER_S),
            most_waiting=MOST_WAITING,
        ),
        pace=Pace(every_s=0.05, silent_s=SILENT_S),
        admin_token_file=folder / TOKEN_FILE,
        state_file=folder / STATE_FILE,
    )


if __name__ == "__main__":
    run(settings(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4])))

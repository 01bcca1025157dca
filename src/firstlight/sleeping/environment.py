"""
The environment and the arguments with which an engine on a CPU sleeps for real.

Development mode is what opens vLLM's routes for it, to everybody who reaches the engine: let it
listen on 127.0.0.1 only, behind `firstlight gate`.
"""

from collections.abc import Mapping
from pathlib import Path

SITE = Path(__file__).resolve().parent / "on-path"
WORKER = ("--worker-cls", "firstlight_sleep.SleepingWorker")
"""Arguments for `vllm serve`; --enable-sleep-mode is refused on a CPU, and is not needed."""
VARIABLE = "FIRSTLIGHT_SLEEP_DIR"


def with_sleep(environment: Mapping[str, str], folder: Path | str | None = None) -> dict[str, str]:
    """The environment in which `WORKER` is found and can be told to sleep.

    Args:
        environment: what the engine would have had.
        folder: where weights go meanwhile, made absolute; where temporary files go if None.
    """
    path = environment.get("PYTHONPATH", "")
    asleep = {} if folder is None else {VARIABLE: str(Path(folder).absolute())}
    return {
        **environment,
        "PYTHONPATH": f"{SITE}:{path}" if path else str(SITE),
        "VLLM_SERVER_DEV_MODE": "1",
        **asleep,
    }

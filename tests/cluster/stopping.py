"""
`firstlight`, stopped at one request to the API server.

Run as a program. Every request of the main thread is a step with a name; all are written
down. At the one that STOP_AT names, before it is sent or after it was answered, the process
says so and waits for a file, or for whatever a signal does to it.
"""

import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from firstlight.cli.main import run
from firstlight.edges.kube.api import KubeApi

METHODS = ("get", "items", "create", "patch", "delete", "watch", "through_pod")


class Stops:
    """Where to stop, and what was passed."""

    def __init__(self, folder: Path, stop_at: str) -> None:
        self._folder = folder
        self._stop_at = stop_at
        self._seen: Counter[str] = Counter()
        self._inside = False

    def wrap(self, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        """The method with a stop before and after it."""

        def stopping(api: KubeApi, *args: Any, **kwargs: Any) -> Any:
            if self._inside or threading.current_thread() is not threading.main_thread():
                return method(api, *args, **kwargs)
            what = (
                f"{name} {'/'.join(str(arg) for arg in args if not isinstance(arg, dict | list))}"
            )
            self._seen[what] += 1
            step = f"{what} #{self._seen[what]}"
            self._at(f"before {step}")
            self._inside = True
            try:
                return method(api, *args, **kwargs)
            finally:
                self._inside = False
                self._at(f"after {step}")

        return stopping

    def _at(self, step: str) -> None:
        with (self._folder / "steps").open("a") as file:
            file.write(step + "\n")
        if step != self._stop_at:
            return
        (self._folder / "stopped").touch()
        while not (self._folder / "go").exists():
            time.sleep(0.005)


if __name__ == "__main__":
    stops = Stops(Path(os.environ["STOP_FOLDER"]), os.environ.get("STOP_AT", ""))
    for method in METHODS:
        setattr(KubeApi, method, stops.wrap(method, getattr(KubeApi, method)))
    sys.argv[0] = "firstlight"
    run()

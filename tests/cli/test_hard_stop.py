"""What hangs is ended, with its last words."""

import subprocess
import sys

import pytest

CODE = """
import sys, threading, time
from firstlight.cli.hard_stop import hard_stop
def say():
    print("too late", flush=True)
with hard_stop(float(sys.argv[1]), say, 7):
    threading.Event().wait(float(sys.argv[2]))
print("done")
"""


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    ("after_s", "takes_s", "code", "said"), [(0.2, 60, 7, "too late\n"), (60, 0, 0, "done\n")]
)
def test_only_what_takes_too_long_is_ended(
    after_s: float, takes_s: float, code: int, said: str
) -> None:
    """By a thread of its own, because what hangs does not come back."""
    command = [sys.executable, "-c", CODE, str(after_s), str(takes_s)]

    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert (code, said) == (done.returncode, done.stdout)

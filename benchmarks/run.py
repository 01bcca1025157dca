"""
The figures of the README's numbers table that need no engine.

    python benchmarks/run.py

Each figure is that of a fresh process. Machines are shared: the best of several
tries is what the program needs, the rest is what others needed meanwhile.
Exits with 1 where a limit is missed. The caches need nginx, curl and zstd. The figures
of real starts come from `make demo`.
"""

import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
COMMAND = Path(sys.executable).parent / "firstlight"
HELP_LIMIT_S = 0.2
_TRIES = 20


def help_seconds() -> tuple[float, float]:
    """How long `firstlight --help` takes: the best and the median of the tries."""
    took = []
    for _ in range(_TRIES):
        began = time.perf_counter()
        subprocess.run([COMMAND, "--help"], stdout=subprocess.DEVNULL, check=True)
        took.append(time.perf_counter() - began)
    took.sort()
    return took[0], took[len(took) // 2]


def main() -> int:
    """Print each figure beside its limit."""
    best, middle = help_seconds()
    print(f"firstlight --help: {best:.3f} s (median {middle:.3f} s), at most {HELP_LIMIT_S} s")
    scripts = ("cache_218mb.py", "explain_100mb.py", "lint_5000.py", "report_1000.py")
    ran = [subprocess.run([sys.executable, HERE / script], check=False) for script in scripts]
    return 1 if best > HELP_LIMIT_S or any(one.returncode for one in ran) else 0


if __name__ == "__main__":
    sys.exit(main())

"""
What does the probe cost? Measured on a real vLLM, with it and without it in turn.

    probe_cost.py [--rounds N] [--into FOLDER]

One start fills the compile cache and is left out; those after it find it. What is
promised of starts without the probe is held against the worst of them. Needs
`make engine`; about five minutes on two cores.
"""

import argparse
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

from firstlight.cli.exit_codes import ANSWER_IS_NO, DONE
from firstlight.cli.main import firstlight
from firstlight.core.starts import Outcome
from firstlight.core.units import seconds
from firstlight.wiring.explaining import explain_inputs

PREPARE = Path(__file__).resolve().parents[1] / "engine" / "prepare.py"
FILL, HIT = "fill", "hit"
UNEXPLAINED_AT_MOST = 0.05


def main() -> int:
    """Measure, print, and hold the promise against it."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    options.add_argument("--rounds", type=int, default=4)
    stamped = Path("runs", time.strftime("probe-cost-%Y%m%d-%H%M%S"))
    options.add_argument("--into", type=Path, default=stamped)
    asked = options.parse_args()
    for label, more in ((FILL, []), (HIT, ["--rounds", str(asked.rounds), "--control"])):
        if code := measured(asked.into, label, more):
            return code
    plain = explain_inputs([str(asked.into / f"{HIT}-without-probe")])
    totals = [start.total for start in plain if start.outcome is Outcome.READY and start.total]
    worst = max(t.timeline.unexplained_ns / t.timeline.length_ns for t in totals)
    precision_s = max(seconds(t.uncertainty_ns) for t in totals)
    kept = worst <= UNEXPLAINED_AT_MOST
    print(
        f"\nwithout the probe, the worst of {len(totals)}: unexplained {worst:.4f} of the total "
        f"({'kept' if kept else 'BROKEN'}: at most {UNEXPLAINED_AT_MOST}), ± {precision_s:.3f} s"
    )
    return DONE if kept else ANSWER_IS_NO


def measured(into: Path, label: str, more: list[str]) -> int:
    """One call of `firstlight measure`; its exit code."""
    engine = Path(
        subprocess.run(
            [sys.executable, PREPARE, "--print-path"], capture_output=True, text=True, check=True
        ).stdout.strip()
    )
    os.environ |= {
        "HF_HUB_OFFLINE": "1",
        "VLLM_NO_USAGE_STATS": "1",
        "VLLM_CPU_KVCACHE_SPACE": "1",
        "VLLM_USE_AOT_COMPILE": "0",
        "VLLM_CACHE_ROOT": str((into / "caches" / "vllm").absolute()),
        "TORCHINDUCTOR_CACHE_DIR": str((into / "caches" / "inductor").absolute()),
    }
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(engine / "venv" / "bin" / "vllm"), "serve", str(engine / "model")]
    command += ["--port", str(port), "--max-model-len", "512"]
    words = ["measure", "--label", label, "--into", str(into), *more, "--", *command]
    return int(firstlight.main(words, prog_name="firstlight", standalone_mode=False) or DONE)


if __name__ == "__main__":
    sys.exit(main())

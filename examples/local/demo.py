"""
The reference experiment on this machine: what does each change buy?

A model of 1 GB is made, served as a bucket of S3, mounted, and started by a real
vLLM in the ways of `examples/local.yaml`: weights through the mount, weights
streamed from the bucket, the compile cache kept, and a change that changes
nothing. Afterwards there is a page that shows it.

    demo.py [--quick | --full] [--into FOLDER]

What was interrupted goes on with the same command and `--into`: the bucket is
served at the same address again, for that is in the plan. Needs `make engine`,
nginx, s3fs and FUSE. It writes below FOLDER, and the model beside the engine.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

import click
import yaml
from model import model
from mount import mounted
from origin import free_port, origin
from promises import AT_MOST, figures

from firstlight.cli.exit_codes import ANSWER_IS_NO, DONE, INTERRUPTED, exit_code
from firstlight.cli.main import firstlight
from firstlight.cli.output import tell
from firstlight.compare.verdict import FEWEST, Verdict
from firstlight.core.errors import FirstlightError, OutsideFailed
from firstlight.wiring.explaining import explain_folder

HERE = Path(__file__).resolve().parent
PREPARE = HERE.parents[1] / "engine" / "prepare.py"
PLAN = HERE.parent / "local.yaml"
BUCKET, GIGABYTES = "weights", 1.1
FORMS = {
    # Scenarios and rounds of each, and about how many minutes that takes on two cores.
    "quick": (["warm"], 1, 8),
    "usual": (["warm"], 4, 20),
    "full": (["warm", "cold"], 4, 45),
}


def main() -> int:
    """Run it; the exit code says whether it was carried out and what is promised was kept."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    form = options.add_mutually_exclusive_group()
    form.add_argument("--quick", dest="form", action="store_const", const="quick", default="usual")
    form.add_argument("--full", dest="form", action="store_const", const="full")
    options.add_argument(
        "--into", type=Path, default=Path("runs", time.strftime("demo-%Y%m%d-%H%M%S"))
    )
    asked = options.parse_args()
    try:
        code = demo(asked.into, asked.form)
        if code in (DONE, ANSWER_IS_NO):
            return code
    except FirstlightError as error:
        tell(error)
        code = exit_code(error)
    except (KeyboardInterrupt, click.Abort):
        code = INTERRUPTED
    if (asked.into / "run").exists():
        chosen = "" if asked.form == "usual" else f"--{asked.form} "
        again = shlex.quote(f"{chosen}--into {asked.into}")
        print(
            f"bucket and mount end with this; go on with: make demo ARGS={again}", file=sys.stderr
        )
    return code


def demo(into: Path, form: str) -> int:
    """Serve, mount, run, show."""
    engine = engine_folder()
    scenarios, rounds, minutes = FORMS[form]
    how_many = "1 round" if rounds == 1 else f"{rounds} rounds"
    print(
        f"{how_many} a step, {' and '.join(scenarios)}: about {minutes} minutes on two idle cores, "
        f"twice that where others work on them; everything is kept in {into}"
    )
    if rounds < FEWEST:
        print(f"this shows the pictures; every verdict will be: {Verdict.TOO_FEW}")
    print(flush=True)
    weights = model(engine.parent / "weights", GIGABYTES, like=engine / "model")
    into.mkdir(parents=True, exist_ok=True)
    ports = stored_ports(into)
    with ExitStack() as served:
        endpoint = served.enter_context(
            origin(weights.parent, BUCKET, into=into / "origin", port=ports["origin"])
        )
        mount = served.enter_context(
            mounted(endpoint.url, BUCKET, into / "mount", into=into / "origin" / "s3fs")
        )
        # The keys are dummies, but a plan has no place for keys.
        os.environ.update(endpoint.environment)
        settings = {
            "vllm": engine / "venv" / "bin" / "vllm",
            "port": ports["engine"],
            "endpoint": endpoint.url,
            "mount": mount / weights.name,
            "model": f"s3://{BUCKET}/{weights.name}",
        }
        code = run(plan(into, scenarios, rounds), into / "run", settings)
    return conclude(into) if code == DONE else code


def engine_folder() -> Path:
    """
    Where `make engine` put the real engine.

    Raises:
        OutsideFailed: it is not there.
    """
    asked = subprocess.run(
        [sys.executable, PREPARE, "--print-path"], capture_output=True, text=True, check=False
    )
    if asked.returncode:
        raise OutsideFailed("the engine is not there yet", remedy="run `make engine` first")
    return Path(asked.stdout.strip())


def stored_ports(into: Path) -> dict[str, int]:
    """Where bucket and engine listen: the same when a run goes on, for they are in its plan."""
    file = into / "ports.json"
    if not file.exists():
        file.write_text(json.dumps({"origin": free_port(), "engine": free_port()}))
    ports: dict[str, int] = json.loads(file.read_text())
    return ports


def plan(into: Path, scenarios: list[str], rounds: int) -> Path:
    """The example's plan, or a copy with other scenarios and rounds."""
    asked = {"scenarios": scenarios, "rounds": rounds}
    text = yaml.safe_load(PLAN.read_bytes())
    if text | asked == text:
        return PLAN
    copy = into / PLAN.name
    copy.write_text(yaml.safe_dump(text | asked, sort_keys=False))
    return copy


def run(file: Path, into: Path, settings: Mapping[str, object]) -> int:
    """Call `firstlight experiment run`, as anybody would."""
    given = [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
    return call("experiment", "run", str(file), "--into", str(into), "--yes", *given)


def call(*words: str) -> int:
    """One command of firstlight; its exit code."""
    print(f"$ firstlight {shlex.join(words)}\n", flush=True)
    return int(firstlight.main(words, prog_name="firstlight", standalone_mode=False) or DONE)


def conclude(into: Path) -> int:
    """Hold what came of it against what is promised, and write the page."""
    starts = [explain_folder(folder) for folder in sorted((into / "run" / "rounds").glob("*/*"))]
    kept = True
    print("\nwhat firstlight promises of its own runs, and the worst of these:")
    for what, figure in figures(starts).items():
        kept &= figure <= AT_MOST[what]
        verdict = "kept  " if figure <= AT_MOST[what] else "BROKEN"
        print(f"  {verdict} {what}: {figure:.4g} <= {AT_MOST[what]:g}")
    print()
    page = into / "report.html"
    call("report", str(into / "run"), "--to", str(into / "rounds.csv"), "--to", str(page))
    print(f"\nopen {page.absolute()}")
    return DONE if kept else ANSWER_IS_NO


if __name__ == "__main__":
    sys.exit(main())

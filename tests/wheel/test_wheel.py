"""
The wheel, as a stranger gets it: a clean environment, one log on standard input.
"""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

ROOT = Path(__file__).resolve().parents[2]
LOG = """\
(APIServer pid=1) INFO 03-02 10:00:00 [api_server.py:10] vLLM API server version 0.14.1
(EngineCore_DP0 pid=9) INFO 03-02 10:00:09 [core.py:9] Initializing a V1 LLM engine (v0.14.1) \
with config: model='m'
(EngineCore_DP0 pid=9) INFO 03-02 10:00:12 [gpu_model_runner.py:4] Starting to load model m...
(EngineCore_DP0 pid=9) INFO 03-02 10:00:40 [default_loader.py:3] Loading weights took 27.50 seconds
(EngineCore_DP0 pid=9) INFO 03-02 10:00:41 [gpu_model_runner.py:5] Model loading took 14.99 GiB \
memory and 28.250000 seconds
(EngineCore_DP0 pid=9) INFO 03-02 10:01:11 [core.py:8] init engine (profile, create kv cache, \
warmup model) took 30.10 seconds
(APIServer pid=1) INFO 03-02 10:01:12 [api_server.py:7] Starting vLLM API server 0 on http://0.0.0.0:8000
INFO:     Application startup complete.
"""


def run(*command: str | Path, **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=True, **more)


@pytest.fixture(scope="module")
def clean_environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new environment with the built wheel and only what it asks for."""
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", folder, ROOT)
    (wheel,) = folder.glob("firstlight-*.whl")
    run(sys.executable, "-m", "venv", folder / "venv")
    python = folder / "venv" / "bin" / "python"
    began = time.monotonic()
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel)
    (folder / "installed_in_s").write_text(str(time.monotonic() - began))
    return folder


def test_it_explains_a_pasted_log_within_two_minutes(clean_environment: Path) -> None:
    """`pip install` and the first answer together take less than two minutes."""
    began = time.monotonic()
    command = clean_environment / "venv" / "bin" / "firstlight"

    told = run(command, "explain", "-", "--output", "json", input=LOG)

    took_s = time.monotonic() - began + float((clean_environment / "installed_in_s").read_text())
    (start,) = json.loads(told.stdout)["starts"]
    assert (72.0, "ready", "0.14.1") == (
        start["total_s"],
        start["outcome"],
        start["engine_version"],
    )
    assert [27.5] == start["facts"]["weights_s"]
    assert took_s < 120


def test_it_is_light(clean_environment: Path) -> None:
    """No engine, no cloud's SDK, no numerics: a handful of small packages."""
    python = clean_environment / "venv" / "bin" / "python"

    listed = run(python, "-m", "pip", "list", "--format", "json").stdout

    names = {package["name"].lower() for package in json.loads(listed)}
    assert names <= {
        "firstlight",
        "click",
        "jsonpatch",
        "jsonpointer",
        "msgspec",
        "pyyaml",
        "rich",
        "markdown-it-py",
        "mdurl",
        "pygments",
        "pip",
        "setuptools",
    }


def test_it_carries_the_probe(clean_environment: Path) -> None:
    """The folder that goes on the engine's PYTHONPATH is in the wheel."""
    python = clean_environment / "venv" / "bin" / "python"

    site = run(
        python, "-c", "from firstlight.probe.environment import SITE; print(SITE)"
    ).stdout.strip()

    assert (Path(site) / "sitecustomize.py").is_file()


def test_it_carries_the_worker_that_sleeps(clean_environment: Path) -> None:
    """As docs/sleep-on-cpu.md asks for its folder."""
    python = clean_environment / "venv" / "bin" / "python"

    site = run(
        python, "-c", "from firstlight.sleeping.environment import SITE; print(SITE)"
    ).stdout.strip()

    assert ["firstlight_sleep.py"] == [path.name for path in Path(site).glob("*.py")]


def test_it_carries_the_cards(clean_environment: Path) -> None:
    """What is data in the repository is data in the wheel: cards, facts, the register."""
    command = clean_environment / "venv" / "bin" / "firstlight"

    assert "stream-weights" in run(command, "render", "--list").stdout
    assert "ebs-weights" in run(command, "decide").stdout


def test_it_tells_nobody(clean_environment: Path, tmp_path: Path) -> None:
    """Explaining opens no socket: an interpreter that refuses sockets explains as well."""
    (tmp_path / "sitecustomize.py").write_text(
        "import socket\n"
        "def refused(*a, **k): raise AssertionError('a socket was opened')\n"
        "socket.socket.connect = refused\n"
        "socket.create_connection = refused\n"
    )
    command = clean_environment / "venv" / "bin" / "firstlight"

    told = run(command, "explain", "-", input=LOG, env={"PYTHONPATH": str(tmp_path)})

    assert "weight_load" in told.stdout

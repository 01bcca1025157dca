"""Two forms of one command: what is a command's own, and what is said about a cluster."""

import sys
from pathlib import Path

import pytest

from tests.cli.console import firstlight, said

pytestmark = pytest.mark.timeout(30)

NOWHERE = {"KUBECONFIG": "/nowhere", "HOME": "/nowhere", "KUBERNETES_SERVICE_HOST": ""}
ECHO = "import sys; print(sys.argv[1:])"


@pytest.mark.parametrize("dashes", [["--"], []])
def test_a_command_keeps_its_own_options(tmp_path: Path, dashes: list[str]) -> None:
    """`--port` and `-n` of an engine are the engine's, with and without the two dashes."""
    own = ["--port", "1", "--context", "x", "--yes", "-n", "3", "--follow"]
    into = ["--into", str(tmp_path), "--no-probe"]
    firstlight("measure", *into, *dashes, sys.executable, "-c", ECHO, *own)

    assert str(own) in (tmp_path / "run" / "round-01" / "engine.log").read_text()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "name a command behind --, or deployment/NAME"),
        (["--scenario", "cold"], "--scenario is for a start in a cluster"),
        (["--yes", "--", "true"], "--yes is for a start in a cluster"),
        (["--follow", "--", "deployment/vllm"], "--follow is for a start in a cluster"),
        (["deployment/vllm", "--grace", "3"], "--grace is for a command"),
        (["deployment/vllm", "--no-probe"], "--probe is for a command"),
        (["deployment/vllm", "--control"], "--control is for a command"),
        (["deployment/vllm", "--scenario", "hot"], "'hot' is not one of"),
        (["deployment/vllm", "--port", "70000"], "70000"),
        (["deployment/vllm", "deployment/other"], "name one workload"),
        (["deployment/vllm", "--follow", "--scenario", "cold"], "--follow waits for a start"),
        (["job/load"], "the start of a job is not measured"),
        (["pod/vllm-1", "--yes"], "does not come back under its name"),
        (["deployment/vllm", "--kubeconfig", "/nowhere"], "/nowhere"),
    ],
)
def test_wrong_usage_asks_nobody(tmp_path: Path, arguments: list[str], words: str) -> None:
    """Exit code 2, a sentence, no folder."""
    done = firstlight("measure", "--into", tmp_path / "runs", *arguments, env=NOWHERE)

    assert 2 == done.returncode, done.stderr
    assert words in said(done)
    assert not (tmp_path / "runs").exists()


def test_help_shows_both_forms() -> None:
    """On one page."""
    text = firstlight("measure", "--help").stdout.decode()

    assert "--scenario" in text
    assert "--grace" in text
    assert "firstlight measure --restore" in text

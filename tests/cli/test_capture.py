"""`firstlight capture` as a process, as far as it goes without a cluster."""

import json
from pathlib import Path

import pytest

from tests.cli.console import firstlight, said

pytestmark = pytest.mark.timeout(30)


def test_help_has_examples() -> None:
    """And names what is removed."""
    done = firstlight("capture", "--help")

    text = done.stdout.decode()
    assert 0 == done.returncode
    assert "firstlight capture deployment/vllm" in text
    assert "removed" in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["vllm"], "say deployment/vllm or pod/vllm"),
        (["service/vllm"], "service is no kind that has pods"),
        (["job/vllm"], "a job is nothing that can be captured"),
        (["pod/x", "--max-log-mb", "nan"], "finite"),
        (["pod/x", "--kubeconfig", "/none"], "the kubeconfig /none cannot be read"),
        ([], "Missing argument"),
    ],
)
def test_wrong_usage_is_two(tmp_path: Path, arguments: list[str], words: str) -> None:
    """Nothing is written."""
    done = firstlight("capture", *arguments, env={"HOME": str(tmp_path), "KUBECONFIG": ""})

    assert 2 == done.returncode
    assert words in said(done)
    assert [] == list(tmp_path.iterdir())


def test_a_cluster_that_is_not_there_is_three(tmp_path: Path) -> None:
    """One sentence and what to do."""
    kubeconfig = tmp_path / "k"
    kubeconfig.write_text(
        json.dumps(
            {
                "current-context": "x",
                "clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:1"}}],
                "contexts": [{"name": "x", "context": {"cluster": "c"}}],
            }
        )
    )

    done = firstlight(
        *("capture", "pod/x", "--kubeconfig", kubeconfig, "--into", tmp_path / "bundle")
    )

    assert 3 == done.returncode
    assert "https://127.0.0.1:1 cannot be reached" in said(done)
    assert [kubeconfig] == list(tmp_path.iterdir())

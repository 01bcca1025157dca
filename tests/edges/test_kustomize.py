"""kustomize, by whatever has it."""

import os
import time
from pathlib import Path

import pytest

from firstlight.core.errors import BadInput, OutsideFailed
from firstlight.edges.kustomize import built, is_kustomization


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all of the path, but for the shell's own tools."""
    folder = tmp_path / "path"
    folder.mkdir()
    for tool in ("sh", "sleep", "echo"):
        (folder / tool).symlink_to(f"/bin/{tool}")
    monkeypatch.setenv("PATH", str(folder))
    return folder


def program(path: Path, name: str, script: str) -> None:
    (path / name).write_text(f"#!/bin/sh\n{script}\n")
    (path / name).chmod(0o755)


@pytest.mark.parametrize("name", ["kustomization.yaml", "kustomization.yml", "Kustomization"])
def test_a_kustomization_is_known_by_its_file(tmp_path: Path, name: str) -> None:
    """Under any of the names that kustomize takes."""
    assert not is_kustomization(tmp_path)
    (tmp_path / name).touch()
    assert is_kustomization(tmp_path)


@pytest.mark.timeout(30)
def test_a_real_one_builds(
    tmp_path: Path, kubectl_binary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And its own words are the reason where it cannot."""
    monkeypatch.setenv("PATH", f"{kubectl_binary.parent}:{os.environ['PATH']}")
    (tmp_path / "kustomization.yaml").write_text("resources: [a.yaml]\nnamePrefix: x-\n")
    (tmp_path / "a.yaml").write_text("apiVersion: v1\nkind: A\nmetadata: {name: a}\n")
    assert b"name: x-a" in built(tmp_path)

    (tmp_path / "a.yaml").unlink()

    with pytest.raises(BadInput, match=r"cannot be built: .*a\.yaml"):
        built(tmp_path)


def test_kubectl_comes_first(path: Path, tmp_path: Path) -> None:
    """As `kubectl apply -k` would read it; kustomize by itself will do."""
    program(path, "kustomize", 'echo "kustomize $1"')
    assert b"kustomize build\n" == built(tmp_path)
    program(path, "kubectl", 'echo "kubectl $1"')
    assert b"kubectl kustomize\n" == built(tmp_path)


def test_without_either_there_is_a_remedy(path: Path, tmp_path: Path) -> None:
    """Install one, or build it elsewhere."""
    assert path.exists()

    with pytest.raises(OutsideFailed, match="neither kubectl nor kustomize") as caught:
        built(tmp_path)

    assert "give the output with `-`" in caught.value.remedy


def test_one_that_does_not_start_is_the_outsides_fault(path: Path, tmp_path: Path) -> None:
    """A script without an interpreter."""
    (path / "kubectl").write_text("#!/nowhere\n")
    (path / "kubectl").chmod(0o755)

    with pytest.raises(OutsideFailed, match="cannot be run"):
        built(tmp_path)


@pytest.mark.timeout(10)
def test_one_that_hangs_ends_with_all_it_started(path: Path, tmp_path: Path) -> None:
    """A git that waits for a password holds the pipes open; nobody waits for it."""
    program(path, "kubectl", f"sleep 60 & echo $! >{tmp_path}/child; wait")
    began = time.monotonic()

    with pytest.raises(OutsideFailed, match=r"within 0\.3 s"):
        built(tmp_path, patience_s=0.3)

    assert time.monotonic() - began < 8
    child = int((tmp_path / "child").read_text())
    for _ in range(100):
        try:
            state = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return
        if state == "Z":
            return
        time.sleep(0.01)
    pytest.fail("the child runs on")

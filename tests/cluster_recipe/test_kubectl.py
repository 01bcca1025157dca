"""A newer kubectl beside the cluster: fetched once, by itself."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from assembly.kubectl import kubectl_place
from assembly.place import Place, whole_key

from .conftest import ROOT

pytestmark = pytest.mark.timeout(30)

COMMAND = ROOT / "cluster/kubectl.py"
TARGET = {"REPO_URI": "u", "CODENAME": "bookworm", "COMPONENT": "main", "SIGNED_BY": "/k.gpg"}


@pytest.fixture
def path(tmp_path: Path) -> str:
    """An apt-get that fetches a package which is a script, and a dpkg-deb that unpacks it."""
    tools = tmp_path / "tools"
    tools.mkdir()
    apt = (
        f"*indextargets*) echo '{json.dumps(TARGET)}' ;;\n"
        "*' update '*) cat ../apt/sources.list >>$CALLS ;;\n"
        "*' download kubectl '*) echo fetched >>$CALLS; sh -c \"$ACTION\" ;;\n"
    )
    scripts = {
        "apt-get": f'case " $* " in\n{apt}esac',
        "dpkg-deb": 'mkdir -p "$3/usr/bin" && cp "$2" "$3/usr/bin/kubectl"',
    }
    for name, script in scripts.items():
        (tools / name).write_text(f"#!/bin/sh\n{script}\n")
        (tools / name).chmod(0o755)
    return f"{tools}:{os.environ['PATH']}"


FETCHES = (
    "printf '#!/bin/sh\\necho Client Version: v1.32.3\\n' >kubectl_1.deb; chmod +x kubectl_1.deb"
)


def run(home: Path, path: str, action: str, *arguments: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, COMMAND, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={
            "PATH": path,
            "FIRSTLIGHT_CLUSTER_HOME": str(home),
            "ACTION": action,
            "CALLS": str(home.parent / "calls"),
        },
    )
    return done.returncode, done.stdout, done.stderr


def test_it_is_fetched_once(home: Path, path: str) -> None:
    """From the newer release, binary packages only, by the machine's own key."""
    assert 1 == run(home, path, FETCHES, "--print-path")[0]

    code, out, err = run(home, path, FETCHES)
    assert (0, True) == (code, "kubectl v1.32.3 ready" in out), err
    code, printed, _ = run(home, path, "exit 1", "--print-path")
    assert (0, "v1.32.3") == (code, run(home, path, "exit 1")[1].split()[1])

    program = Path(printed.strip())
    assert os.access(program, os.X_OK)
    calls = (home.parent / "calls").read_text()
    assert "deb [signed-by=/k.gpg] u trixie main\nfetched\n" == calls


def test_the_clusters_do_not_see_it(home: Path, path: str) -> None:
    """It is no old cluster to be removed, and building it touches none."""
    assert 0 == run(home, path, FETCHES)[0]

    assert [] == Place(home=home, key=whole_key()).others()
    assert ["kubectl"] == [one.name for one in home.iterdir()]
    environment = {"FIRSTLIGHT_CLUSTER_HOME": str(home)}
    assert home / "kubectl" == kubectl_place(environment).home


@pytest.mark.parametrize(
    ("action", "words"),
    [
        ("echo 'E: no route to the mirror'; exit 100", "no route to the mirror"),
        ("printf '#!/nowhere\\n' >kubectl_1.deb; chmod +x kubectl_1.deb", "does not run here"),
        ("true", "holds 0 files kubectl_*.deb"),
    ],
)
def test_what_fails_leaves_nothing_that_counts(
    home: Path, path: str, action: str, words: str
) -> None:
    """The mirror, a program for another machine, an empty answer: exit 3 and a remedy."""
    code, _, err = run(home, path, action)

    assert 3 == code
    assert words in err
    assert "remedy: " in err
    assert 1 == run(home, path, action, "--print-path")[0]

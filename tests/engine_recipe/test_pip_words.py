"""pip's own words, from real installs, and what the recipe says of them."""

import importlib
from pathlib import Path
from typing import Any

import pytest

COLLECTED = """\
Ignoring six: markers 'python_version > "3.11"' don't match your environment
Collecting torch==2.13.0 (from -r requirements.lock (line 5))
  Downloading torch-2.13.0%2Bcpu-cp311-cp311-manylinux_2_28_x86_64.whl.metadata (29 kB)
Processing /wheels/typing_extensions-4.16.0-py3-none-any.whl (from -r requirements.lock (line 6))
Collecting numpy==2.3.5 (from -r requirements.lock (line 7))
  Using cached numpy-2.3.5-cp311-cp311-manylinux_2_28_x86_64.whl (16.9 MB)
     ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ 16.9/16.9 MB 170.3 MB/s  0:00:00
"""


def packages() -> Any:
    return importlib.import_module("recipe.packages")


def test_finding(tmp_path: Path) -> None:
    """Until the first wheel, it is the packages found that are counted."""
    said = packages().how_far("Collecting a\nCollecting b\n", wanted=4, site_packages=tmp_path)

    assert said == "2 of 4 found"


def test_fetching(tmp_path: Path) -> None:
    """Wheels count wherever they come from; metadata alone and other machines' packages do not."""
    assert (
        packages().how_far(COLLECTED, wanted=4, site_packages=tmp_path) == "2 of 3 fetched (17 MB)"
    )


def test_installing(tmp_path: Path) -> None:
    """pip is silent while it installs, so the environment itself is counted, less pip."""
    for name in ("pip-23.2.1", "torch-2.13.0", "numpy-2.3.5"):
        (tmp_path / f"{name}.dist-info").mkdir()
    output = f"{COLLECTED}Installing collected packages: torch, numpy, typing_extensions\n"

    assert packages().how_far(output, wanted=4, site_packages=tmp_path) == "2 of 3 installed"


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        (
            "ERROR: Could not install packages: [Errno 28] No space left on device",
            "free some space or set HOME_VARIABLE",
        ),
        (
            "WARNING: Temporary failure in name resolution\nERROR: No matching distribution found",
            "check the network",
        ),
        (
            "ERROR: no version (from versions: none)\nERROR: No matching distribution found",
            "check that pip reaches its index",
        ),
        (
            "ERROR: No matching distribution found for torch==2.13.0",
            "use Python 3.11 to 3.13",
        ),
        ("ERROR: something new", "read the end of the log"),
        ("", "read the end of the log"),
    ],
    ids=["disk", "network", "no-project", "no-wheel", "unknown", "silent"],
)
def test_remedy_fits_the_reason(words: str, remedy: str) -> None:
    """A missing wheel, a missing network and a full disk ask for different things."""
    failure = packages().why_failed(words, log=Path("/x.log"), home_variable="HOME_VARIABLE")

    assert remedy in failure.remedy
    assert "/x.log" in failure.message

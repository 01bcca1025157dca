"""
The environment in which an engine carries the probe.

Two variables do it: the folder with `sitecustomize` comes first on PYTHONPATH,
and FIRSTLIGHT_PROBE_DIR names where the records go. Child processes inherit
both, which is how each of the engine's interpreters gets its own probe.
"""

from collections.abc import Mapping
from pathlib import Path

SITE = Path(__file__).resolve().parent / "on-path"
VARIABLE = "FIRSTLIGHT_PROBE_DIR"


def with_probe(environment: Mapping[str, str], folder: Path | str) -> dict[str, str]:
    """The environment with the probe in it, writing into a folder that exists.

    Args:
        environment: what the engine would have had.
        folder: made absolute, because an engine may change its working directory.
    """
    path = environment.get("PYTHONPATH", "")
    return {
        **environment,
        "PYTHONPATH": f"{SITE}:{path}" if path else str(SITE),
        VARIABLE: str(Path(folder).absolute()),
    }

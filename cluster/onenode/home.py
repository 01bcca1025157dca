"""
The folder of all clusters: what they are made of, and which of them are up.

Never inside a clone, so that clones share it.
"""

from collections.abc import Mapping
from pathlib import Path

from onenode.failures import ClusterFailed

HOME = "FIRSTLIGHT_CLUSTER_HOME"


def home(environment: Mapping[str, str]) -> Path:
    """Where the environment says that it is; below the user's cache by default."""
    given = environment.get(HOME)
    cache = environment.get("XDG_CACHE_HOME") or "~/.cache"
    try:
        if given:
            return Path(given).expanduser().absolute()
        return Path(cache).expanduser().absolute() / "firstlight" / "cluster"
    except RuntimeError as error:
        raise ClusterFailed(
            "this user has no home folder to keep Kubernetes in",
            remedy=f"set {HOME} to a folder on a disk with room",
        ) from error

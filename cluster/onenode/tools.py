"""Commands of the machine that something is made with, and the packages that have them."""

import shutil
from collections.abc import Mapping

from onenode.failures import ClusterFailed


def require_tools(tools: Mapping[str, str]) -> None:
    """Refuse a machine that lacks one of these commands; each with its package."""
    missing = sorted({package for name, package in tools.items() if shutil.which(name) is None})
    if missing:
        raise ClusterFailed(
            f"this machine lacks {', '.join(missing)}",
            remedy=f"as root: apt-get install --no-install-recommends {' '.join(missing)}",
        )

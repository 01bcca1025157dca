"""
Joining `explain` to a cluster: capture, explain, keep nothing.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from firstlight.core.starts import Start
from firstlight.edges.input_files import find_inputs
from firstlight.wiring.capturing import capture_bundle
from firstlight.wiring.cluster_access import ClusterAccess
from firstlight.wiring.explaining import explain_files, link_of


def explain_live(
    target: str,
    *,
    progress: Callable[[str], None],
    access: ClusterAccess,
    link_gbps: float | None = None,
    node_type: str | None = None,
) -> list[Start]:
    """Explain the starts of a workload in a cluster, as `capture` and `explain` would.

    Raises:
        BadInput: wrong target, context or namespace.
        NothingFound: the target has no pod.
        OutsideFailed: the cluster cannot be reached or read.
    """
    with TemporaryDirectory(prefix="firstlight-") as folder:
        bundle = Path(folder) / "bundle"
        capture_bundle(target, into=bundle, progress=progress, access=access)
        # The folder is gone when the answer is read: its files are called by the workload.
        files = [
            replace(file, name=file.name.replace(str(bundle), target))
            for file in find_inputs(str(bundle))
        ]
        return explain_files(files, link_of(link_gbps, node_type))

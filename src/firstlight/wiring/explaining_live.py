"""
Joining `explain` to a cluster: capture, explain, keep nothing.
"""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from firstlight.core.starts import Start
from firstlight.wiring.capturing import capture_bundle
from firstlight.wiring.explaining import explain_inputs


def explain_live(
    target: str,
    *,
    progress: Callable[[str], None],
    link_gbps: float | None = None,
    node_type: str | None = None,
    kubeconfig: str | None = None,
    context: str | None = None,
    namespace: str | None = None,
) -> list[Start]:
    """Explain the starts of a workload in a cluster, as `capture` and `explain` would.

    Raises:
        BadInput: wrong target, context or namespace.
        NothingFound: the target has no pod.
        OutsideFailed: the cluster cannot be reached or read.
    """
    with TemporaryDirectory(prefix="firstlight-") as folder:
        bundle = Path(folder) / "bundle"
        capture_bundle(
            target,
            into=bundle,
            progress=progress,
            kubeconfig=kubeconfig,
            context=context,
            namespace=namespace,
        )
        return explain_inputs([str(bundle)], link_gbps=link_gbps, node_type=node_type)

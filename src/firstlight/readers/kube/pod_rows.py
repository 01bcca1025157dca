"""
Rows of `kubectl get pods` that say what is wrong.

    riva-768b77d764-74k4m   0/2   OutOfnvidia.com/gpu   0   5m55s

STATUS is the pod's reason or phase, or the reason of the container that is worst off.
Only failures are kept: that a pod was Running at an unknown moment says nothing about a
start.
"""

import re
from dataclasses import dataclass

from firstlight.readers.kube.event_tables import split
from firstlight.readers.kube.printed_moments import Printed, printed

_NAME = re.compile(r"(?:pod/)?([a-z0-9][a-z0-9.-]{0,252})")
_READY = re.compile(r"[0-9]{1,3}/[0-9]{1,3}")
_RESTARTS = re.compile(r"([0-9]{1,6})(?: \(\S{1,20} ago\))?")
_OF_THE_POD = re.compile(
    r"OutOf\S{1,100}|Evicted|NodeLost|NodeAffinity|UnexpectedAdmissionError|Preempting"
    r"|DeadlineExceeded|NodeShutdown|Terminated|Failed|\w{1,40}AdmissionError"
)
_OF_A_CONTAINER = re.compile(
    r"\w{1,40}BackOff|Err\w{0,40}|\w{1,40}Error|OOMKilled|ContainerCannotRun|InvalidImageName"
    r"|ImageInspectError|ErrImageNeverPull|ContainerStatusUnknown|Unknown"
    r"|(?:ExitCode|Signal):[0-9]{1,5}"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PodRow:
    """A pod in a table, in trouble."""

    name: str
    status: str
    namespace: str = ""
    failed: bool
    """Whether the whole pod is given up: its phase is Failed."""
    restarts: int = 0
    age: Printed | None = None


def pod_row(line: str) -> PodRow | None:
    """A row with a failure; None for anything else."""
    if "/" not in line:
        return None
    cells = [text for _, text in split(line)]
    ready = next((i for i, cell in enumerate(cells[:3]) if _READY.fullmatch(cell)), 0)
    if ready not in (1, 2) or len(cells) < ready + 4:
        return None
    name = _NAME.fullmatch(cells[ready - 1])
    status, count, age = cells[ready + 1 : ready + 4]
    restarts, since = _RESTARTS.fullmatch(count), printed(age)
    if not name or not restarts or (since is None and age != "<invalid>"):
        return None
    failed = _OF_THE_POD.fullmatch(status) is not None
    if not failed and not _OF_A_CONTAINER.fullmatch(status.removeprefix("Init:")):
        return None
    return PodRow(
        name=name[1],
        status=status,
        namespace=cells[0] if ready == 2 else "",  # noqa: PLR2004
        failed=failed,
        restarts=int(restarts[1]),
        age=since,
    )

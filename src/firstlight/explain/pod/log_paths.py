"""
What the path of an artefact says about whose it is.

A bundle keeps `logs/POD/CONTAINER.log` and `logs/POD/CONTAINER.previous.log`, and a
probe's records under `probe/POD/`. Only the end of a path counts: the folders before it
are the user's, and may be called anything. Names are whole: `vllm-1` is not `vllm-10`.
"""

import re
from dataclasses import dataclass

_LOG = re.compile(
    r"(?:^|[/:])logs/(?P<pod>[^/]+)/(?P<container>[^/]+?)(?P<previous>\.previous)?\.log$"
)
_NAME = r"(?<![\w.-]){}(?![\w-])"


@dataclass(frozen=True, slots=True, kw_only=True)
class LogPlace:
    """Whose log a bundle says it is."""

    pod: str
    container: str
    is_previous: bool


def log_place(artefact: str) -> LogPlace | None:
    """What a bundle's path says; None for a path of somebody's own."""
    found = _LOG.search(artefact)
    if found is None:
        return None
    return LogPlace(
        pod=found["pod"], container=found["container"], is_previous=bool(found["previous"])
    )


def names_pod(artefact: str, pod: str) -> bool:
    """Whether a file's own name holds the pod's whole name."""
    return bool(pod) and bool(re.search(_NAME.format(re.escape(pod)), file_name(artefact)))


def file_name(artefact: str) -> str:
    """The last part of a path."""
    return artefact.rpartition("/")[2]


def is_in_folder_of(artefact: str, pod: str) -> bool:
    """Whether a file lies in a folder called as the pod."""
    return bool(pod) and artefact.split("/")[-2:-1] == [pod]

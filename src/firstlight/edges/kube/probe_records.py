"""
The probe's records, copied out of the engine's container.

The container has Python, because the engine runs on it: a few lines of it print each record.
What comes from a container is not trusted with names: only plain ones are written.
"""

import base64
import json
import re
from collections.abc import Sequence
from pathlib import Path

from firstlight.core.errors import OutsideFailed
from firstlight.core.units import NS_PER_S
from firstlight.edges.kube.answers import Refused
from firstlight.edges.kube.api import KubeApi

_MOST_BYTES = 64 << 20
_TIMEOUT_NS = 60 * NS_PER_S
_NAME = re.compile(r"[\w-][\w.-]*\.jsonl", re.ASCII)
_PRINT = """
import base64, glob, json, os, sys
left = int(sys.argv[2])
for path in sorted(glob.glob(os.path.join(sys.argv[1], "*.jsonl"))):
    with open(path, "rb") as file:
        data = file.read(left)
    left -= len(data)
    whole = len(data) == os.path.getsize(path)
    print(json.dumps([os.path.basename(path), whole, base64.b64encode(data).decode()]))
"""


class ProbeRecords:
    """The records in the containers of one cluster."""

    def __init__(self, api: KubeApi) -> None:
        self._api = api

    def fetch(
        self, *, namespace: str, pod: str, container: str | None, source: str, folder: str
    ) -> Sequence[str]:
        """
        Copy what lies in `source` into a folder of the pod's name; why not all of it.

        Raises:
            OutsideFailed: they cannot be written here.
        """
        try:
            ran = self._api.exec(
                namespace,
                pod,
                ["python3", "-c", _PRINT, source, str(_MOST_BYTES)],
                container=container,
                timeout_ns=_TIMEOUT_NS,
                most_bytes=2 * _MOST_BYTES,
            )
        except OutsideFailed as problem:
            return [f"the probe's records could not be fetched: {problem.message}"]
        if isinstance(ran, Refused):
            return [_not_run(ran)]
        if ran.exit_code:
            return [f"the probe's records could not be read in the container: {ran.words}"]
        return _written(ran.stdout, Path(folder) / pod, source)


def _not_run(no: Refused) -> str:
    what = f"the probe's records could not be fetched: {no.words}"
    if no.forbidden:
        return f"{what}; grant the verbs get and create on pods/exec (docs/rbac/measure.yaml)"
    return what


def _written(printed: bytes, into: Path, source: str) -> list[str]:
    notes: list[str] = []
    count = 0
    for line in printed.splitlines():
        record = _record(line)
        if record is None:
            return [*notes, "the container printed something that is no record of the probe"]
        name, whole, data = record
        if not _NAME.fullmatch(name):
            continue
        try:
            into.mkdir(parents=True, exist_ok=True)
            (into / name).write_bytes(data)
        except OSError as e:
            raise OutsideFailed(
                f"{into / name} cannot be written: {e.strerror}",
                remedy="name a folder that can be written, with room in it",
            ) from e
        count += 1
        if not whole:
            notes.append(f"the probe's {name} is not complete: {_MOST_BYTES >> 20} MiB are fetched")
    if not count:
        notes.append(f"the probe wrote nothing into {source} of the engine's container")
    return notes


def _record(line: bytes) -> tuple[str, bool, bytes] | None:
    """A record's name, whether it is whole, and what is in it; None where the line is none."""
    try:
        name, whole, data = json.loads(line)
        return str(name), bool(whole), base64.b64decode(data, validate=True)
    except (ValueError, TypeError, RecursionError):
        return None

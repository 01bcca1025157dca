"""
A log line inside JSON.

docker writes `{"log": ..., "stream": ..., "time": ...}` and cuts long lines in
pieces, vLLM's own JSON formatter (0.31+) writes level, process and message, and
journald, cloud logging and log shippers each have their names for the same
things. Who speaks is often deep inside: a pod under `kubernetes`, a container
under `resource.labels`.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from firstlight.readers.stamps import epoch_ns, unix_ns

_TEXT = ("message", "MESSAGE", "log", "msg", "textPayload", "line", "body", "@message")
_TIME = ("time", "timestamp", "@timestamp", "ts", "__REALTIME_TIMESTAMP", "asctime", "date")
_WITHIN = ("jsonPayload", "kubernetes", "resource", "labels", "stream", "attributes")
"""Objects that hold more of the record."""
_WHO = ("pod_name", "pod", "container_name", "container", "CONTAINER_NAME", "_SYSTEMD_UNIT")
_DOCKERS = frozenset({"log", "stream", "time", "attrs"})
_TRACE = ("exc_info", "stack_info")
"""Where python's JSON formatter puts a traceback."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """What the JSON says."""

    text: str
    fields: dict[str, Any]
    service: str
    """The pod, or the container; empty where none is named."""
    moment: tuple[int, int] | None
    """Nanoseconds and resolution; None where no field is a date."""
    stream: str
    unfinished: bool | None
    """Whether more of the line follows; None where such envelopes hold whole lines."""


def opened(line: str) -> Envelope | None:
    """Read an envelope; None for text that is none, or holds no message."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict):
        return None
    text = next((t for t in map(_as_text, _values(record, _TEXT)) if t is not None), None)
    if text is None:
        return None
    traces = (t for t in map(record.get, _TRACE) if isinstance(t, str) and t)
    whole = "\n".join([text.rstrip("\n"), *traces])
    dockers = record.keys() <= _DOCKERS and "stream" in record
    stream = record.get("stream")
    return Envelope(
        text=whole,
        fields=record,
        service="/".join(_names(record)),
        moment=next((m for m in map(_moment, _values(record, _TIME)) if m), None),
        stream=stream if isinstance(stream, str) else "",
        unfinished=not text.endswith("\n") if dockers else None,
    )


def _values(record: dict[str, Any], keys: tuple[str, ...]) -> Iterator[Any]:
    """The fields of these names, the record's own before those of objects in it."""
    yield from (record[key] for key in keys if key in record)
    for inner in map(record.get, _WITHIN):
        if isinstance(inner, dict):
            yield from (inner[key] for key in keys if key in inner)


def _names(record: dict[str, Any]) -> Iterator[str]:
    """Pod and container; found at any of two depths."""
    seen: set[str] = set()
    nested = [record, *(i for i in map(record.get, _WITHIN) if isinstance(i, dict))]
    nested += [i for r in nested for i in [r.get("labels")] if isinstance(i, dict)]
    for holder in nested:
        for key in _WHO:
            name = holder.get(key)
            if isinstance(name, str) and name and name not in seen:
                seen.add(name)
                yield name


def _as_text(value: object) -> str | None:
    """A message; journald gives one with control characters as a list of bytes."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and all(isinstance(b, int) for b in value):
        try:
            return bytes(value).decode("utf-8", "replace")
        except ValueError:
            return None
    return None


def _moment(value: object) -> tuple[int, int] | None:
    if isinstance(value, str):
        return unix_ns(value) or epoch_ns(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return epoch_ns(repr(value))
    return None

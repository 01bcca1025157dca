"""
Karpenter's log: when a node was asked for, launched, registered, initialised.

The controller writes JSON (v0.3x and v1), before that zap's console form with JSON at
the end, before that plain words. Since v0.28 the claim for a node is an object with a
name (first `machine`, then `nodeclaim`), before that only the instance has one. Stamps
have milliseconds. What went wrong with a claim becomes an event, because that is what it
is: a component says something about an object. The last line's stamp is kept: what had
not happened until then had not happened.
"""

import json
import re
from dataclasses import dataclass, field
from typing import Any

from firstlight.core.evidence import Evidence
from firstlight.core.marks import Clock
from firstlight.readers.kube.model import Event, NodeClaim, Stamp
from firstlight.readers.stamps import STAMP, epoch_ns, unix_ns

_CONSOLE = re.compile(rf"({STAMP})\s+(DEBUG|INFO|WARN|ERROR|FATAL)\s+(controller[\w.-]*)\s+(\S.*)")
_STEP = re.compile(r"(created|launched|registered|initialized) (?:node ?claim|machine)\b")
_OLD_LAUNCH = re.compile(r"(?:launched (?:new )?|Launched )instance\b(?:: (.*))?")
_OLD_WORDS = re.compile(r"(hostname|type|zone|capacityType): ([^\s,]+)")
_MESSAGES = (
    *("nodeclaim", "node claim", "machine", "provisionable pod", "registration ttl"),
    *("launched instance", "launched new instance", "Launched instance"),
)
_TROUBLES = (
    (
        re.compile(r"(?i)insufficient ?(?:instance ?)?capacity|unfulfillable"),
        "InsufficientCapacityError",
    ),
    (re.compile(r"(?i)registration (?:ttl|timeout)"), "RegistrationTimeout"),
    (re.compile(r"(?i)launch (?:ttl|timeout)"), "LaunchTimeout"),
    (re.compile(r"(?i)^deleted (?:node ?claim|machine)"), "Deleted"),
)
_LONGEST_TEXT = 2000


@dataclass(slots=True)
class _Claim:
    steps: dict[str, Stamp] = field(default_factory=dict)
    told: dict[str, str] = field(default_factory=dict)
    has_name: bool = True
    """False of an instance launched before there were claims: it is filed under its host."""


class KarpenterLog:
    """Takes line after line, and keeps what it says about each claim."""

    def __init__(self, artefact: str) -> None:
        self._artefact = artefact
        self._claims: dict[str, _Claim] = {}
        self._last: Stamp | None = None
        self.events: list[Event] = []

    def read(self, number: int, line: str) -> bool:
        """Read one line; whether it was Karpenter's."""
        record = _json(line) if line.startswith("{") else _console(line)
        if record is None:
            return False
        moment = _moment(record)
        if moment is None:
            return True
        evidence = Evidence(artefact=self._artefact, line=number, text=line[:_LONGEST_TEXT])
        stamp = Stamp(
            at_ns=moment[0],
            resolution_ns=moment[1],
            clock=Clock.CONTROL_PLANE,
            evidence=evidence,
        )
        if self._last is None or stamp.at_ns >= self._last.at_ns:
            self._last = stamp
        self._take(record, stamp)
        return True

    @property
    def read_any(self) -> bool:
        """Whether some line was Karpenter's and had a stamp."""
        return self._last is not None

    def claims(self) -> tuple[NodeClaim, ...]:
        """Every claim that a step was told of, in the order of telling."""
        return tuple(
            NodeClaim(
                artefact=self._artefact,
                name=key if claim.has_name else "",
                created=claim.steps.get("created"),
                launched=claim.steps.get("launched"),
                registered=claim.steps.get("registered"),
                initialized=claim.steps.get("initialized"),
                node=claim.told.get("node") or claim.told.get("hostname", ""),
                instance_type=claim.told.get("instance-type") or claim.told.get("type", ""),
                capacity_type=claim.told.get("capacity-type", ""),
                zone=claim.told.get("zone", ""),
                last_seen=self._last,
            )
            for key, claim in self._claims.items()
        )

    def _take(self, record: dict[str, Any], stamp: Stamp) -> None:
        message = _text(record.get("message") or record.get("msg"))
        step = _STEP.match(message)
        name = _claim_name(record, message)
        if step and name:
            claim = self._claims.setdefault(name, _Claim())
            claim.steps.setdefault(step[1], stamp)
            _tell(claim, record)
        elif old := _OLD_LAUNCH.match(message):
            words = dict(_OLD_WORDS.findall(old[1] or ""))
            told = {**record, **words}
            told["capacity-type"] = words.get("capacityType") or record.get("capacity-type")
            if host := _text(told.get("hostname")):
                claim = self._claims.setdefault(host, _Claim(has_name=False))
                claim.steps.setdefault("launched", stamp)
                _tell(claim, told)
        else:
            self._trouble(record, message, name, stamp)

    def _trouble(self, record: dict[str, Any], message: str, name: str, stamp: Stamp) -> None:
        """An event for what went wrong, and for the end of a claim."""
        error = _text(record.get("error"))
        words = f"{message}: {error}" if error else message
        reason = next((r for pattern, r in _TROUBLES if pattern.search(words[:4000])), "")
        is_error = _text(record.get("level")).upper() in ("ERROR", "FATAL")
        if not reason and not is_error:
            return
        pod = record.get("Pod")
        kind, space = ("NodeClaim", "") if name else ("", "")
        if not name and isinstance(pod, dict):
            kind, name, space = "Pod", _text(pod.get("name")), _text(pod.get("namespace"))
        self.events.append(
            Event(
                reason=reason or "Error",
                message=words[:_LONGEST_TEXT],
                kind=kind,
                name=name,
                namespace=space,
                type="Normal" if reason == "Deleted" else "Warning",
                component="karpenter",
                first=stamp,
                last=stamp,
                evidence=stamp.evidence,
            )
        )


def _json(line: str) -> dict[str, Any] | None:
    """A JSON line of Karpenter's; None if it is somebody else's."""
    if '"controller' not in line and "claim" not in line and '"commit"' not in line:
        return None
    record = _parsed(line)
    if record is None:
        return None
    message = _text(record.get("message") or record.get("msg"))
    if not message:
        return None
    mine = _text(record.get("logger")).startswith("controller") and "commit" in record
    about = any(known in message for known in _MESSAGES)
    names = "controller" in record or _claim_name(record, "")
    return record if mine or (about and names) else None


def _console(line: str) -> dict[str, Any] | None:
    found = _CONSOLE.match(line)
    if not found:
        return None
    stamp, level, logger, rest = found.groups()
    words, brace, tail = rest.partition("{")
    fields = _parsed(brace + tail) if brace else None
    message = words.strip() if fields is not None else rest.strip()
    return {**(fields or {}), "time": stamp, "level": level, "logger": logger, "message": message}


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _moment(record: dict[str, Any]) -> tuple[int, int] | None:
    for key in ("time", "ts", "timestamp"):
        text = str(record.get(key, ""))[:40]
        if moment := unix_ns(text) or epoch_ns(text):
            return moment
    return None


def _claim_name(record: dict[str, Any], message: str) -> str:
    """The claim a line is about: its own field, the reconciled object, or the words."""
    for key in ("NodeClaim", "nodeclaim", "machine", "Machine"):
        if name := _named(record.get(key)):
            return name
    if record.get("controllerKind") in ("NodeClaim", "Machine"):
        return _text(record.get("name"))
    found = re.match(r"\w+ (?:node ?claim|machine) ([a-z0-9][a-z0-9.-]{0,252})", message)
    return found[1] if found else ""


def _tell(claim: _Claim, record: dict[str, Any]) -> None:
    for key in ("instance-type", "zone", "capacity-type", "hostname", "type"):
        if value := _text(record.get(key)):
            claim.told.setdefault(key, value)
    if node := _named(record.get("Node")) or _named(record.get("node")):
        claim.told.setdefault("node", node)


def _named(value: object) -> str:
    return _text(value.get("name")) if isinstance(value, dict) else _text(value)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""

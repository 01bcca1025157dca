"""
`kubectl describe` as fields.

The output is an outline: `Key:  value`, indented by what it belongs to. Several objects
follow one another, each opened by its name; a paste may begin anywhere and have lost the
indentation of its first line. A container's last words may run over many lines that keep
no indentation at all. Nothing here knows what the keys mean, but for those that begin an
object, a list of arguments or a message.
"""

import re
from dataclasses import dataclass, field

_KEY = re.compile(r"([^\s:][^:]{0,120}):(?:\s+(.*))?$")
_TOP = frozenset(
    {
        *("Name", "Namespace", "Priority", "Priority Class Name", "Runtime Class Name"),
        *("Service Account", "Node", "Start Time", "Labels", "Annotations", "Status"),
        *("Reason", "Message", "IP", "IPs", "Controlled By", "NominatedNodeName"),
        *("Termination Grace Period", "Init Containers", "Containers", "Ephemeral Containers"),
        *("Readiness Gates", "Conditions", "Volumes", "QoS Class", "Node-Selectors"),
        *("Tolerations", "Topology Spread Constraints", "Resource Claims", "Events"),
        *("Roles", "CreationTimestamp", "Taints", "Unschedulable", "Lease", "Addresses"),
        *("Capacity", "Allocatable", "System Info", "PodCIDR", "PodCIDRs", "ProviderID"),
        *("Non-terminated Pods", "Allocated resources", "Selector", "Replicas"),
        *("Pods Status", "StrategyType", "MinReadySeconds", "RollingUpdateStrategy"),
        *("Pod Template", "OldReplicaSets", "NewReplicaSet", "Update Strategy"),
        *("API Version", "Kind", "Metadata", "Spec", "Volume Claims", "Parallelism"),
    }
)
"""What stands at the margin; anything else there is not describe's."""
_RAW = frozenset({"Command", "Args"})
_AFTER_MESSAGE = frozenset({"Exit Code", "Last State", "Ready", "Restart Count"})
_DEEPEST = 10
_LONGEST_MESSAGE = 200
"""Lines of a container's last words; the API keeps 4 KiB of them."""


@dataclass(slots=True)
class Field:
    """One line of the outline."""

    line: int
    path: tuple[str, ...]
    """The keys it belongs to, from the outside in."""
    key: str
    """Empty where the line has none: a row of a table, an argument."""
    value: str
    text: str
    """The line without its indentation."""


@dataclass(slots=True)
class Section:
    """The description of one object."""

    fields: list[Field] = field(default_factory=list)
    at_margin: dict[str, str] = field(default_factory=dict)
    """The keys that belong to no other, each with its first value."""

    def add(self, new: Field) -> None:
        """Take one more line."""
        self.fields.append(new)
        if new.key and not new.path:
            self.at_margin.setdefault(new.key, new.value)

    def top(self, key: str) -> str:
        """The value of a key at the margin; empty if it is not there."""
        return self.at_margin.get(key, "")

    def has(self, *keys: str) -> bool:
        """Whether one of these stands at the margin."""
        return any(key in self.at_margin for key in keys)

    def anywhere(self, key: str) -> Field | None:
        """The first field of this key, however deep."""
        return next((f for f in self.fields if f.key == key and f.value), None)

    def below(self, *path: str) -> list[Field]:
        """The fields right below a path that ends so."""
        return [f for f in self.fields if f.path[-len(path) :] == path]

    def pairs(self, *keys: str) -> dict[str, str]:
        """`name=value` lines of Labels, the one beside the key included."""
        texts = [f.value for f in self.fields if not f.path and f.key in keys]
        texts += [f.text for f in self.fields if f.path and f.path[0] in keys]
        parted = (text.partition("=") for text in texts)
        return {name: value for name, sign, value in parted if sign and " " not in name}


class Outline:
    """Takes line after line, and keeps the sections."""

    def __init__(self) -> None:
        self.sections: list[Section] = []
        self._stack: list[tuple[int, str]] = []
        self._message: tuple[int, Field, int] | None = None

    @property
    def in_events(self) -> int | None:
        """The number of the section whose events follow; None outside of one."""
        inside = self._stack and self._stack[0][1] == "Events"
        return len(self.sections) - 1 if inside else None

    def feed(self, number: int, line: str) -> None:
        """Take a line that is no row of a table of events."""
        if self._message is None and line[0] != " " and line.partition(":")[0] not in _TOP:
            return
        text = line.strip()
        indent = len(line) - len(line.lstrip(" "))
        found = _KEY.match(text)
        key, value = (found[1], (found[2] or "").strip()) if found else ("", "")
        if self._continues(indent, key, text):
            return
        if self._stack and self._stack[-1][1] in _RAW and indent > self._stack[-1][0]:
            key, value = "", ""
        if indent == 0:
            if key not in _TOP:
                return
            self._open(key)
        while self._stack and self._stack[-1][0] >= indent:
            self._stack.pop()
        if not self.sections:
            self.sections.append(Section())
        path = tuple(name for _, name in self._stack)
        added = Field(line=number, path=path, key=key, value=value, text=text)
        self.sections[-1].add(added)
        if key and len(self._stack) < _DEEPEST:
            self._stack.append((indent, key))
        if key == "Message" and path and path[-1] in ("State", "Last State"):
            self._message = (indent, added, _LONGEST_MESSAGE)

    def _open(self, key: str) -> None:
        """Begin a section where this key cannot belong to the one before."""
        if not self.sections:
            self.sections.append(Section())
            return
        last = self.sections[-1]
        again = key in ("Conditions", "Containers", "Kind") and last.has(key)
        if key == "Name" or again or last.has("Events"):
            self.sections.append(Section())
            self._stack.clear()

    def _continues(self, indent: int, key: str, text: str) -> bool:
        """Whether the line belongs to a message that runs on."""
        if self._message is None:
            return False
        own, message, left = self._message
        ends = (key in _AFTER_MESSAGE and indent <= own) or (indent == 0 and key in _TOP)
        if ends or left == 0:
            self._message = None
            return False
        message.value = f"{message.value}\n{text}"
        self._message = (own, message, left - 1)
        return True

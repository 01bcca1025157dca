"""
Closing nodes for the time of a start, and opening every one of them again.

A node is closed by one patch that also writes, on the node itself, who did it, when and for
what. Whatever becomes of us, the cluster knows: `firstlight measure --restore` finds the
annotation and mends. Which nodes are to be closed is remembered before the patch is sent,
because a patch whose answer never came may have been carried out.

Two things must not happen. A node that somebody else cordoned must not be opened by us: the
patch that closes names the version that was looked at, and one that lost that race looks
again. And a node that is no longer ours must not be touched: the patch that opens tests
that our annotation is still there, word for word.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass

from firstlight.core.errors import OutsideFailed
from firstlight.core.objects import Object, metadata, name
from firstlight.measure.pod.eligible import is_closed
from firstlight.measure.pod.fields import annotations
from firstlight.measure.pod.ports import Cluster
from firstlight.measure.pod.refusals import not_allowed

ANNOTATION = "firstlight.dev/cordoned"
_POINTER = "/metadata/annotations/" + ANNOTATION.replace("~", "~0").replace("/", "~1")
_CONFLICT, _ABSENT = 409, 404
_TRIES = 10
_ASKED_AGAIN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """What is written on a node that we closed."""

    run: str
    at: str
    """RFC 3339, by the measuring machine's clock."""
    target: str
    """Namespace, kind and name of what is measured."""

    @property
    def text(self) -> str:
        return json.dumps({"run": self.run, "at": self.at, "for": self.target})

    @classmethod
    def read(cls, text: str) -> "Signature":
        """What an annotation says; a damaged one is still ours."""
        try:
            told = json.loads(text)
        except (ValueError, RecursionError):
            told = None
        told = told if isinstance(told, dict) else {}
        return cls(
            run=str(told.get("run", "")),
            at=str(told.get("at", "an unknown time")),
            target=str(told.get("for", "something unknown")),
        )


def signature_on(node: Object) -> Signature | None:
    """What a measurement wrote on a node; None where none did."""
    text = annotations(node).get(ANNOTATION)
    return None if text is None else Signature.read(text)


class Cordons:
    """The nodes that one measurement closes."""

    def __init__(self, cluster: Cluster, signature: Signature) -> None:
        self.closed: list[str] = []
        """Which were closed by us, also when they are open again."""
        self._cluster = cluster
        self._signature = signature
        self._to_open: list[str] = []

    @property
    def is_closing(self) -> bool:
        """Whether a node is closed by us, as far as we know."""
        return bool(self._to_open)

    def close(self, nodes: Iterable[Object]) -> None:
        """
        Close those that are open.

        Raises:
            OutsideFailed: one cannot be closed; those before it are, until `open_all`.
        """
        for node in nodes:
            self._close(node)

    def open_all(self) -> list[OutsideFailed]:
        """Open what we closed; again, harmless. What could not be opened, each with its remedy."""
        problems: list[OutsideFailed] = []
        nobody: OutsideFailed | None = None
        for node in tuple(self._to_open):
            try:
                if nobody is not None:
                    # Patience was had with the first; all together it would last for hours.
                    raise _stays_closed(node, nobody.message)
                opened(self._cluster, node, run=self._signature.run)
            except OutsideFailed as problem:
                problems.append(problem)
                if isinstance(problem.__cause__, OutsideFailed):
                    nobody = nobody or problem.__cause__
            else:
                self._to_open.remove(node)
        return problems

    def _close(self, node: Object) -> None:
        where = self._cluster.path("nodes", name=name(node))
        for _ in range(_TRIES):
            if is_closed(node):
                return
            self._to_open.append(name(node))
            answer = self._cluster.patch(where, self._closing(node))
            if isinstance(answer, dict):
                self.closed.append(name(node))
                return
            self._to_open.remove(name(node))
            if answer.status != _CONFLICT:
                if answer.status == _ABSENT:
                    return
                raise not_allowed(answer)
            again = self._cluster.get(where)
            if not isinstance(again, dict):
                if again.status == _ABSENT:
                    return
                raise not_allowed(again)
            node = again
        raise OutsideFailed(
            f"node {name(node)} changes so often that it could not be cordoned in {_TRIES} tries",
            remedy=f"cordon it yourself (`kubectl cordon {name(node)}`) and measure again",
        )

    def _closing(self, node: Object) -> Object:
        return {
            "metadata": {
                "resourceVersion": metadata(node).get("resourceVersion"),
                "annotations": {ANNOTATION: self._signature.text},
            },
            "spec": {"unschedulable": True},
        }


def opened(cluster: Cluster, node: str, *, run: str | None) -> bool:
    """
    Open a node that a measurement closed; False where it is not closed by that one.

    Args:
        cluster: where the node is.
        node: its name.
        run: which measurement's; None for whosever it is.

    Raises:
        OutsideFailed: it is closed, and stays so; the remedy says what to type.
    """
    for left in reversed(range(_ASKED_AGAIN)):
        try:
            return _opened(cluster, node, run)
        except _SaidNo as no:
            raise _stays_closed(node, str(no)) from no
        except OutsideFailed as broken:
            # The answer may be lost and the patch done: that is seen when looking again.
            if not left:
                raise _stays_closed(node, broken.message) from broken
    raise AssertionError


class _SaidNo(Exception):
    """The cluster answers, and asking again would not help."""


def _opened(cluster: Cluster, node: str, run: str | None) -> bool:
    where = cluster.path("nodes", name=node)
    said = ""
    for _ in range(_TRIES):
        there = cluster.get(where)
        if not isinstance(there, dict):
            if there.status == _ABSENT:
                return False
            raise _SaidNo(there.words)
        signature = signature_on(there)
        if signature is None or (run is not None and signature.run != run):
            return False
        answer = cluster.patch(where, _opening(there), kind="json")
        if isinstance(answer, dict):
            return True
        said = answer.words
        if answer.status in {401, 403}:
            raise _SaidNo(answer.words)
    raise _SaidNo(said)


def _opening(node: Object) -> list[dict[str, object]]:
    return [
        {"op": "test", "path": _POINTER, "value": annotations(node)[ANNOTATION]},
        {"op": "remove", "path": _POINTER},
        {"op": "add", "path": "/spec/unschedulable", "value": False},
    ]


def _stays_closed(node: str, why: str) -> OutsideFailed:
    return OutsideFailed(
        f"node {node} is still cordoned: {why}",
        remedy=f"type `kubectl uncordon {node}`, or `firstlight measure --restore` with the right "
        "to patch nodes",
    )

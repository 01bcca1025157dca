"""
Opening nodes that a measurement closed and never came to open.

A measurement that is killed outright cannot put anything back; what it did stands on each
node. Doing this again changes nothing.
"""

from dataclasses import dataclass, field

from firstlight.core.errors import OutsideFailed
from firstlight.core.objects import name
from firstlight.measure.pod.cordons import Signature, opened, signature_on
from firstlight.measure.pod.ports import Cluster
from firstlight.measure.pod.refusals import not_allowed


@dataclass(frozen=True, slots=True, kw_only=True)
class Mended:
    """One node that was opened."""

    node: str
    signature: Signature

    def __str__(self) -> str:
        return (
            f"uncordoned {self.node}, which a measurement of {self.signature.target} had cordoned "
            f"at {self.signature.at}"
        )


@dataclass(slots=True, kw_only=True)
class Restored:
    """What was mended, and what could not be."""

    mended: list[Mended] = field(default_factory=list)
    problems: list[OutsideFailed] = field(default_factory=list)


def restore(cluster: Cluster) -> Restored:
    """
    Open every node that carries the annotation of a measurement, whosever it was.

    Raises:
        OutsideFailed: nodes may not be listed.
    """
    answer = cluster.items(cluster.path("nodes"))
    if not isinstance(answer, dict):
        raise not_allowed(answer)
    restored = Restored()
    for node in answer.get("items") or ():
        signature = signature_on(node)
        if signature is None:
            continue
        try:
            # By the run that was read: one that began since then is not undone.
            if opened(cluster, name(node), run=signature.run):
                restored.mended.append(Mended(node=name(node), signature=signature))
        except OutsideFailed as problem:
            restored.problems.append(problem)
    return restored

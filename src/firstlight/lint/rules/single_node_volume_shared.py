"""
A volume for one node, mounted by more pods than one.
"""

from collections.abc import Iterator

from firstlight.lint.claims import ONE_POD, Claims, stays_on_one_node
from firstlight.lint.engine_pods import engine_pods
from firstlight.lint.replicas import Scaling
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.techniques.sources import Origin, Source


def _check(scene: Scene) -> Iterator[Hit]:
    claims, scaling = Claims(scene), Scaling(scene)
    for engine in engine_pods(scene):
        replicas = scaling.most(engine)
        if replicas is None or replicas.count <= 1:
            continue
        for single in claims.single(engine):
            if single.mode != ONE_POD and stays_on_one_node(engine):
                continue
            whom = "pod" if single.mode == ONE_POD else "node"
            by = "" if replicas.manifest is engine.manifest else f" ({replicas.manifest.identity})"
            yield Hit(
                manifest=engine.manifest,
                pointer=single.pointer,
                what=f"{single.claim.identity} is {single.mode}, for one {whom} at a time, and "
                f"there may be {replicas.count} pods{by}",
            )


RULE = Rule(
    code="single-node-volume-shared",
    severity=Severity.WARNING,
    title="A volume for one node must not be mounted by several pods",
    why=(
        "The first pod gets the disk. Each further one that lands on another node waits in "
        "ContainerCreating with a Multi-Attach error for as long as the first lives, and its GPU "
        "is paid for meanwhile. With one replica nobody notices, until somebody scales out."
    ),
    remedy=(
        "use storage for many nodes (ReadWriteMany), a claim for each pod (a StatefulSet's "
        "volumeClaimTemplates), or a directory of the node filled from object storage"
    ),
    sources=(
        Source(
            origin=Origin.UPSTREAM,
            where="kubernetes.io/docs/concepts/storage/persistent-volumes, access modes",
        ),
        Source(
            origin=Origin.REPORTED,
            where="pulpproject.org/pulp-operator/docs/user/guides/common_issues: Multi-Attach",
        ),
    ),
    check=_check,
)

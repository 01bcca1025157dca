"""
A rolling update whose new pod waits for the old one's volume.
"""

from collections.abc import Iterator

from firstlight.lint.claims import ONE_POD, Claims, stays_on_one_node
from firstlight.lint.engine_pods import engine_pods
from firstlight.lint.replicas import Scaling, rolling
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.techniques.sources import Origin, Source


def _check(scene: Scene) -> Iterator[Hit]:
    claims, scaling = Claims(scene), Scaling(scene)
    for engine in engine_pods(scene):
        rollout, replicas = rolling(engine), scaling.most(engine)
        if rollout is None or replicas is None or replicas.count > 1:
            # With more pods than one, `single-node-volume-shared` says it already.
            continue
        for single in claims.single(engine):
            if single.mode != ONE_POD and stays_on_one_node(engine):
                continue
            where = "" if single.mode == ONE_POD else " on another node"
            yield Hit(
                manifest=engine.manifest,
                pointer=rollout.pointer,
                what=f"a rolling update makes the new pod before the old one goes, and the new "
                f"one{where} waits for {single.claim.identity}, which is {single.mode} and "
                "the old one's",
            )


RULE = Rule(
    code="rollout-waits-for-volume",
    severity=Severity.WARNING,
    title="A rolling update must not wait for a volume that the old pod holds",
    why=(
        "The old pod stays until the new one is ready, and the new one is never ready without the "
        "volume: the rollout stands still until its deadline, while a second GPU node may have "
        "been bought for it. It works wherever both pods happen to land on one node, so a test "
        "cluster does not show it."
    ),
    remedy="strategy: {type: Recreate}",
    sources=(
        Source(
            origin=Origin.REPORTED,
            where="github.com/mattermost/mattermost-helm/issues/283: both wait for each other",
        ),
        Source(
            origin=Origin.UPSTREAM,
            where="kubernetes.io/docs/concepts/workloads/controllers/deployment, strategy",
        ),
        Source(origin=Origin.REFERENCE_CASE, where="each step is applied with strategy Recreate"),
    ),
    check=_check,
)

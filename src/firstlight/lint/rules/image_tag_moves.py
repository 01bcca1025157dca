"""
An image that is another one tomorrow.
"""

from collections.abc import Iterator

from firstlight.core.image_reference import full_name
from firstlight.lint.engine_pods import image_of
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.techniques.sources import Origin, Source

_MOVING = frozenset({"latest", "nightly", "main", "master", "edge"})


def _check(scene: Scene) -> Iterator[Hit]:
    for engine in scene.engines:
        image = image_of(engine)
        if image is None or "@" in image:
            continue
        tag = full_name(image).rpartition(":")[2]
        if tag in _MOVING:
            written = image.rpartition("/")[2].partition(":")[2]
            yield Hit(
                manifest=engine.manifest,
                pointer=engine.pointer("/image"),
                what=f"{image} is whatever its tag {tag} means on the day of the pull"
                if written
                else f"{image} has no tag, which is {tag}: whatever that means on the day",
            )


RULE = Rule(
    code="image-tag-moves",
    severity=Severity.WARNING,
    title="The engine's image must have a tag that stays what it is",
    why=(
        "When the tag moves, new nodes pull another engine than the old ones, and a node with "
        "the policy Always pulls some 9 GB again, 65 s in the reference case; one that has the "
        "image and the policy IfNotPresent keeps the old one and says nothing. Two pods of one "
        "Deployment then run different versions, and where the version is new the compile cache "
        "misses, because it is in the key: 64 s more. Without a policy latest means Always."
    ),
    remedy="name a version, or a digest",
    sources=(
        Source(
            origin=Origin.UPSTREAM,
            where="kubernetes.io/docs/concepts/containers/images, image pull policy of :latest",
        ),
        Source(
            origin=Origin.REFERENCE_CASE,
            where="image pull 65.1 s; engine init 94.0 s compiled, 29.6 s from the cache",
        ),
    ),
    check=_check,
)

"""
An image pulled beforehand that is not the one the pods run.

The name in a node's user data, or in a DaemonSet that pulls, is written by hand, and the
Deployment moves on without it.
"""

from collections.abc import Iterator, Mapping

from firstlight.core.image_reference import are_one_image, repository
from firstlight.lint.engine import Engine
from firstlight.lint.engine_pods import image_of, said
from firstlight.lint.pools import PoolIndex
from firstlight.lint.prepulls import USER_DATA, Prepull, Prepulls
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.manifests.karpenter_references import pools_of
from firstlight.manifests.objects import Manifest
from firstlight.techniques.sources import Origin, Source

_Images = dict[str, dict[str, Engine]]
"""By repository, and in it the images, each with an engine that runs it."""


def _check(scene: Scene) -> Iterator[Hit]:
    index = PoolIndex(scene)
    everywhere: _Images = {}
    on_class: dict[int, _Images] = {}
    for engine in scene.engines:
        image = image_of(engine)
        if image is None:
            continue
        folder = repository(image)
        everywhere.setdefault(folder, {}).setdefault(image, engine)
        for node_class in _classes(engine, index):
            here = on_class.setdefault(id(node_class), {})
            here.setdefault(folder, {}).setdefault(image, engine)
    for prepull in Prepulls(scene).all:
        if prepull.pointer == USER_DATA:
            served = on_class.get(id(prepull.manifest), {})
        else:
            served = everywhere
        for images in served.values():
            yield from _compared(prepull, images)


def _compared(prepull: Prepull, images: Mapping[str, Engine]) -> Iterator[Hit]:
    image, engine = next(iter(images.items()))
    pulled = prepull.of(image)
    if not pulled:
        return
    if any(are_one_image(one, run) is not False for one in pulled for run in images):
        return
    yield Hit(
        manifest=prepull.manifest,
        pointer=prepull.pointer,
        what=f"it has {' and '.join(pulled)} pulled beforehand, and {said(engine)} runs {image}",
        remedy=f"pull {image} here, and change both in one commit from now on",
    )


def _classes(engine: Engine, index: PoolIndex) -> Iterator[Manifest]:
    """The classes that its nodes are of, as far as that is known."""
    known = index.of(engine).known
    for pool in known:
        if node_class := index.class_of(pool):
            yield node_class
    if not known and not pools_of(engine.pod) and (only := index.only_class()):
        yield only


RULE = Rule(
    code="prepull-other-image",
    severity=Severity.WARNING,
    title="The image that is pulled beforehand must be the one that the pods run",
    why=(
        "The node pulls some 9 GB that nobody uses, and the kubelet pulls as many again for the "
        "pod: 65 s in the reference case, and less bandwidth while both run. Nothing fails and "
        "no event says so; the pull only looks like any other."
    ),
    remedy="write the pods' own reference, letter for letter",
    sources=(
        Source(
            origin=Origin.REFERENCE_CASE,
            where="judgement on pre-pull: the tag in userData and in the Deployment must be equal "
            "or it is void",
        ),
        Source(
            origin=Origin.REPORTED,
            where="github.com/vllm-project/aibrix/issues/2560: a warm-up must follow the digest",
        ),
    ),
    check=_check,
    techniques=("image-prepull",),
)

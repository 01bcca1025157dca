"""
Another image that is pulled, and runs, before the engine's own is pulled.

A note, because what it costs is the initContainer's own time beside the pull's, and neither
stands in a manifest.
"""

from collections.abc import Iterator

from firstlight.core.image_reference import are_one_image
from firstlight.core.signs import RESTORES_CACHE
from firstlight.lint.engine_pods import engine_pods, image_of
from firstlight.lint.prepulls import Prepulls
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.readers.kube.fields import mappings, text
from firstlight.techniques.sources import Origin, Source

_TINY = frozenset({"busybox", "alpine", "pause"})
"""Images of few megabytes, and what people do with them takes a second."""


def _check(scene: Scene) -> Iterator[Hit]:
    prepulls = Prepulls(scene)
    for engine in engine_pods(scene):
        image = image_of(engine)
        if image is None or prepulls.have(image):
            continue
        for index, container in enumerate(mappings(engine.pod.get("initContainers"))):
            other = text(container.get("image"))
            if not other or "$" in other or are_one_image(other, image) is not False:
                # From here on the engine's image is there.
                break
            # What brings the compile cache has an image of tens of megabytes, and comes first.
            small = _name(other) in _TINY or container.get("name") == RESTORES_CACHE
            if container.get("restartPolicy") == "Always" or small:
                continue
            yield Hit(
                manifest=engine.manifest,
                pointer=f"{engine.workload.pod_pointer}/initContainers/{index}/image",
                what=f"{image} is pulled only when {container.get('name')} is done, and before "
                f"that {other} is pulled",
                remedy=f"set image: {image} for {container.get('name')} too, where it has what is "
                "run there, so that one pull is shared; or have it pulled beforehand",
            )


def _name(image: str) -> str:
    return image.rpartition("/")[2].partition("@")[0].partition(":")[0]


RULE = Rule(
    code="init-image-before-engine",
    severity=Severity.NOTE,
    title="An initContainer with another image holds the engine's pull back",
    why=(
        "The kubelet pulls images for one container of a pod after the other, and the engine's "
        "only when the last initContainer has ended. So the pull of the first image, whatever it "
        "does, and the pull of some 9 GB add up, 65 s of them in the reference case, though the "
        "network is idle for a good part of it."
    ),
    remedy=(
        "run the initContainer from the engine's own image, whose pull is then shared, or let "
        "the engine fetch its model itself"
    ),
    sources=(
        Source(
            origin=Origin.UPSTREAM,
            where="kubernetes.io/docs/concepts/containers/images, serial and parallel image pulls: "
            "never in parallel on behalf of one pod",
        ),
        Source(
            origin=Origin.REPORTED,
            where="github.com/kubernetes/kubernetes/issues/88265: pull, run, and only then pull",
        ),
    ),
    check=_check,
    techniques=("compile-cache-published",),
)

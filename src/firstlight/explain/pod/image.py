"""
The pull that brought the engine's image.

The kubelet pulls an image for the first container that needs it. Where an initContainer
runs from the engine's own image, that one's pull is the engine's, and the `already
present` said of the engine's container behind it tells of nobody's foresight.
"""

from collections.abc import Sequence

from firstlight.core.image_reference import full_name, repository
from firstlight.explain.pod.containers import Arrival
from firstlight.explain.pod.subject import Subject


def image_arrival(found: Sequence[Arrival]) -> Arrival:
    """The first container, on the engine's way, that came with the engine's image.

    Args:
        found: the containers in the kubelet's order; the engine's is the last.
    """
    engine = found[-1]
    same = (a for a in found if engine.image and full_name(a.image) == full_name(engine.image))
    return next((a for a in same if a.pull), engine)


def other_on_node(subject: Subject, image: str) -> str | None:
    """
    Another version of the image on the pod's node; None where there is none.

    Said only of versions that no pod seen on that node runs, and of another size: one image
    may have two tags.
    """
    node = subject.node
    if node is None:
        return None
    mine = full_name(image)
    sizes = {full_name(name): size for name, size in node.image_bytes.items()}
    run = {
        full_name(container.image)
        for pod in subject.cluster.pods
        if pod.node == node.name
        for container in pod.containers
    }
    for name, told in node.image_bytes.items():
        full = full_name(name)
        if "@" in name or full in run or repository(name) != repository(image):
            continue
        if mine in sizes and told != sizes[mine]:
            return name
    return None

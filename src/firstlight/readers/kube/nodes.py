"""
A node.

The kubelet writes a node's conditions and what it runs on; when it falls silent, the node
controller sets the conditions to Unknown, by its own clock. Which images the node has, and how
large each is unpacked, stands in the status, under every name the image goes by.
"""

from collections.abc import Mapping
from typing import Any

from firstlight.core.marks import Clock
from firstlight.readers.kube.conditions import read_conditions
from firstlight.readers.kube.fields import mappings, natural, text, texts, within, words
from firstlight.readers.kube.metadata import created_of, name_of
from firstlight.readers.kube.model import Node
from firstlight.readers.kube.stamps import Origin


def read_node(obj: Mapping[str, Any], origin: Origin) -> Node:
    """Everything a start needs of a node."""
    return Node(
        artefact=origin.artefact,
        name=name_of(obj),
        created=created_of(obj, origin),
        conditions=read_conditions(obj, origin, _clock),
        labels=texts(within(obj, "metadata", "labels")),
        image_bytes=_image_bytes(obj),
        software=texts(within(obj, "status", "nodeInfo")),
    )


def _clock(condition: Mapping[str, Any]) -> Clock:
    return Clock.CONTROL_PLANE if text(condition.get("status")) == "Unknown" else Clock.NODE


def _image_bytes(obj: Mapping[str, Any]) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for image in mappings(within(obj, "status", "images")):
        size = natural(image.get("sizeBytes"))
        if size is not None:
            sizes.update(dict.fromkeys(words(image.get("names")), size))
    return sizes

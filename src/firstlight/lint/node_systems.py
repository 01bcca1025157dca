"""
Systems of nodes whose disks Karpenter sets up itself, and so is known to have done.

Of any other, images and volumes are what the user data or the image makes of them.
"""

from firstlight.manifests.ami_family import ami_family
from firstlight.manifests.objects import Manifest

_KNOWN = frozenset({"al2", "al2023", "bottlerocket"})


def known_system(node_class: Manifest) -> str | None:
    """The system of an EC2NodeClass; None where it is another, or not said."""
    family = ami_family(node_class.value)
    return family if family in _KNOWN else None

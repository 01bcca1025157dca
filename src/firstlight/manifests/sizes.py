"""
Sizes as people write them, amounts of memory, and how much disk an image takes.

An image is on a node twice while it arrives: the layers as they came and the files in them.
Some runtimes throw the layers away afterwards, which helps the next image and not this one.
"""

import re
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from firstlight.core.units import BYTES_PER_GIB
from firstlight.readers.kube.quantities import quantity

_UNITS = {
    "B": 1,
    "KB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "KIB": 2**10,
    "MIB": 2**20,
    "GIB": 2**30,
    "KI": 2**10,
    "MI": 2**20,
    "GI": 2**30,
}
_SIZE = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,9})?) ?([A-Za-z]{1,3})")
REFERENCE_IMAGE_BYTES = 8_900_000_000
"""The reference case's image, as the registry has it."""
LARGEST_IMAGE_BYTES = 10**12
UNPACKED_TIMES = Fraction(22, 10)
"""How much larger the files are than the layers: our estimate for images of CUDA and torch."""
BESIDE_IMAGE_GIB = 30
"""For the system, logs, other images and a compile cache."""
_STEP_GIB = 10


def size_bytes(text: str) -> int | None:
    """How many bytes a size such as `8.9GB` or `20 GiB` is; None for what is no size."""
    found = _SIZE.fullmatch(text.strip())
    if found is None or found[2].upper() not in _UNITS:
        return None
    return int(Fraction(found[1]) * _UNITS[found[2].upper()]) or None


def quantity_bytes(text: str) -> int | None:
    """How many bytes an amount of memory such as `48Gi` is to Kubernetes; None where it is none."""
    found = quantity(text)
    return None if found is None else int(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageOnDisk:
    """What an image takes on a node."""

    packed_bytes: int
    unpacked_bytes: int

    @classmethod
    def of(cls, packed: str | None, unpacked: str | None) -> "ImageOnDisk":
        """From what is stated, estimated where nothing is."""
        whole = size_bytes(unpacked) if unpacked else None
        layers = size_bytes(packed) if packed else None
        if layers is None:
            layers = int(whole / UNPACKED_TIMES) if whole else REFERENCE_IMAGE_BYTES
        return cls(packed_bytes=layers, unpacked_bytes=whole or int(layers * UNPACKED_TIMES))

    @property
    def volume_gib(self) -> int:
        """A volume that holds both and what else a node keeps, in steps of ten."""
        image = ceil((self.packed_bytes + self.unpacked_bytes) / BYTES_PER_GIB)
        return ceil((image + BESIDE_IMAGE_GIB) / _STEP_GIB) * _STEP_GIB

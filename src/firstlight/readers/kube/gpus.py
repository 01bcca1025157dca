"""
How many GPUs a list of resources names.

Each vendor has its own name: `nvidia.com/gpu`, `amd.com/gpu`, `gpu.shared` where a
GPU is sliced by time, and one for each size of a partition: `nvidia.com/mig-1g.10gb`.
"""

import re

from firstlight.readers.kube.fields import mapping, natural, text

_GPU = re.compile(r"[\w.-]+/(?:gpu(?:\.shared)?|mig-[\w.-]+)")
_COUNT = re.compile(r"[0-9]{1,6}")


def gpus(resources: object) -> int:
    """The sum of what counts as a GPU; a quantity that is no number counts as none."""
    return sum(
        _count(quantity)
        for name, quantity in mapping(resources).items()
        if isinstance(name, str) and _GPU.fullmatch(name)
    )


def _count(quantity: object) -> int:
    written = text(quantity)
    return int(written) if _COUNT.fullmatch(written) else natural(quantity) or 0

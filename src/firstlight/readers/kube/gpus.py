"""
How many accelerators a container asks for.

Each vendor has its own name: `nvidia.com/gpu`, `amd.com/gpu`, `gpu.intel.com/xpu`,
`google.com/tpu`, `aws.amazon.com/neuron`, `gpu.shared` where a GPU is sliced by time, and
one for each size of a partition: `nvidia.com/mig-1g.10gb`. Requests without limits are
refused by an API server, but stand in manifests that were never applied.
"""

import re

from firstlight.readers.kube.fields import mapping, natural, text
from firstlight.readers.kube.quantities import quantity as quantity_of

_GPU = re.compile(r"[\w.-]+/(?:[gxt]pu|gpu\.shared|neuron(?:core|device)?|mig-[\w.-]+)")
_MOST = 10**6


def gpus(resources: object) -> int:
    """The sum of what counts as a GPU; a text that is no number yet (`${GPUS}`) counts as one."""
    asked = {**mapping(mapping(resources).get("requests"))}
    asked |= mapping(mapping(resources).get("limits"))
    return sum(
        _count(quantity)
        for name, quantity in asked.items()
        if isinstance(name, str) and _GPU.fullmatch(name)
    )


def _count(quantity: object) -> int:
    if not text(quantity):
        return natural(quantity) or 0
    number = quantity_of(quantity)
    return int(number) if number is not None and 0 <= number < _MOST else 1

"""
Which EC2 instances have disks of their own.

A small table of families with GPUs, written down from the vendor's descriptions and not
asked of its API. A family that is not here is not guessed at: the intent's `nvme` says it,
and overrules the table.
"""

from firstlight.manifests.intent import Intent

WITH_NVME = frozenset(
    {
        "g4ad",
        "g4dn",
        "g5",
        "g6",
        "g6e",
        "g7e",
        "gr6",
        "p3dn",
        "p4d",
        "p4de",
        "p5",
        "p5e",
        "p5en",
        "p6-b200",
    }
)
WITHOUT_NVME = frozenset({"g3", "g3s", "g5g", "p2", "p3"})


def families(intent: Intent) -> tuple[str, ...]:
    """The instance families that the nodes may be of; empty where only the GPU is known."""
    of_types = [one.partition(".")[0] for one in intent.instance_types]
    return tuple(dict.fromkeys((*of_types, *intent.instance_families)))


def has_nvme(intent: Intent) -> bool | None:
    """Whether every node has disks of its own; None where nothing tells."""
    if intent.nvme is not None:
        return intent.nvme
    found = set(families(intent))
    if found and found <= WITH_NVME:
        return True
    return False if found & WITHOUT_NVME else None

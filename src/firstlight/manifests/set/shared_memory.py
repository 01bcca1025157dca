"""How large /dev/shm is: processes of one engine hand each other tensors in it."""

from firstlight.manifests.intent import Intent

_OF_ONE_GPU = "2Gi"
_OF_SEVERAL = "16Gi"


def shared_memory(intent: Intent) -> str:
    """As stated, or by the number of GPUs."""
    return intent.shm or (_OF_ONE_GPU if intent.gpu.count == 1 else _OF_SEVERAL)

"""
Which container of a pod is the engine's.

Pods have sidecars. Whoever measures a start and whoever explains it decide by this one
rule, so that the figures and the log are of one container.
"""

from firstlight.readers.kube.model import Container, ContainerKind, Pod


def engine_container(pod: Pod) -> Container | None:
    """The container that runs the engine.

    By its image or command; else the one that asked for GPUs; else the only one, or the first.
    """
    mains = [c for c in pod.containers if c.kind is ContainerKind.MAIN]
    for is_it in (mentions_vllm, _asks_gpus):
        if found := [c for c in mains if is_it(c)]:
            return found[0]
    return mains[0] if mains else None


def mentions_vllm(container: Container) -> bool:
    """Whether its name, image or command speaks of vLLM."""
    words = (container.name, container.image, *container.command)
    return any("vllm" in word.lower() for word in words)


def _asks_gpus(container: Container) -> bool:
    return container.gpus > 0

"""
Which container of a pod is the engine's.

Pods have sidecars. Whoever measures a start and whoever explains it decide by this one
rule, so that the figures and the log are of one container. How each is rated is the same
as for a manifest: see `engine_likelihood`.
"""

from firstlight.readers.engine_likelihood import Likelihood, engine_likelihood
from firstlight.readers.kube.model import Container, ContainerKind, Pod


def engine_container(pod: Pod) -> Container | None:
    """The likeliest of those that run together, the first of equals; None where there is none."""
    mains = (c for c in pod.containers if c.kind is ContainerKind.MAIN)
    return max(mains, key=_likelihood, default=None)


def mentions_vllm(container: Container) -> bool:
    """Whether its name, image or command speaks of vLLM."""
    return _likelihood(container) >= Likelihood.MENTIONED


def _likelihood(container: Container) -> Likelihood:
    return engine_likelihood(
        name=container.name,
        image=container.image,
        command=container.command,
        args=container.args,
        gpus=container.gpus > 0,
    )

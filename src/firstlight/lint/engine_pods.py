"""
The pods that run engines, each once.

Some questions are about a pod and not about one container of it: where it runs, what it
mounts, how many there are of it. A pod with two engines is one pod.
"""

from collections.abc import Iterator

from firstlight.lint.engine import Engine
from firstlight.lint.scene import Scene
from firstlight.manifests.objects import Manifest


def engine_pods(scene: Scene) -> Iterator[Engine]:
    """One engine of each pod, the first of it."""
    seen = set[tuple[int, str]]()
    for engine in scene.engines:
        pod = (id(engine.manifest), engine.workload.pod_pointer)
        if pod not in seen:
            seen.add(pod)
            yield engine


def image_of(engine: Engine) -> str | None:
    """The reference of its image; None where it is none yet, as in `${IMAGE}`."""
    image = str(engine.container.get("image") or "")
    return image if image and "$" not in image and "{" not in image else None


def same_namespace(engine: Engine, manifest: Manifest) -> bool:
    """Whether both are in one namespace: what does not say it goes where the other does."""
    mine, its = engine.workload.namespace, manifest.identity.namespace
    return mine == its or not mine or not its


def said(engine: Engine) -> str:
    """The object as a sentence names it: `Deployment/llm`."""
    return str(engine.manifest.identity)

"""More ranks in one pod than the pod has GPUs."""

from collections.abc import Iterator

from firstlight.lint.parallel_size import above_gpus
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.techniques.sources import Origin, Source


def _check(scene: Scene) -> Iterator[Hit]:
    for engine in scene.engines:
        found = above_gpus(engine)
        if found is not None:
            has = "1 GPU" if found.gpus == 1 else f"{found.gpus} GPUs"
            yield Hit(
                manifest=engine.manifest,
                pointer=found.pointer,
                what=f"{found.says} needs {found.ranks} GPUs in this pod, and the container gets "
                f"{has}",
                remedy=f"ask for {found.ranks} GPUs, or lower the parallel size to {found.gpus}; "
                "ranks in several pods need --nnodes, or --distributed-executor-backend ray",
            )


RULE = Rule(
    code="parallel-size-above-gpus",
    severity=Severity.ERROR,
    title="A pod must have as many GPUs as its engine has ranks",
    why=(
        "Each rank takes a GPU of its own. With fewer, vLLM ends while it starts, or an older one "
        "asks Ray for GPUs that never come and waits; after the image was pulled, and again with "
        "each restart. The two numbers stand far apart in the manifest, and people change one."
    ),
    remedy="ask for as many GPUs as tensor, pipeline and data parallel size come to, or lower them",
    sources=(
        Source(
            origin=Origin.UPSTREAM,
            where="vllm/config/parallel.py: world size is larger than the number of available GPUs "
            "in this node",
        ),
        Source(origin=Origin.UPSTREAM, where="docs.vllm.ai/en/stable/serving/parallelism_scaling"),
    ),
    check=_check,
)

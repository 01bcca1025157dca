"""Several ranks in one pod, and the 64 MiB of shared memory that a container has by default."""

from collections.abc import Iterator

from firstlight.lint.engine import Engine
from firstlight.lint.model_named import fewest_ranks_in_pod
from firstlight.lint.parallel_size import above_gpus
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.manifests.mounts import volume_named
from firstlight.readers.kube.fields import within
from firstlight.readers.kube.quantities import quantity
from firstlight.techniques.sources import Origin, Source

_SHM = "/dev/shm"  # noqa: S108
_DEFAULT = 64 * 2**20


def _check(scene: Scene) -> Iterator[Hit]:
    for engine in scene.engines:
        ranks = fewest_ranks_in_pod(engine)
        if ranks is None or ranks < 2 or engine.pod.get("hostIPC"):  # noqa: PLR2004
            continue
        said = _too_small(engine)
        if said is not None:
            found = engine.argument("--tensor-parallel-size")
            wanted = above_gpus(engine)
            # That it has fewer GPUs is for another rule to say.
            whose = f"{ranks} ranks" if wanted is None else f"the ranks of {wanted.says}"
            yield Hit(
                manifest=engine.manifest,
                pointer=found.pointer,
                what=f"{whose} share a /dev/shm of {said}",
            )


def _too_small(engine: Engine) -> str | None:
    """How large /dev/shm is, where that is little; None where it is not, or not known."""
    mount = engine.mount_of(_SHM)
    if mount is None or str(mount.get("mountPath")).rstrip("/") != _SHM:
        return "64 MiB, the default: nothing is mounted there"
    volume = volume_named(engine.pod, mount.get("name"))
    size = quantity(within(volume, "emptyDir", "sizeLimit"))
    return None if size is None or size > _DEFAULT else f"{int(size) / 2**20:.0f} MiB"


RULE = Rule(
    code="shared-memory-small",
    severity=Severity.WARNING,
    title="Several ranks in one pod need a larger /dev/shm than the default",
    why=(
        "vLLM's ranks talk through rings in /dev/shm, 160 MiB each at most, and NCCL keeps its "
        "buffers there too. With 64 MiB the start ends in `No space left on device`, hangs while "
        "NCCL connects, or goes well until a large batch ends it by a bus error. Where the GPUs "
        "reach each other directly it often goes well, which is why it is found late."
    ),
    remedy="mount an emptyDir with medium: Memory at /dev/shm, and count it into the memory limit",
    sources=(
        Source(origin=Origin.UPSTREAM, where="docs.vllm.ai/en/stable/deployment/k8s"),
        Source(
            origin=Origin.UPSTREAM,
            where="vllm/distributed/device_communicators/shm_broadcast.py: 10 chunks of "
            "VLLM_MQ_MAX_CHUNK_BYTES_MB, 16",
        ),
        Source(origin=Origin.REPORTED, where="github.com/NVIDIA/nccl/issues/525"),
        Source(origin=Origin.REPORTED, where="github.com/vllm-project/vllm/issues/1710"),
    ),
    check=_check,
)

"""
What EC2's instances with NVIDIA GPUs have: processors, memory, GPUs, and of which kind.

A table for those people ask for, written down from the vendor's descriptions and not asked of
its API. What is not here is not judged, and whoever renders says so. What surely has no GPU
that `nvidia.com/gpu` counts is known by its family, so that nobody waits for a node that no
cloud can make.

Which of them the nodes of an intent may be follows from all that it says together: Karpenter
takes only what meets every requirement.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from firstlight.manifests.intent import Intent

LEFT_TO_PODS = 0.925
"""Of the memory: Karpenter counts with 7.5 % less than the instance has, unless it is told
otherwise, and the kubelet keeps some of the rest."""
_NONE_BY_NAME = frozenset({"g4ad", "g6f", "gr6f"})
"""AMD's, and parts of a GPU, which no device plugin counts as one."""
_NONE_BY_LETTERS = frozenset(
    {
        *("a", "c", "d", "dl", "f", "h", "hpc", "i", "im", "inf", "is", "m"),
        *("mac", "r", "t", "trn", "u", "vt", "x", "z"),
    }
)
"""Other accelerators, and none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """One instance type."""

    name: str
    processors: int
    memory_gib: int
    gpus: int
    gpu: str | None
    """Karpenter's name of the GPU; None where it is not written down here."""
    arch: str

    @property
    def family(self) -> str:
        return family_of(self.name)

    @property
    def says(self) -> str:
        """What it has, in words."""
        gpus = f"{self.gpus} GPU" + ("s" if self.gpus > 1 else "")
        return f"{self.name} has {self.processors} processors, {self.memory_gib} GiB and {gpus}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """What the nodes of an intent may be."""

    known: tuple[Instance, ...]
    unknown: tuple[str, ...]
    """Types, families and GPUs that are not in the table."""

    def fitting(self, fits: Callable[[Instance], bool]) -> "Candidates":
        """Those that fit, and those nobody can tell of."""
        return replace(self, known=tuple(one for one in self.known if fits(one)))

    @property
    def are_none(self) -> bool:
        """Whether no node can be made."""
        return not (self.known or self.unknown)


def family_of(name: str) -> str:
    """The family of an instance type."""
    return name.partition(".")[0]


def has_no_gpu(family: str) -> bool:
    """Whether nothing of this family has a whole NVIDIA GPU; what is not known may have one."""
    letters = family[: next((i for i, c in enumerate(family) if not c.isalpha()), len(family))]
    return family in _NONE_BY_NAME or letters in _NONE_BY_LETTERS


def listed(intent: Intent) -> Candidates:
    """Everything that the intent lists, before its lists are held against each other."""
    if intent.instance_types:
        return Candidates(
            known=tuple(_TABLE[one] for one in intent.instance_types if one in _TABLE),
            unknown=tuple(one for one in intent.instance_types if one not in _TABLE),
        )
    families = {one.family for one in _TABLE.values()}
    if intent.instance_families:
        return Candidates(
            known=tuple(i for i in _TABLE.values() if i.family in intent.instance_families),
            unknown=tuple(one for one in intent.instance_families if one not in families),
        )
    known = tuple(one for one in _TABLE.values() if one.gpu == intent.gpu.type)
    return Candidates(known=known, unknown=() if known else (f"GPU {intent.gpu.type}",))


def of_one_kind(intent: Intent) -> Candidates:
    """Those of them that are of a listed family and have the GPU that is asked for."""
    found, families, gpu = listed(intent), intent.instance_families, intent.gpu.type
    if intent.instance_types and families:
        found = Candidates(
            known=tuple(one for one in found.known if one.family in families),
            unknown=tuple(one for one in found.unknown if family_of(one) in families),
        )
    return found if gpu is None else found.fitting(lambda one: one.gpu in (None, gpu))


def with_enough_gpus(intent: Intent) -> Candidates:
    """Those of them with as many GPUs as a pod gets: exactly so many where none is named."""
    count = intent.gpu.count
    if intent.instance_types:
        return of_one_kind(intent).fitting(lambda one: one.gpus >= count)
    return of_one_kind(intent).fitting(lambda one: one.gpus == count)


def arch_of(intent: Intent) -> str:
    """The processors' architecture; that of most where nothing tells."""
    return next((one.arch for one in of_one_kind(intent).known), "amd64")


_SHAPES = """
amd64 t4
  g4dn.xlarge 4 16 1, g4dn.2xlarge 8 32 1, g4dn.4xlarge 16 64 1, g4dn.8xlarge 32 128 1
  g4dn.16xlarge 64 256 1, g4dn.12xlarge 48 192 4, g4dn.metal 96 384 8
amd64 a10g
  g5.xlarge 4 16 1, g5.2xlarge 8 32 1, g5.4xlarge 16 64 1, g5.8xlarge 32 128 1
  g5.16xlarge 64 256 1, g5.12xlarge 48 192 4, g5.24xlarge 96 384 4, g5.48xlarge 192 768 8
arm64 t4g
  g5g.xlarge 4 8 1, g5g.2xlarge 8 16 1, g5g.4xlarge 16 32 1, g5g.8xlarge 32 64 1
  g5g.16xlarge 64 128 2, g5g.metal 64 128 2
amd64 l4
  g6.xlarge 4 16 1, g6.2xlarge 8 32 1, g6.4xlarge 16 64 1, g6.8xlarge 32 128 1
  g6.16xlarge 64 256 1, g6.12xlarge 48 192 4, g6.24xlarge 96 384 4, g6.48xlarge 192 768 8
  gr6.4xlarge 16 128 1, gr6.8xlarge 32 256 1
amd64 l40s
  g6e.xlarge 4 32 1, g6e.2xlarge 8 64 1, g6e.4xlarge 16 128 1, g6e.8xlarge 32 256 1
  g6e.16xlarge 64 512 1, g6e.12xlarge 48 384 4, g6e.24xlarge 96 768 4, g6e.48xlarge 192 1536 8
amd64 ?
  g7e.2xlarge 8 64 1, g7e.4xlarge 16 128 1, g7e.8xlarge 32 256 1
  g7e.12xlarge 48 512 2, g7e.24xlarge 96 1024 4, g7e.48xlarge 192 2048 8
amd64 v100
  p3.2xlarge 8 61 1, p3.8xlarge 32 244 4, p3.16xlarge 64 488 8, p3dn.24xlarge 96 768 8
amd64 a100
  p4d.24xlarge 96 1152 8, p4de.24xlarge 96 1152 8
amd64 h100
  p5.4xlarge 16 256 1, p5.48xlarge 192 2048 8
amd64 h200
  p5e.48xlarge 192 2048 8, p5en.48xlarge 192 2048 8
amd64 b200
  p6-b200.48xlarge 192 2048 8
"""
"""By architecture and GPU: the type, its processors, GiB and GPUs."""


def _table() -> Iterator[Instance]:
    arch, gpu = "", ""
    for line in _SHAPES.strip().splitlines():
        if not line.startswith(" "):
            arch, gpu = line.split()
            continue
        for shape in line.split(","):
            name, processors, memory_gib, gpus = shape.split()
            yield Instance(
                name=name,
                processors=int(processors),
                memory_gib=int(memory_gib),
                gpus=int(gpus),
                gpu=None if gpu == "?" else gpu,
                arch=arch,
            )


_TABLE: Mapping[str, Instance] = {one.name: one for one in _table()}

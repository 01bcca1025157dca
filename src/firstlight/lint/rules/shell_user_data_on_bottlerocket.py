"""
A shell script as the user data of Bottlerocket nodes.
"""

import re
import tomllib
from collections.abc import Iterator

from firstlight.lint.pools import PoolIndex
from firstlight.lint.prepulls import USER_DATA, pulling_script
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.manifests.ami_family import ami_family
from firstlight.manifests.karpenter_references import CLASS_KIND
from firstlight.readers.json_pointer import value_at
from firstlight.readers.kube.fields import text
from firstlight.techniques.sources import Origin, Source

_SHELL = re.compile(r"(?m)^#!|text/x-shellscript")

_FORMATS = re.compile(r"\bmkfs\b|\bmdadm\b|/dev/nvme")
_OF_DISKS = (
    "leave the script out; instanceStorePolicy: RAID0 in the EC2NodeClass sets the NVMe disks up, "
    "on Bottlerocket too, and images lie on them"
)


def _check(scene: Scene) -> Iterator[Hit]:
    index = PoolIndex(scene)
    for manifest in scene.of_kind(CLASS_KIND):
        data = text(value_at(manifest.value, USER_DATA))
        if ami_family(manifest.value) != "bottlerocket" or not data or _is_toml(data):
            continue
        pulls = pulling_script(data) is not None
        if not pulls and not _SHELL.search(data):
            continue
        users = [p.name for p in index.pools if index.class_of(p) is manifest]
        yield Hit(
            manifest=manifest,
            pointer=USER_DATA,
            what="the nodes run Bottlerocket, and their user data is a shell script"
            + (" that pulls an image" if pulls else "")
            + (f": NodePool/{users[0]} gets no nodes" if users else ""),
            remedy=_OF_DISKS if _FORMATS.search(data) else "",
        )


def _is_toml(data: str) -> bool:
    try:
        tomllib.loads(data)
    except tomllib.TOMLDecodeError:
        return False
    return True


RULE = Rule(
    code="shell-user-data-on-bottlerocket",
    severity=Severity.ERROR,
    title="User data of Bottlerocket nodes must be settings in TOML, not a script",
    why=(
        "Bottlerocket has no shell. Karpenter reads the user data as TOML before it starts an "
        "instance and refuses what is none, so no node comes and the pods stay Pending; only "
        "Karpenter's log says why. A managed node group starts the instance, and nothing is pulled."
    ),
    remedy=(
        "leave the script out; on Bottlerocket an image is brought by a snapshot of the data "
        "volume, or nodes of AL2023 are used"
    ),
    sources=(
        Source(
            origin=Origin.UPSTREAM,
            where="github.com/aws/karpenter-provider-aws "
            "pkg/providers/amifamily/bootstrap/bottlerocket.go: invalid UserData",
        ),
        Source(
            origin=Origin.UPSTREAM,
            where="karpenter.sh/docs/concepts/nodeclasses: Bottlerocket, your UserData must be "
            "valid TOML",
        ),
        Source(
            origin=Origin.REFERENCE_CASE,
            where="judgement on pre-pull: AL2023 only, Bottlerocket has no shell userData",
        ),
    ),
    check=_check,
    techniques=("image-prepull",),
)

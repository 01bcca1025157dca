"""
What an intent must not say, though each of its fields has the right type.

Every rule names the field it is about, so that the reader can say the line.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from firstlight.manifests.intent import Intent
from firstlight.manifests.sizes import LARGEST_IMAGE_BYTES, size_bytes

_S3 = re.compile(r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:/[^\s]*)?")
_NAME = re.compile(r"[a-z](?:[a-z0-9-]{0,38}[a-z0-9])?")
_IMAGE = re.compile(
    r"(?P<name>[a-z0-9][a-zA-Z0-9._/:-]*?)"
    r"(?::(?P<tag>[A-Za-z0-9_][A-Za-z0-9._-]{0,127}))?(?P<digest>@sha256:[0-9a-f]{64})?"
)
_DURATION = re.compile(r"(?:[0-9]+[smh])+|Never")
_QUANTITY = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:m|[kMGT]|[KMGT]i)?")
_ARN = re.compile(r"arn:aws[a-z-]*:iam::[0-9]{12}:role/[\w+=,.@/-]+")
_REGION = re.compile(r"[a-z]{2}(?:-[a-z]+)+-[0-9]")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_AMI_VERSION = {
    "al2023": re.compile(r"latest|v[0-9]{8}"),
    "bottlerocket": re.compile(r"latest|v?[0-9]+\.[0-9]+\.[0-9]+"),
}
_TYPE = re.compile(r"[a-z0-9-]+\.[a-z0-9-]+")
RENDERED_HERE = frozenset({"--model", "--served-model-name", "--host", "--port"})
"""Arguments that the objects themselves give."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrong:
    """Something that cannot be rendered."""

    field: str
    why: str
    remedy: str


def wrong(intent: Intent) -> Iterator[Wrong]:
    """Everything an intent must not say."""
    for rule in _RULES:
        yield from rule(intent)


def _places(intent: Intent) -> Iterator[Wrong]:
    for field in ("model", "cache_uri"):
        value = getattr(intent, field)
        if value is not None and not _S3.fullmatch(value):
            yield Wrong(
                field=field,
                why=f"{value} is no place in S3",
                remedy="write it as s3://BUCKET/PREFIX",
            )
    if _S3.fullmatch(intent.model) and not intent.prefix:
        yield Wrong(
            field="model",
            why=f"{intent.model} is a whole bucket, and a model is mounted by its prefix",
            remedy="put the model under a prefix: s3://BUCKET/PREFIX",
        )
    if not _REGION.fullmatch(intent.region):
        yield Wrong(
            field="region", why=f"{intent.region} is no region", remedy="write it as us-east-1"
        )


def _image(intent: Intent) -> Iterator[Wrong]:
    for field in ("image", "firstlight_image"):
        value = getattr(intent, field)
        if value is None:
            continue
        found = _IMAGE.fullmatch(value)
        if found is None:
            yield Wrong(field=field, why=f"{value!r} is no image", remedy="write it as NAME:TAG")
        elif not found["digest"] and found["tag"] in (None, "latest"):
            yield Wrong(
                field=field,
                why=f"{value} is another image tomorrow: starts would not be comparable, and an "
                "image that was pulled beforehand would be the wrong one",
                remedy="give a version's tag or a digest, NAME:v0.26.0 or NAME@sha256:...",
            )


def _names(intent: Intent) -> Iterator[Wrong]:
    for field in ("name", "namespace"):
        value = getattr(intent, field)
        if not _NAME.fullmatch(value):
            yield Wrong(
                field=field,
                why=f"{value!r} cannot name a Kubernetes object",
                remedy="use up to 40 small letters, digits and dashes, a letter first",
            )
    if intent.namespace == "default" or intent.namespace.startswith("kube-"):
        yield Wrong(
            field="namespace",
            why=f"{intent.namespace} is everybody's, and a hostPath has to be allowed in it",
            remedy="give the model a namespace of its own",
        )
    for field in ("cluster", "served_model_name", "node_role"):
        value = getattr(intent, field)
        if value is not None and (not value or value.split() != [value]):
            yield Wrong(
                field=field, why=f"{value!r} is no name", remedy="write one word without spaces"
            )
    for key in intent.environment:
        if not _VARIABLE.fullmatch(key):
            yield Wrong(
                field="environment",
                why=f"{key!r} is no name of a variable",
                remedy="use letters, digits and underscores",
            )


def _nodes(intent: Intent) -> Iterator[Wrong]:
    if not (intent.instance_types or intent.instance_families or intent.gpu.type):
        yield Wrong(
            field="instance_types",
            why="nothing says what the nodes are",
            remedy="give instance_types, instance_families or gpu.type",
        )
    for one in intent.instance_types:
        if not _TYPE.fullmatch(one):
            yield Wrong(
                field="instance_types",
                why=f"{one} is no instance type",
                remedy="write it as g6e.2xlarge; whole families go under instance_families",
            )
    for one in intent.instance_families:
        if "." in one:
            yield Wrong(
                field="instance_families",
                why=f"{one} is an instance type, not a family",
                remedy="put it under instance_types",
            )
    version = _AMI_VERSION[intent.node_system]
    if intent.ami_version is not None and not version.fullmatch(intent.ami_version):
        yield Wrong(
            field="ami_version",
            why=f"{intent.ami_version} is no version of {intent.node_system}'s images",
            remedy="write it as v20260520 for al2023, as 1.40.0 for bottlerocket",
        )
    if not intent.capacity_types:
        yield Wrong(field="capacity", why="capacity is empty", remedy="say spot, on-demand or both")
    for zone in intent.zones:
        if not zone.startswith(intent.region):
            yield Wrong(
                field="zones",
                why=f"{zone} is not in {intent.region}",
                remedy=f"write zones as {intent.region}a",
            )
    if intent.retention is not None and not _DURATION.fullmatch(intent.retention):
        yield Wrong(
            field="retention",
            why=f"{intent.retention} is no time that Karpenter understands",
            remedy="write it as 30s, 10m, 1h or Never",
        )


def _amounts(intent: Intent) -> Iterator[Wrong]:
    for field in ("image_size", "image_unpacked_size"):
        value = getattr(intent, field)
        if value is not None and not 0 < (size_bytes(value) or 0) <= LARGEST_IMAGE_BYTES:
            yield Wrong(
                field=field,
                why=f"{value} is no size of an image",
                remedy="write it as 8.9GB or 20GiB",
            )
    for field in ("shm", "memory", "cpu"):
        value = getattr(intent, field)
        if value is not None and not _QUANTITY.fullmatch(value):
            yield Wrong(
                field=field,
                why=f"{value} is no amount that Kubernetes understands",
                remedy='write it as 48Gi, or "8" for processors',
            )
    if intent.gpu.count < 1:
        yield Wrong(field="gpu", why="a pod without a GPU is not served", remedy="count from 1")
    if intent.replicas < 0:
        yield Wrong(field="replicas", why="replicas are negative", remedy="count from 0")
    if intent.start_p95_s is not None and not 0 <= intent.start_p95_s <= _DAY_S:
        yield Wrong(
            field="start_p95_s",
            why=f"{intent.start_p95_s:g} s is no time a start takes",
            remedy="give seconds",
        )


_DAY_S = 86_400


def _roles(intent: Intent) -> Iterator[Wrong]:
    role = intent.identity
    if role is None:
        return
    if bool(role.irsa) == role.pod_identity:
        yield Wrong(
            field="identity",
            why="the pod is somebody by IRSA or by Pod Identity, one of the two",
            remedy="write identity: {irsa: ROLE_ARN} or identity: {pod_identity: true}",
        )
    elif role.irsa and not _ARN.fullmatch(role.irsa):
        yield Wrong(
            field="identity",
            why=f"{role.irsa} is no role",
            remedy="write it as arn:aws:iam::111122223333:role/NAME",
        )


def _arguments(intent: Intent) -> Iterator[Wrong]:
    for word in intent.arguments:
        if word.partition("=")[0].replace("_", "-") in RENDERED_HERE:
            yield Wrong(
                field="arguments",
                why=f"{word.partition('=')[0]} is given by the intent's other fields",
                remedy="leave it out",
            )
    if intent.arguments and not intent.arguments[0].startswith("-"):
        yield Wrong(
            field="arguments",
            why=f"{intent.arguments[0]} is no argument, and the model is named by model",
            remedy="begin with an argument such as --max-model-len=8192",
        )


_RULES: tuple[Callable[[Intent], Iterator[Wrong]], ...] = (
    _places,
    _image,
    _names,
    _nodes,
    _amounts,
    _roles,
    _arguments,
)

"""
What an intent must not say, though each of its fields has the right type.

Every rule names the field it is about, so that the reader can say the line. Nodes and amounts
stand in `intent_nodes`, the engine's arguments in `intent_arguments`.
"""

import re
from collections.abc import Callable, Iterator

from firstlight.core.image_reference import is_pinned, is_reference
from firstlight.manifests.intent import Intent
from firstlight.manifests.intent_arguments import arguments, environment
from firstlight.manifests.intent_nodes import amounts, nodes
from firstlight.manifests.intent_wrong import Wrong
from firstlight.techniques.parameter_kinds import Kind, is_kind

_S3 = re.compile(r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:/[^\s]*)?")
_NAME = re.compile(r"[a-z](?:[a-z0-9-]{0,38}[a-z0-9])?")
_ARN = re.compile(r"arn:aws[a-z-]*:iam::[0-9]{12}:role/[\w+=,.@/-]+")
_REGION = re.compile(r"[a-z]{2}(?:-[a-z]+)+-[0-9]")
_CLUSTER = re.compile(r"[0-9A-Za-z][A-Za-z0-9_-]{0,99}")
_ROLE = re.compile(r"[\w+=,.@-]{1,64}", re.ASCII)


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
    key = intent.trusted_key
    if key is not None and not is_kind(key, Kind.PUBLIC_KEY):
        yield Wrong(
            field="trusted_key",
            why="it is no public key",
            remedy="write what `firstlight cache key --public` prints, ed25519:...",
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
        if not is_reference(value):
            yield Wrong(field=field, why=f"{value!r} is no image", remedy="write it as NAME:TAG")
        elif not is_pinned(value):
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
    name = intent.served_model_name
    if name is not None and (not name or name.split() != [name]):
        yield Wrong(
            field="served_model_name",
            why=f"{name!r} is no name",
            remedy="write one word without spaces",
        )
    if not _CLUSTER.fullmatch(intent.cluster):
        yield Wrong(
            field="cluster",
            why=f"{intent.cluster!r} cannot name an EKS cluster",
            remedy="use up to 100 letters, digits, dashes and underscores",
        )
    role = intent.node_role
    if role is None and not _ROLE.fullmatch(f"KarpenterNodeRole-{intent.cluster}"):
        yield Wrong(
            field="cluster",
            why=f"KarpenterNodeRole-{intent.cluster} is longer than the name of an IAM role can be",
            remedy="say the nodes' role as node_role",
        )
    elif role is not None and not _ROLE.fullmatch(role):
        yield Wrong(
            field="node_role",
            why=f"{role!r} cannot name an IAM role",
            remedy="write the role's name, not its ARN: up to 64 letters, digits and +=,.@_-",
        )


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


_RULES: tuple[Callable[[Intent], Iterator[Wrong]], ...] = (
    _places,
    _image,
    _names,
    amounts,
    nodes,
    _roles,
    arguments,
    environment,
)

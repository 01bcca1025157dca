"""
A kubelet that asks the registry for an image that is there.

A note, because where several tenants share nodes it may be meant: it makes each pod prove
that it may have the image.
"""

from collections.abc import Iterator

from firstlight.core.image_reference import full_name
from firstlight.lint.compile_cache import vllm_cache
from firstlight.lint.engine import Engine
from firstlight.lint.engine_pods import image_of
from firstlight.lint.prepulls import Prepulls
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.techniques.sources import Origin, Source

_ALWAYS = "Always"


def _check(scene: Scene) -> Iterator[Hit]:
    prepulls = Prepulls(scene)
    for engine in scene.engines:
        image, written = image_of(engine), engine.container.get("imagePullPolicy")
        if image is None or (written or _default(image)) != _ALWAYS:
            continue
        if (there := _why_there(engine, image, prepulls)) is not None:
            yield Hit(
                manifest=engine.manifest,
                pointer=engine.pointer("/imagePullPolicy" if written else "/image"),
                what=f"the kubelet asks the registry for {image} at every start"
                f"{'' if written else ', for Always is the policy of this tag'}, and {there}",
            )


def _default(image: str) -> str:
    """The policy where none is written."""
    # A digest is what it is; beside one the tag says nothing.
    moves = "@" not in image and full_name(image).endswith(":latest")
    return _ALWAYS if moves else "IfNotPresent"


def _why_there(engine: Engine, image: str, prepulls: Prepulls) -> str | None:
    """Why the image is on the node already; None where nothing tells."""
    if prepulls.have(image):
        return "the node has pulled it beforehand"
    kept = (vllm_cache(engine).volume or {}).get("hostPath")
    if isinstance(kept, dict):
        return f"{kept.get('path')} of the node is kept for the next start on it"
    return None


RULE = Rule(
    code="pull-policy-always",
    severity=Severity.NOTE,
    title="A node that is kept warm should not ask the registry at every start",
    why=(
        "The layers are there and are not pulled again, but the start waits for the registry's "
        "answer and fails with ErrImagePull when there is none: an outage, a rate limit, a "
        "credential that ran out. The kubelet never says `already present`, so nobody sees "
        "whether the pre-pull worked. Where no policy is written it is Always for the tag latest "
        "and for no tag at all, and IfNotPresent for any other tag and for a digest."
    ),
    remedy="imagePullPolicy: IfNotPresent, with a tag or digest that stays what it is",
    sources=(
        Source(
            origin=Origin.UPSTREAM,
            where="kubernetes.io/docs/concepts/containers/images, image pull policy",
        ),
        Source(
            origin=Origin.OURS,
            where="requirement of image-prepull: with Always nothing is ever already present",
        ),
    ),
    check=_check,
    techniques=("image-prepull",),
)

"""A model that each new pod downloads from the Hugging Face hub."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from firstlight.lint.compile_cache import is_on
from firstlight.lint.engine import Engine, Known
from firstlight.lint.engine_image import is_published
from firstlight.lint.memory_limit import gb
from firstlight.lint.model_named import ModelNamed, model_named, stated_model_bytes
from firstlight.lint.places import Lies, Place, folder, place
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.manifests.mounts import volume_named
from firstlight.manifests.pod_templates import command_items
from firstlight.readers.kube.fields import mappings, text
from firstlight.techniques.sources import Origin, Source

_ELSEWHERE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "VLLM_USE_MODELSCOPE")
_OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
_FETCHES = re.compile(
    r"\b(?:hf|huggingface-cli)\s+download\s+(?P<model>[\w.-]+/[\w.-]+)?|\bsnapshot_download\b"
)
_TOKENS = ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HUGGINGFACE_HUB_TOKEN")
_BYTES_PER_GB = 10**9


def _check(scene: Scene) -> Iterator[Hit]:
    size = stated_model_bytes(scene)
    for engine in scene.engines:
        yield from _before(engine)
        model = model_named(engine)
        if model is None or not model.is_hub_id:
            continue
        if _is_offline(engine):
            yield from _offline(engine, model)
        if not _downloads(engine):
            continue
        at = _cache(engine)
        lost = at.lies is Lies.POD or (at.lies is Lies.CONTAINER and _is_surely_empty(engine))
        if lost:
            yield Hit(
                manifest=engine.manifest,
                pointer=model.pointer,
                what=f"each new pod downloads {model.text}{_amount(scene, engine, size)} into "
                f"{at.path}, {at.lies.value}",
            )


def _before(engine: Engine) -> Iterator[Hit]:
    """An initContainer that downloads the model for each new pod."""
    for index, container in enumerate(mappings(engine.pod.get("initContainers"))):
        found = _FETCHES.search(" ".join(command_items(dict(container))))
        shared = [
            (text(m.get("mountPath")), volume_named(engine.pod, m.get("name")) or {})
            for m in mappings(container.get("volumeMounts"))
            if any(m.get("name") == o.get("name") for o in _mounts(engine))
        ]
        if found and shared and all("emptyDir" in volume for _, volume in shared):
            named = found["model"]
            yield Hit(
                manifest=engine.manifest,
                pointer=f"{engine.workload.pod_pointer}/initContainers/{index}",
                what=f"each new pod downloads {named or 'the model'} by its initContainer "
                f"{container.get('name')} into {shared[0][0]}, {Lies.POD.value}",
            )


def _mounts(engine: Engine) -> list[Mapping[str, Any]]:
    return mappings(engine.container.get("volumeMounts"))


def _is_offline(engine: Engine) -> bool:
    """Whether it is known to ask no hub."""
    return any(is_on(engine, name) for name in _OFFLINE) and not engine.container.get("workingDir")


def _offline(engine: Engine, model: ModelNamed) -> Iterator[Hit]:
    """A model by its id, of an engine that must not ask for it and has no cache that holds it."""
    at = _cache(engine)
    elsewhere = engine.variable("VLLM_USE_MODELSCOPE").known is not Known.ABSENT
    empty = at.lies is Lies.POD or (at.lies is Lies.CONTAINER and is_published(engine))
    if empty and not elsewhere:
        name = next(n for n in _OFFLINE if is_on(engine, n))
        yield Hit(
            manifest=engine.manifest,
            pointer=engine.variable_pointer(name),
            what=f"{name} forbids the download of {model.text}, and {at.path}, where it would be "
            f"looked for, is {at.lies.value} and empty: the start ends with an error",
            severity=Severity.ERROR,
            remedy=f"mount a volume that holds the model at {at.path}, or leave {name} out",
        )


def _downloads(engine: Engine) -> bool:
    """Whether an id on the hub is fetched from there, as far as that is known."""
    if engine.container.get("workingDir"):
        # Then org/name may be a folder.
        return False
    if any(is_on(engine, n) or engine.variable(n).known is Known.UNKNOWN for n in _ELSEWHERE):
        return False
    form = engine.argument("--load-format")
    return form.known is not Known.UNKNOWN and form.value != "dummy"


def _cache(engine: Engine) -> Place:
    """Where the download goes."""
    given = engine.argument("--download-dir")
    if given.known is Known.ABSENT:
        named = (
            ("HF_HUB_CACHE", ""),
            ("HUGGINGFACE_HUB_CACHE", ""),
            ("HF_HOME", "/hub"),
            ("XDG_CACHE_HOME", "/huggingface/hub"),
        )
        return place(engine, folder(engine, *named, otherwise="~/.cache/huggingface/hub"))
    return place(engine, engine.text_of(given))


def _is_surely_empty(engine: Engine) -> bool:
    """Whether the image brings no model: a token is for downloads, vLLM's own image has none."""
    return is_published(engine) or any(
        engine.variable(name).known is not Known.ABSENT for name in _TOKENS
    )


def _amount(scene: Scene, engine: Engine, size: int | None) -> str:
    if size is None:
        return ""
    price = scene.stated.nat_price_per_gb
    # A mirror is elsewhere than the hub, and need not be behind a NAT gateway.
    if price is None or engine.variable("HF_ENDPOINT").known is not Known.ABSENT:
        return f", {gb(size)},"
    return f", {gb(size)}, {size / _BYTES_PER_GB * price:.2f} of NAT traffic,"


RULE = Rule(
    code="model-download-at-start",
    severity=Severity.WARNING,
    title="A start must not download the model from the hub",
    why=(
        "Tens of GB go through the NAT gateway for each new pod, are paid by the GB, and are lost "
        "with the pod. The start takes as long as the hub and the line allow, and fails when the "
        "hub does or limits the rate. With the first pod it looks like a one-time cost. An "
        "initContainer that downloads into an emptyDir does the same. With HF_HUB_OFFLINE and "
        "nothing in the cache there is no download, and no start: that is an error."
    ),
    remedy="put the model into a bucket once and stream it from there (`firstlight render "
    "FILE --technique stream-weights`), or keep the hub's cache on a volume",
    sources=(
        Source(origin=Origin.REFERENCE_CASE, where="traps: the hub at each start"),
        Source(
            origin=Origin.UPSTREAM,
            where="huggingface.co/docs/huggingface_hub/package_reference/environment_variables",
        ),
        Source(origin=Origin.UPSTREAM, where="aws.amazon.com/vpc/pricing, NAT gateway per GB"),
    ),
    check=_check,
    techniques=("stream-weights",),
)

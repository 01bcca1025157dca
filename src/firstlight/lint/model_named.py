"""
The model that an engine reads, as its arguments name it.

A folder, an address in a bucket, or an id on the Hugging Face hub. Which of them it is can be
seen from the text alone; a relative path looks like an id, so a working folder makes it unknown.
"""

import re
from dataclasses import dataclass

from firstlight.lint.engine import Engine
from firstlight.lint.scene import Scene
from firstlight.readers.kube.fields import counted
from firstlight.readers.kube.gpus import gpus

_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelNamed:
    """A model, and where it is named."""

    text: str
    pointer: str
    """Into the object."""

    @property
    def is_hub_id(self) -> bool:
        """Whether it is an id on the hub: `org/name`."""
        return bool(_HUB_ID.fullmatch(self.text))

    @property
    def is_folder(self) -> bool:
        return self.text.startswith("/")


def model_named(engine: Engine) -> ModelNamed | None:
    """The model of an engine; None where it is not known."""
    if engine.line is None or engine.model is None:
        return None
    at = engine.line.model
    inside = "" if at is None else engine.line.pointer(engine.container, at)
    return ModelNamed(text=engine.model, pointer=engine.pointer(inside))


def stated_model_bytes(scene: Scene) -> int | None:
    """The model's size as the user stated it; None where nobody did, or there are several."""
    return scene.stated.model_bytes if one_model(scene) else None


def one_model(scene: Scene) -> bool:
    """Whether what is stated of one model is about every engine here."""
    models = {engine.model for engine in scene.engines}
    return len(scene.engines) <= 1 or (len(models) == 1 and None not in models)


def ranks_in_pod(engine: Engine) -> int | None:
    """
    How many parts of the model one pod holds; None where that is not known.

    Parts that are spread over pods are None too: what one pod holds is then another question.
    """
    product = _ranks(engine)
    asked = gpus(engine.container.get("resources"))
    return None if product is None or _is_spread(engine, product, asked) else product


def fewest_ranks_in_pod(engine: Engine) -> int | None:
    """
    How many ranks run in one pod at least; None where that is not known.

    Where the ranks are spread over pods, each pod fills its GPUs: with pipeline parallelism
    one stage of it, or several, in each.
    """
    product = _ranks(engine)
    asked = gpus(engine.container.get("resources"))
    if product is None or not _is_spread(engine, product, asked):
        return product
    return min(product, asked) if asked else None


def _ranks(engine: Engine) -> int | None:
    """How many ranks the engine has in all its pods; None where that is not known."""
    product = 1
    for argument in ("--tensor-parallel-size", "--pipeline-parallel-size"):
        found = engine.argument(argument)
        if found.known is found.known.UNKNOWN:
            return None
        text = engine.text_of(found) if found.value else "1"
        number = counted(text)
        if number is None:
            return None
        product *= number
    return product


def _is_spread(engine: Engine, ranks: int, asked: int) -> bool:
    nodes = engine.argument("--nnodes")
    return nodes.known is not nodes.known.ABSENT or (asked > 0 and ranks > asked)

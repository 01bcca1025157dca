"""
How much speaks for a container being the engine's.

A word of vLLM in a name is a weak sign: exporters, routers and clients have it too. So a
container whose command starts the engine, or that gives vLLM's own image its arguments,
comes first, then one that speaks of vLLM and asks for GPUs, then one that speaks of it,
then one that asks for GPUs. One that starts another part of vLLM, such as its benchmark,
is none of those that speak of it.

The container may be a part of a manifest or of a pod that ran: whoever changes, checks,
measures or explains one decides by this, so that all of them mean the same container.
"""

from collections.abc import Sequence
from enum import IntEnum

from firstlight.readers.engine_program import engine_at, script_at, starts_another
from firstlight.readers.shell_words import UnclosedQuote, commands


class Likelihood(IntEnum):
    """Levels of it; a higher one is more."""

    NONE = 0
    GPU = 1
    """It asks for GPUs."""
    MENTIONED = 2
    """It speaks of vLLM in its name, image or words."""
    LIKELY = 3
    """Both: exporters and routers do not ask for GPUs."""
    STARTED = 4
    """It starts the engine where that can be seen."""


def engine_likelihood(
    *, name: str, image: str, command: Sequence[str], args: Sequence[str], gpus: bool
) -> Likelihood:
    """
    How likely it is the engine's.

    Args:
        name: the container's.
        image: the reference of its image.
        command: what is started instead of the image's entrypoint; empty for that.
        args: what it is given.
        gpus: whether it asks for any.
    """
    words = [*command, *args]
    started = _started(words)
    if any(engine_at(one) for one in started):
        return Likelihood.STARTED
    if any(starts_another(one) for one in started):
        # A benchmark has the engine's image and its name in every word.
        return Likelihood.GPU if gpus else Likelihood.NONE
    if args and not command and _is_engines(image, gpus=gpus) and script_at(args) is None:
        # The arguments go to vLLM, for nothing else is started.
        return Likelihood.STARTED
    if any("vllm" in word.lower() for word in (name, image, *words)):
        return Likelihood.LIKELY if gpus else Likelihood.MENTIONED
    return Likelihood.GPU if gpus else Likelihood.NONE


def _started(words: list[str]) -> list[list[str]]:
    """The words as a command, and the commands of the script in them."""
    script = script_at(words)
    if script is None:
        return [words]
    try:
        return [words, *([word.text for word in one] for one in commands(words[script]))]
    except UnclosedQuote:
        return [words]


def _is_engines(image: str, *, gpus: bool) -> bool:
    """Whether an image's entrypoint is vLLM's server."""
    name = image.lower().rpartition("/")[2]
    return name.startswith("vllm-openai") or ("vllm" in name and gpus)

"""
What an engine's image tells: vLLM's version, and what it is built for.

The tag of vLLM's own images is its version, and mirrors keep it. Of any other image nothing is
known, and of `latest` nothing lasts.
"""

import re

from firstlight.lint.engine import Engine

Version = tuple[int, int]
_TAG = re.compile(r"v?0\.(\d{1,3})\.\d+(?:[.\-_+][\w.\-+]*)?")
_ELSEWHERE = re.compile(r"tpu|neuron|gaudi|hpu|habana|ascend|npu")
_NOT_CUDA = re.compile(r"(?<![a-z])(?:cpu|xpu)(?![a-z])")
_NVIDIA = "nvidia.com/"
_OTHER_RESOURCES = ("google.com/tpu", "aws.amazon.com/", "habana.ai/", "huawei.com/")


def version(engine: Engine) -> Version | None:
    """Vllm's version, without the patch; None where the image does not tell."""
    name, _, tag = _last(engine).partition("@")[0].partition(":")
    found = _TAG.fullmatch(tag)
    return (0, int(found[1])) if "vllm" in name and found else None


def is_cpu_or_xpu(engine: Engine) -> bool:
    """Whether it is built for CPUs or Intel's GPUs."""
    return bool(_NOT_CUDA.search(_last(engine)))


def is_another_compiler(engine: Engine) -> bool:
    """Whether it compiles by something else than torch.compile: TPUs, Neuron, Gaudi, Ascend."""
    resources = engine.container.get("resources") or {}
    asked = {**(resources.get("limits") or {}), **(resources.get("requests") or {})}
    return bool(_ELSEWHERE.search(_last(engine))) or any(
        str(name).startswith(_OTHER_RESOURCES) for name in asked
    )


def asks_for_nvidia(engine: Engine) -> bool:
    """Whether its container asks for NVIDIA's GPUs."""
    limits = (engine.container.get("resources") or {}).get("limits") or {}
    return any(str(name).startswith(_NVIDIA) for name in limits)


def is_published(engine: Engine) -> bool:
    """Whether it is, by its name, one of vLLM's own images: no model and no cache is in them."""
    return _last(engine).partition("@")[0].partition(":")[0].startswith("vllm-openai")


def _last(engine: Engine) -> str:
    return str(engine.container.get("image") or "").lower().rpartition("/")[2]

"""
What must be alike for two rounds to be compared, and what was the case.

`host` and `environment` are what two comparable rounds share, but for a declared
change; `conditions` are for judging. The engine's version is in its log.
"""

from collections.abc import Mapping

from firstlight.core.secrets import redacted_values

_PREFIXES = (
    "AWS_DEFAULT_REGION",
    "AWS_ENDPOINT_URL",
    "AWS_REGION",
    "CUDA_",
    "FASTSAFETENSORS_",
    "FLASHINFER_",
    "HF_",
    "KMP_",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "MALLOC_",
    "MKL_",
    "NCCL_",
    "OMP_",
    "OPENBLAS_",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONPATH",
    "PYTHONPYCACHEPREFIX",
    "PYTORCH_",
    "RUNAI_",
    "TMPDIR",
    "TOKENIZERS_",
    "TORCH",
    "TRANSFORMERS_",
    "TRITON_",
    "VLLM_",
    "XDG_CACHE_HOME",
)
"""Where caches and weights lie, what is loaded, how many work at it; names, or how they begin."""


def fingerprint(
    *,
    host: Mapping[str, object],
    conditions: Mapping[str, object],
    environment: Mapping[str, str],
) -> dict[str, object]:
    """The fingerprint of a round, without a secret in it."""
    return {
        "host": dict(host),
        "environment": relevant_environment(environment),
        "conditions": dict(conditions),
        "engine_version": None,
    }


def relevant_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that change how an engine starts, sorted, secrets blacked out."""
    relevant = {
        name: value for name, value in sorted(environment.items()) if name.startswith(_PREFIXES)
    }
    return redacted_values(relevant)

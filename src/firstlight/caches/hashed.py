"""
Which arguments and variables are a part of vLLM's own key.

The key is made inside the engine, from its settings and its environment. Here it is foreseen
from outside: everything counts but what is known to be left out, because a difference that was
named and does not matter costs one compilation, and one that matters and was not named costs
the same in every start, without a word. Both lists are those of 0.32, and a test holds them
against the real engine; versions before hash more.
"""

import re
from collections.abc import Mapping
from hashlib import sha256

from firstlight.caches.not_hashed import ENGINE, SERVER, VARIABLES
from firstlight.core.secret_names import is_secret

_NOT_HASHED = frozenset((*SERVER, *ENGINE))
_SERVICE_LINK = re.compile(r"\w+_(?:SERVICE_(?:HOST|PORT\w*)|PORT(?:_\d+_(?:TCP|UDP|SCTP)\w*)?)")
"""What Kubernetes sets for each Service; vLLM knows none of them but `VLLM_PORT`."""
_BEGINS, _ALSO = "VLLM_", frozenset({"CUDA_HOME", "MAX_JOBS", "NVCC_THREADS"})


def hashed_arguments(arguments: Mapping[str, str]) -> dict[str, str | None]:
    """
    Those that decide the key.

    Args:
        arguments: by name, `--max-num-seqs`; empty for a flag.
    """
    return {n: v or None for n, v in sorted(arguments.items()) if n not in _NOT_HASHED}


def hashed_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Those that decide the key; of a secret the digest of its value."""
    return {
        name: _shown(name, value)
        for name, value in sorted(environment.items())
        if name not in VARIABLES and (name in _ALSO or _is_vllms(name))
    }


def is_service_link(name: str) -> bool:
    """Whether a variable has a name that Kubernetes gives to those of a Service."""
    return _SERVICE_LINK.fullmatch(name) is not None


def _is_vllms(name: str) -> bool:
    return name.startswith(_BEGINS) and not is_service_link(name)


def _shown(name: str, value: str) -> str:
    return f"sha256:{sha256(value.encode()).hexdigest()}" if is_secret(name) else value

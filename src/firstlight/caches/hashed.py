"""
Which arguments and variables are a part of vLLM's own key.

The key is made inside the engine, from its settings and its environment. Here it is foreseen
from outside. Of the arguments, and of the variables that begin with `VLLM_`, everything counts
but what is known to be left out: a difference that was named and does not matter costs one
compilation, and one that matters and was not named costs the same in every start, without a
word. Other variables are the system's; those that the engine asks for are listed. All lists are
those of 0.32, and a test holds them against the real engine; versions before hash more.
"""

import re
from collections.abc import Mapping

from firstlight.caches.not_hashed import (
    ENGINE_ARGUMENTS,
    NOT_HASHED_VARIABLES,
    SERVER_ARGUMENTS,
)
from firstlight.caches.one_spelling import one_spelling
from firstlight.core.secrets import redacted_values

_NOT_HASHED = SERVER_ARGUMENTS | ENGINE_ARGUMENTS
_SERVICE_LINK = re.compile(r"\w+_(?:SERVICE_(?:HOST|PORT\w*)|PORT(?:_\d+_(?:TCP|UDP|SCTP)\w*)?)")
"""What Kubernetes sets for each Service."""
_BEGINS = "VLLM_"
_HASHED_PORTS = frozenset(
    {
        "VLLM_EC_SIDE_CHANNEL_PORT",
        "VLLM_MOONCAKE_BOOTSTRAP_PORT",
        "VLLM_NIXL_SIDE_CHANNEL_PORT",
        "VLLM_P2P_SIDE_CHANNEL_PORT",
    }
)
"""Named like the link of a Service, and vLLM's own."""
_HASHED_OTHERS = frozenset(
    {
        "CMAKE_BUILD_TYPE",
        "CUDA_HOME",
        "MOONCAKE_PREFERRED_SEGMENT",
        "MOONCAKE_REQUESTER_LOCAL_HOSTNAME",
        "NVCC_THREADS",
        "VERBOSE",
    }
)
_HASHED_BEGINS = "RAY_EXPERIMENTAL_NOSET_"
"""Ray has one for each kind of accelerator."""


def hashed_arguments(arguments: Mapping[str, str]) -> dict[str, str | None]:
    """
    Those that decide the key.

    Args:
        arguments: by name, `--max-num-seqs`; empty for a flag.
    """
    given = one_spelling(arguments).items()
    return {name: value or None for name, value in sorted(given) if name not in _NOT_HASHED}


def hashed_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """
    Those that decide the key, without the secrets in them.

    Not even a digest of one is kept: what is published can be tried against a list of words. So two
    that differ in nothing but a secret have one key here; vLLM before 0.30 makes two.
    """
    return redacted_values({n: v for n, v in sorted(environment.items()) if _is_hashed(n)})


def is_service_link(name: str) -> bool:
    """Whether a variable has a name that Kubernetes gives to those of a Service."""
    return _SERVICE_LINK.fullmatch(name) is not None


def _is_hashed(name: str) -> bool:
    if name in _HASHED_OTHERS or name in _HASHED_PORTS or name.startswith(_HASHED_BEGINS):
        return True
    vllms = name.startswith(_BEGINS) and not is_service_link(name)
    return vllms and name not in NOT_HASHED_VARIABLES

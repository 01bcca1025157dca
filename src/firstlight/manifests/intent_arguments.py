"""
Arguments and variables that an intent must not give: the rendered objects could not work.

Some are given by the intent's other fields, some are what a step changes, so that a value of
one's own would be overwritten without a word in that step and in force before it. Others take
away what the probes and the Service ask for: http on a port. vLLM takes a long argument by the
first letters that no other begins with, so those count as well.
"""

import re
from collections.abc import Iterator, Mapping

from firstlight.manifests.intent import Intent
from firstlight.manifests.intent_wrong import Wrong

_FIELDS = "is given by the intent's other fields"
_A_STEP = "is what a step changes"
_NO_HTTP = "takes away what the probes and the Service ask, http on a port"
_ARGUMENTS: Mapping[str, str] = {
    **dict.fromkeys(("--model", "--served-model-name", "--host", "--port"), _FIELDS),
    **dict.fromkeys(("--load-format", "--enable-sleep-mode"), _A_STEP),
    **dict.fromkeys(("--uds", "--grpc", "--headless"), _NO_HTTP),
    "--ssl": _NO_HTTP,
    "--config": "names a file, which no object brings into the container",
    "--help": "ends the engine",
}
"""Why not, by name; `--ssl` stands for all that begin so."""
_FAMILIES = ("--ssl",)
_VARIABLES: Mapping[str, str] = {
    "AWS_REGION": _FIELDS,
    **dict.fromkeys(
        (
            *("VLLM_CACHE_ROOT", "TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR"),
            *("FLASHINFER_WORKSPACE_BASE", "CUDA_CACHE_PATH"),
            *("RUNAI_STREAMER_LOG_TO_STDERR", "VLLM_SERVER_DEV_MODE"),
        ),
        _A_STEP,
    ),
}
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def arguments(intent: Intent) -> Iterator[Wrong]:
    """What is wrong with the arguments."""
    for number, word in enumerate(intent.arguments):
        name = word.partition("=")[0]
        at = str(number)
        if name.startswith("-") and name.split() != [name]:
            told = ", ".join(f'"{one}"' for one in word.split(maxsplit=1))
            yield Wrong(
                field="arguments",
                within=at,
                why=f"{word!r} is one word to the engine, which knows no such argument",
                remedy=f"write two words, [{told}], or one with =",
            )
        elif why := argument_refused(name):
            yield Wrong(field="arguments", within=at, why=f"{name} {why}", remedy="leave it out")
    if intent.arguments and not intent.arguments[0].startswith("-"):
        yield Wrong(
            field="arguments",
            within="0",
            why=f"{intent.arguments[0]} is no argument, and the model is named by model",
            remedy="begin with an argument such as --max-model-len=8192",
        )


def argument_refused(name: str) -> str | None:
    """Why an intent must not give an argument; None where it may."""
    spelled = name.replace("_", "-")
    if not spelled.startswith("--") or spelled == "--":
        return None
    for refused, why in _ARGUMENTS.items():
        whole = refused in _FAMILIES and spelled.startswith(refused)
        if whole or refused.startswith(spelled):
            return why
    return None


def environment(intent: Intent) -> Iterator[Wrong]:
    """What is wrong with the variables."""
    for key in intent.environment:
        if not _VARIABLE.fullmatch(key):
            yield Wrong(
                field="environment",
                within=key,
                why=f"{key!r} is no name of a variable",
                remedy="use letters, digits and underscores",
            )
        elif why := variable_refused(key):
            yield Wrong(field="environment", within=key, why=f"{key} {why}", remedy="leave it out")


def variable_refused(name: str) -> str | None:
    """Why an intent must not give a variable; None where it may."""
    return _VARIABLES.get(name)

"""
What may differ between a step and the one before, in the names of a fingerprint.

Exactly what was proven to differ: arguments and variables by name, the model where its
argument changed, volumes; what the compile cache did, where a technique is about that, or an
argument or a variable that is known to switch it. What else a change moves its step says.
"""

import re

from firstlight.compare.declared import WITH_THE_CACHE, WITH_THE_MODEL, is_about_the_cache
from firstlight.core.fingerprints import ARGUMENT
from firstlight.core.fingerprints import ENVIRONMENT as VARIABLE
from firstlight.experiment.command_difference import ENVIRONMENT, WORDS, WRAPPER
from firstlight.experiment.command_steps import IN_CONTAINER
from firstlight.experiment.command_words import MODEL
from firstlight.experiment.object_difference import ObjectDifference
from firstlight.experiment.step import Step

_SWITCHES_THE_CACHE = re.compile(
    rf"{ARGUMENT}(--(no-)?enforce-eager|--optimization-level|-O[0-9]?|(--compilation-config|-cc)\b.*)"
    rf"|{VARIABLE}(VLLM_DISABLE_COMPILE_CACHE|VLLM_USE_AOT_COMPILE)"
)
"""Names after which an engine may compile nothing, or keep what it compiled otherwise."""


def declared(step: Step) -> tuple[str, ...]:
    """The names, in order of the step's differences."""
    names: list[str] = []
    for one in step.difference:
        if isinstance(one, ObjectDifference):
            names += one.fingerprint_names
        elif one.name.startswith(ENVIRONMENT):
            names.append(VARIABLE + one.name.removeprefix(ENVIRONMENT))
        elif one.name == WRAPPER:
            names.append("command")
        elif one.name == WORDS:
            # Another program may be another engine.
            names += ("command", "engine version")
        else:
            names.append(ARGUMENT + one.name)
            names += WITH_THE_MODEL if one.name == MODEL else ()
    moved = {name.removeprefix(VARIABLE) for name in names} & IN_CONTAINER.keys()
    if moved or is_about_the_cache(step.card):
        names += WITH_THE_CACHE
    elif any(map(_SWITCHES_THE_CACHE.fullmatch, names)):
        names.append("compile cache")
    names += step.changes
    return tuple(dict.fromkeys(names))

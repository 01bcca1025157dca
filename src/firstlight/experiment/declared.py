"""
What may differ between a step and the one before, in the names of a fingerprint.

Exactly what was proven to differ: arguments and variables by name, the model where its
argument changed, volumes; what the compile cache did, where a technique is about that.
"""

from firstlight.core.fingerprints import ARGUMENT
from firstlight.core.fingerprints import ENVIRONMENT as VARIABLE
from firstlight.core.signs import OF_COMPILE_CACHE
from firstlight.experiment.command_words import MODEL
from firstlight.experiment.object_difference import ObjectDifference
from firstlight.experiment.process_steps import IN_CONTAINER
from firstlight.experiment.setup import ENVIRONMENT, WRAPPER
from firstlight.experiment.step import Step


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
        else:
            names.append(ARGUMENT + one.name)
            names += ["model", "volumes"] if one.name == MODEL else []
    moved = {name.removeprefix(VARIABLE) for name in names} & IN_CONTAINER.keys()
    if moved or _is_about_the_cache(step):
        names += ["compile cache", "volumes"]
    return tuple(dict.fromkeys(names))


def _is_about_the_cache(step: Step) -> bool:
    return step.card is not None and any(sign.sign in OF_COMPILE_CACHE for sign in step.card.proof)

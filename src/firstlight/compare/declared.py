"""
What a change may change, in the names of a fingerprint.

A change of an argument or a variable is seen under its own name, and some changes are seen
elsewhere too: another model comes from other volumes, and a technique that is about the compile
cache moves what that cache did. All else must be equal.
"""

from firstlight.core.fingerprints import ARGUMENT, ENVIRONMENT
from firstlight.core.signs import OF_COMPILE_CACHE
from firstlight.techniques.card import Card
from firstlight.techniques.operations import (
    AddVolume,
    Operation,
    RemoveArgument,
    RemoveModelVolume,
    SetArgument,
    SetEnvironment,
    SetModel,
)

WITH_THE_MODEL = ("model", "volumes")
"""What is another one where the argument for the model is."""
WITH_THE_CACHE = ("compile cache", "volumes")
"""What may be another one where the compile cache is kept elsewhere, or not at all."""
_MODEL = ARGUMENT + "--model"


def declared_by(card: Card) -> tuple[str, ...]:
    """The names that a technique's change may change, on a host or in a cluster."""
    process = card.change.process
    names = [ARGUMENT + name for name in process.arguments]
    names += [ENVIRONMENT + name for name in process.environment]
    names += [name for do in card.change.kubernetes.operations for name in _changed_by(do)]
    if _MODEL in names:
        names += WITH_THE_MODEL
    if is_about_the_cache(card):
        names += WITH_THE_CACHE
    return tuple(dict.fromkeys(names))


def is_about_the_cache(card: Card | None) -> bool:
    """Whether a technique shows in what the compile cache did; a change of one's own does not."""
    return card is not None and any(sign.sign in OF_COMPILE_CACHE for sign in card.proof)


def _changed_by(do: Operation) -> list[str]:
    match do:
        case SetArgument() | RemoveArgument():
            return [ARGUMENT + do.argument]
        case SetModel():
            return [_MODEL]
        case SetEnvironment():
            return [ENVIRONMENT + do.name]
        case AddVolume() | RemoveModelVolume():
            return ["volumes"]
        case _:
            return []

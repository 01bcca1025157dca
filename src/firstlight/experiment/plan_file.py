"""
A plan as it is written: YAML, whose mistakes are said with their lines.
"""

from collections.abc import Mapping

import msgspec

from firstlight.core.errors import BadInput
from firstlight.experiment.plan import Plan
from firstlight.experiment.plan_checks import check_plan
from firstlight.experiment.settings import settled
from firstlight.readers.own_yaml import OwnYaml, read_own_yaml

SCHEMA = "firstlight.plan/1"
REMEDY = "see docs/experiment.md for the form of a plan"
_LARGEST_BYTES = 1 << 20


def read_plan(artefact: str, data: bytes, settings: Mapping[str, str]) -> tuple[Plan, OwnYaml]:
    """
    The plan in a file, and how to speak of its lines.

    Args:
        artefact: what to call it in an error.
        data: as it was stored.
        settings: what `${NAME}` in it stands for, before what it says itself.

    Raises:
        BadInput: it is no plan, or one that makes no sense; the sentence says the line.
    """
    if len(data) > _LARGEST_BYTES:
        raise BadInput(
            f"{artefact} is no plan: it has {len(data)} bytes, and a plan at most {_LARGEST_BYTES}",
            remedy=REMEDY,
        )
    file = read_own_yaml(artefact, data, what="plan", remedy=REMEDY)
    if file.value.get("schema") != SCHEMA:
        raise file.refusal("/schema", f"a plan begins with schema: {SCHEMA}")
    plan = file.typed(Plan)
    check_plan(file, plan)
    stands_for = {**plan.settings, **settings}
    try:
        filled = settled(msgspec.to_builtins(plan), stands_for)
    except BadInput as error:
        raise BadInput(f"{artefact}: {error.message}", remedy=error.remedy) from error
    whole = msgspec.convert(filled, Plan)
    # What a setting stands for may be no port, or hold what no word of a command can.
    check_plan(file, whole)
    return whole, file


def placed(file: OwnYaml, at: str, error: BadInput) -> BadInput:
    """The same error, said of a line of the plan."""
    return file.refusal(at, error.message, remedy=error.remedy)

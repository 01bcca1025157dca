"""
What each ready engine of a plan is asked, wherever it runs.
"""

from collections.abc import Mapping

from firstlight.core.records import SERVING, WAKE
from firstlight.core.units import NS_PER_S
from firstlight.edges.serving_check import serving_check
from firstlight.edges.sleep_cycle import sleep_cycle
from firstlight.experiment.plan import Plan
from firstlight.experiment.schedule import Slot
from firstlight.wiring.experimenting.round_back import is_woken

ANSWER_WITHIN_NS = 120 * NS_PER_S
_SLEEP_LEVEL = 1


def asked_more(
    plan: Plan, slot: Slot, url: str, *, model: str | None, api_key: str | None, chat: bool
) -> Mapping[str, Mapping[str, object]]:
    """
    The wake-up where the round is one, then the serving check, by the files that keep them.

    Args:
        plan: says which prompts.
        slot: the round.
        url: of the engine's server.
        model: its name; None to leave it out.
        api_key: None where the server asks for none.
        chat: whether it answers on the chat route only.
    """
    found: dict[str, Mapping[str, object]] = {}
    if is_woken(slot):
        found[WAKE.file] = sleep_cycle(
            url,
            model=model,
            api_key=api_key,
            chat=chat,
            level=_SLEEP_LEVEL,
            timeout_ns=ANSWER_WITHIN_NS,
        )
    # An engine that still sleeps lets every question wait.
    asleep = found.get(WAKE.file, {}).get("problem") is not None
    if (asked := plan.serving_check) is not None and not asleep:
        found[SERVING.file] = serving_check(
            url,
            model=model,
            api_key=api_key,
            chat=chat,
            prompts=asked.prompts,
            tokens=asked.tokens,
            timeout_ns=ANSWER_WITHIN_NS,
        )
    return found

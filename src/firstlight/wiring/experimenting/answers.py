"""
What each ready engine of a plan is asked, wherever it runs.

Where wake-ups go through a gateway, so do the questions of the round: what is said of clients is
asked where clients ask.
"""

from collections.abc import Mapping

from firstlight.core.records import SERVING, WAKE
from firstlight.core.units import NS_PER_S
from firstlight.edges.gate_cycle import gate_cycle
from firstlight.edges.serving_check import serving_check
from firstlight.edges.sleep_cycle import sleep_cycle
from firstlight.experiment.plan import GATEWAY, Plan
from firstlight.experiment.schedule import Slot
from firstlight.wiring.experimenting.gate_beside import gate_beside
from firstlight.wiring.experimenting.round_back import is_woken

ANSWER_WITHIN_NS = 120 * NS_PER_S
_LONGER_NS = 30 * NS_PER_S
"""So much longer is waited for a gateway than that waits for its engine, to get its words."""
_SLEEP_LEVEL = 1

Answers = Mapping[str, Mapping[str, object]]


def asked_more(
    plan: Plan, slot: Slot, url: str, *, model: str | None, api_key: str | None, chat: bool
) -> Answers:
    """
    The wake-up where the round is one, then the serving check, by the files that keep them.

    Args:
        plan: says which prompts.
        slot: the round.
        url: of the engine's server.
        model: its name; None to leave it out.
        api_key: None where the server asks for none.
        chat: whether it answers on the chat route only.

    Raises:
        FirstlightError: a gateway is to stand before it, and cannot be started here.
    """
    if not is_woken(slot):
        return _served(plan, url, model=model, api_key=api_key, chat=chat)
    if plan.wake_through != GATEWAY:
        woken = sleep_cycle(
            url,
            model=model,
            api_key=api_key,
            chat=chat,
            level=_SLEEP_LEVEL,
            timeout_ns=ANSWER_WITHIN_NS,
        )
        return _and_served(plan, woken, url, model=model, api_key=api_key, chat=chat)
    with gate_beside(url, api_key=api_key, level=_SLEEP_LEVEL, within_ns=ANSWER_WITHIN_NS) as gate:
        woken = gate_cycle(
            gate,
            model=model,
            api_key=api_key,
            chat=chat,
            timeout_ns=ANSWER_WITHIN_NS + _LONGER_NS,
        )
        return _and_served(plan, woken, gate.url, model=model, api_key=api_key, chat=chat)


def _and_served(
    plan: Plan,
    woken: Mapping[str, object],
    url: str,
    *,
    model: str | None,
    api_key: str | None,
    chat: bool,
) -> Answers:
    """An engine that still sleeps lets every question wait, so it is asked none."""
    asleep = woken.get("problem") is not None
    served = {} if asleep else _served(plan, url, model=model, api_key=api_key, chat=chat)
    return {WAKE.file: woken, **served}


def _served(plan: Plan, url: str, *, model: str | None, api_key: str | None, chat: bool) -> Answers:
    if (asked := plan.serving_check) is None:
        return {}
    return {
        SERVING.file: serving_check(
            url,
            model=model,
            api_key=api_key,
            chat=chat,
            prompts=asked.prompts,
            tokens=asked.tokens,
            timeout_ns=ANSWER_WITHIN_NS,
        )
    }

"""Whatever happens, in whatever order: nobody is lost, and nothing is done that must not be."""

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from firstlight.core.units import NS_PER_S
from firstlight.gateway.happenings import Ticked
from firstlight.gateway.lifecycle import State
from firstlight.gateway.orders import AbandonAll, Pass, PutToSleep, RefuseAll, ReleaseAll
from firstlight.gateway.states import BUSY
from tests.gateway.lives import DEEDS, KINDS, STARTED, Deed, Life


def settled(life: Life) -> None:
    """Nothing that is called ever ends; time goes by."""
    for _ in range(2):
        life.at_ns += 1_000 * NS_PER_S
        life.feed(Ticked())


@settings(max_examples=100, derandomize=True)
@given(st.lists(DEEDS, max_size=60))
def test_no_order_of_happenings_breaks_what_must_hold(deeds: list[Deed]) -> None:
    """Each request ends exactly once, and none waits for what hangs."""
    life = Life()
    for deed in deeds:
        life.do(deed)
    was = life.now.state
    settled(life)

    if was in BUSY:
        assert State.FAILED is life.now.state
    if was is not State.AWAKE:
        assert life.now.state not in BUSY
        assert [] == life.queue


def test_a_long_life_meets_everything_there_is() -> None:
    """Else what holds above might hold of nothing."""
    dice = Random(8)  # noqa: S311 - the same life each time
    met: set[object] = set()
    for _ in range(100):
        life = Life()
        for _ in range(120):
            life.do((dice.choice(KINDS), dice.randrange(61), dice.choice([0, 1, 30, 1_000])))
        met |= life.met

    assert set(State) <= met
    assert {AbandonAll, Pass, PutToSleep, RefuseAll, ReleaseAll, *STARTED} <= met

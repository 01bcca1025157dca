"""Start times: how many it takes, and what a statement is worth."""

import pytest

from firstlight.breakeven.choices import Scenario
from firstlight.breakeven.sample import Sample, TooFew, enough, read_stated, saved
from firstlight.core.errors import BadInput
from firstlight.core.intervals import fewest_rounds


@pytest.mark.parametrize(
    ("rounds", "measured", "is_enough"),
    [(1, True, False), (3, True, False), (4, True, True), (1, False, True), (3, False, False)],
)
def test_a_price_needs_rounds_enough(rounds: int, measured: bool, is_enough: bool) -> None:
    """Four, or one number that somebody stands for; two stated ones are too few rounds."""
    sample = Sample(seconds=(428.0,) * rounds, measured=measured)

    assert is_enough is enough(sample)


def test_what_is_needed_is_what_an_exact_interval_needs() -> None:
    """From then on the seconds saved have one, and not before."""
    need = fewest_rounds()
    cold, warm = ([s + k for k in range(need)] for s in (428.0, 335.0))

    def of(seconds: list[float]) -> Sample:
        return Sample(seconds=tuple(seconds), measured=True)

    found = saved(of(cold), of(warm))

    assert found is not None
    assert [93e9, 90e9, 96e9] == [found.estimate_ns, found.low_ns, found.high_ns]
    assert None is saved(of(cold[1:]), of(warm[1:]))


def test_what_lacks_is_said_with_the_numbers() -> None:
    """Needed and had, and what else was there."""
    assert "4 cold starts and has 3" == TooFew(has=3).says(Scenario.COLD)
    assert "4 wakes and has 0 (all of them fills)" == TooFew(has=0, why="all of them fills").says(
        Scenario.WAKE
    )


def test_seconds_are_stated_on_the_command_line() -> None:
    """One, or several."""
    assert Sample(seconds=(428.0,), measured=False) == read_stated("428", option="--cold-s")
    assert (1.5, 2.0, 1e3) == read_stated(" 1.5, 2,1e3", option="--cold-s").seconds


@pytest.mark.parametrize("text", ["", "a", "1,,2", "0", "-3", "nan", "inf", "1e12", "428;431"])
def test_what_is_no_length_of_a_start_is_refused(text: str) -> None:
    """With the option that it was given as."""
    with pytest.raises(BadInput, match="--cold-s: "):
        read_stated(text, option="--cold-s")

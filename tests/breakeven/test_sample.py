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


def test_what_is_saved_is_known_no_better_than_the_starts() -> None:
    """Equal starts, each right to 5 s, are apart by their difference give or take 10 s."""
    cold, warm = (
        Sample(seconds=(length_s,) * 4, measured=True, uncertainty_s=5.0)
        for length_s in (226.0, 133.0)
    )

    found = saved(cold, warm)

    assert found is not None
    assert [83, 103] == [found.low_ns / 1e9, found.high_ns / 1e9]


def test_equal_numbers_have_no_interval_of_no_width() -> None:
    """Four times the same, as somebody stated it."""
    assert None is saved(
        read_stated("428,428,428,428", option=""), read_stated("9,9,9,9", option="")
    )


@pytest.mark.parametrize(
    ("seconds", "uncertainty_s", "is_coarse"),
    [
        ((40.0, 40.0), 0.0, False),
        ((40.0, 40.0), 0.1, True),
        ((40.0, 49.0), 5.0, True),
        ((40.0, 50.0), 5.0, False),
    ],
)
def test_starts_may_differ_by_less_than_they_are_known(
    seconds: tuple[float, ...], uncertainty_s: float, is_coarse: bool
) -> None:
    """Two are told apart from where neither can be the other."""
    sample = Sample(seconds=seconds, measured=True, uncertainty_s=uncertainty_s)

    assert is_coarse is sample.is_coarse

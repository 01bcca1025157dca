"""One request before the sleep and after the wake-up, over the rounds of a step."""

from firstlight.experiment.fixed_request import fixed_request
from firstlight.experiment.waking import FixedRequest, Woken


def woken(before: float | None, after: float | None) -> Woken:
    took = FixedRequest(before=before, after=after)
    return Woken(schema="firstlight.wake/1", level=1, through="gateway", fixed_request_s=took)


def test_the_difference_is_told_with_its_interval() -> None:
    """The reference case has 0.28 s and 0.30 s; these lie twenty milliseconds apart."""
    rounds = [woken(0.28 + n / 1000, 0.30 + n / 1000) for n in range(4)]

    found = fixed_request(rounds)

    assert found == {
        "rounds": 4,
        "before_s": 0.2815,
        "after_s": 0.3015,
        "difference_s": 0.02,
        "low_s": 0.018,
        "high_s": 0.022,
    }


def test_few_rounds_have_no_interval() -> None:
    """From fewer than four nothing is concluded."""
    found = fixed_request([woken(0.28, 0.30)] * 3)

    assert found is not None
    assert (3, 0.28, None, None) == (
        found["rounds"],
        found["before_s"],
        found["difference_s"],
        found["low_s"],
    )


def test_what_nobody_measured_is_not_told() -> None:
    """An engine by its own calls, a start, an engine that could be asked nothing."""
    direct = Woken(schema="firstlight.wake/1", level=1)

    assert fixed_request([direct, None, woken(0.28, None), woken(0.0, 0.0)]) is None

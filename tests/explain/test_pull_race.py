"""A pull that somebody else began: bytes, seconds, and a rate that was measured."""

from dataclasses import replace

import pytest

from firstlight.core.evidence import Evidence
from firstlight.core.signs import Sign
from firstlight.core.starts import IMAGE, Placement, Start, Transfer
from firstlight.explain.pull_race import pull_race, pull_rate, with_image_signs
from tests.explain.telling import one, whole

GB = 10**9
WHOLE_RATE = 8.9 * GB / 65.1
REFERENCE = "vllm/vllm-openai:v0.26.0"
PULLED = (Evidence(artefact="events.json", text="Successfully pulled image"),)


def pulled(seconds: float, bytes_: int = 8_900_000_000) -> Start:
    transfer = Transfer(what=IMAGE, bytes_=bytes_, seconds=seconds, link_gbps=None, evidence=PULLED)
    return replace(
        one(*whole()),
        transfers=(transfer,),
        signs={Sign.IMAGE_PULLED: PULLED},
        placement=Placement(image=REFERENCE),
    )


def judged(
    start: Start, rate: float | None = WHOLE_RATE, prepulled: str | None = None
) -> set[Sign]:
    return set(with_image_signs(start, baseline_rate_bytes_per_s=rate, prepulled=prepulled).signs)


@pytest.mark.parametrize(
    ("seconds", "raced"), [(65.1, False), (64.0, False), (52.1, False), (39.8, True), (32.2, True)]
)
def test_the_reference_cases_pulls(seconds: float, raced: bool) -> None:
    """64 and 65 s of 8.9 GB are whole; 39.8 and 32.2 s are not; a fifth less is still doubt."""
    assert raced == pull_race(8_900_000_000, seconds, WHOLE_RATE)


def test_a_smaller_image_is_held_against_its_own_bytes() -> None:
    """A third of the bytes may come in a third of the time."""
    assert [False, True] == [
        pull_race(2_966_666_667, seconds, WHOLE_RATE) for seconds in (21.7, 10.0)
    ]


def test_a_raced_pull_is_a_sign_in_place_of_the_pull() -> None:
    """With the pull's own words."""
    start = with_image_signs(pulled(32.2), baseline_rate_bytes_per_s=WHOLE_RATE, prepulled=None)

    assert {Sign.IMAGE_RACED: PULLED} == start.signs


def test_without_a_measured_rate_nothing_is_concluded() -> None:
    """However short the pull was."""
    assert {Sign.IMAGE_PULLED} == judged(pulled(1.0), rate=None)


def test_without_the_bytes_nothing_is_concluded() -> None:
    """A kubelet before 1.31 does not say them."""
    assert {Sign.IMAGE_PULLED} == judged(replace(pulled(1.0), transfers=()))


@pytest.mark.parametrize(
    ("prepulled", "sign"),
    [
        ("vllm/vllm-openai:v0.25.0", Sign.IMAGE_OTHER),
        ("vllm/vllm-openai", Sign.IMAGE_OTHER),
        (REFERENCE, Sign.IMAGE_PULLED),
        (f"docker.io/{REFERENCE}", Sign.IMAGE_PULLED),
    ],
)
def test_another_reference_makes_the_pull_beforehand_void(prepulled: str, sign: Sign) -> None:
    """One image written in two ways is no other."""
    assert {sign} == judged(pulled(65.0), prepulled=prepulled)


def test_void_comes_before_raced() -> None:
    """A short pull of something that nobody pulled beforehand was not raced."""
    assert {Sign.IMAGE_OTHER} == judged(pulled(10.0), prepulled="other:1")


def test_an_image_that_was_there_is_not_judged() -> None:
    """There was no pull to hold against anything."""
    present = replace(pulled(1.0), signs={Sign.IMAGE_PRESENT: PULLED})

    assert {Sign.IMAGE_PRESENT} == judged(present, prepulled="other:1")


def test_the_rate_is_that_of_the_fastest_whole_pull() -> None:
    """The bound that concludes least."""
    assert 8_900_000_000 / 64.0 == pull_rate([pulled(65.1), pulled(64.0), one(*whole())])
    assert pull_rate([one(*whole())]) is None

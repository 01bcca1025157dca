"""A pull that somebody else began: bytes, seconds, and a rate that was measured."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from firstlight.core.evidence import Evidence
from firstlight.core.signs import Sign
from firstlight.core.starts import IMAGE, Placement, Start, Transfer
from firstlight.explain.pull_race import WholePull, pull_race, whole_pulls, with_image_signs
from tests.explain.telling import one, whole

WHOLE_RATE = 8.9e9 / 65.1
REFERENCE = "vllm/vllm-openai:v0.26.0"
PULLED = (Evidence(artefact="events.json", text="Successfully pulled image"),)
PLACE = Placement(image=REFERENCE, instance_type="g7e.2xlarge")


def pulled(seconds: float, bytes_: int = 8_900_000_000, **place: Any) -> Start:
    """A start whose image was pulled onto a node that was made for it."""
    transfer = Transfer(what=IMAGE, bytes_=bytes_, seconds=seconds, link_gbps=None, evidence=PULLED)
    return replace(
        one(*whole()),
        transfers=(transfer,),
        signs={Sign.IMAGE_PULLED: PULLED, Sign.NODE_WAS_MADE: PULLED},
        placement=replace(PLACE, **place),
    )


BASELINE = whole_pulls([pulled(65.1)])


def seen(
    start: Start, baseline: Sequence[WholePull] = BASELINE, prepulled: str | None = None
) -> Start:
    return with_image_signs(start, baseline=baseline, prepulled=prepulled)


def judged(
    start: Start, baseline: Sequence[WholePull] = BASELINE, prepulled: str | None = None
) -> set[Sign]:
    return set(seen(start, baseline, prepulled).signs) - {Sign.NODE_WAS_MADE}


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
    assert PULLED == seen(pulled(32.2)).signs[Sign.IMAGE_RACED]
    assert {Sign.IMAGE_RACED} == judged(pulled(32.2))


def test_without_a_measured_pull_nothing_is_concluded() -> None:
    """However short the pull was; nobody asked, so nothing is said."""
    start = pulled(1.0)

    assert start == seen(start, baseline=())


OLD = {Sign.IMAGE_PULLED: PULLED, Sign.NODE_WAS_THERE: PULLED}


@pytest.mark.parametrize(
    ("start", "why"),
    [
        (replace(pulled(1.0), transfers=()), "nothing tells the size of its image"),
        (replace(pulled(9.0), signs=OLD), "nothing shows that its node was made for it"),
        (pulled(9.0, instance_type="g7e.48xlarge"), "its node is of type g7e.48xlarge"),
        (pulled(9.0, instance_type=""), "its node is of type unknown, the baseline's of g7e.2x"),
        (pulled(9.0, bytes_=3_000_000_000), "its image has 3.0 GB, the baseline's 8.9"),
        (pulled(9.0, bytes_=10_000_000_000), "its image has 10.0 GB, the baseline's 8.9"),
        (
            pulled(9.0, image="111122223333.dkr.ecr.us-east-1.amazonaws.com/vllm:v0.26.0"),
            "the baseline's from docker.io",
        ),
    ],
)
def test_a_pull_that_is_not_like_the_baselines_is_not_judged(start: Start, why: str) -> None:
    """A faster node, a nearer registry, layers that were there: all of them make it short."""
    after = seen(start)

    assert start.signs == after.signs
    (finding,) = set(after.findings) - set(start.findings)
    assert "pull-not-judged" == finding.code
    assert why in finding.what


def test_an_image_about_as_large_is_like_enough() -> None:
    """The next version of the engine has some bytes more; they count by themselves."""
    assert [{Sign.IMAGE_RACED}, {Sign.IMAGE_PULLED}] == [
        judged(pulled(seconds, bytes_=9_500_000_000, image="vllm/vllm-openai:v0.27.0"))
        for seconds in (32.2, 60.0)
    ]


@pytest.mark.parametrize(
    ("prepulled", "sign"),
    [
        ("vllm/vllm-openai:v0.25.0", Sign.IMAGE_OTHER),
        ("vllm/vllm-openai", Sign.IMAGE_OTHER),
        (REFERENCE, Sign.IMAGE_PULLED),
        (f"docker.io/{REFERENCE}", Sign.IMAGE_PULLED),
        (f"index.docker.io/{REFERENCE}", Sign.IMAGE_PULLED),
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


def test_a_tag_is_not_held_against_a_digest() -> None:
    """Nothing says what the tag meant that day: no sign, and a finding instead."""
    start = pulled(65.0)
    after = seen(start, prepulled=f"vllm/vllm-openai@sha256:{'a' * 64}")

    assert start.signs == after.signs
    assert ["prepull-not-compared"] == [f.code for f in set(after.findings) - {*start.findings}]


def test_the_fastest_whole_pull_is_the_rate() -> None:
    """The bound that concludes least."""
    both = whole_pulls([pulled(65.1), pulled(40.0)])

    assert [{Sign.IMAGE_RACED}, {Sign.IMAGE_PULLED}] == [
        judged(pulled(35.0), baseline) for baseline in (BASELINE, both)
    ]


@pytest.mark.parametrize(
    "start",
    [
        one(*whole()),
        replace(pulled(65.1), transfers=()),
        replace(pulled(65.1), signs=OLD),
        replace(pulled(65.1), signs={Sign.IMAGE_OTHER: PULLED, Sign.NODE_WAS_MADE: PULLED}),
        replace(pulled(65.1), placement=None),
    ],
)
def test_what_was_not_pulled_whole_is_no_rate(start: Start) -> None:
    """Of no known size, onto a node that may have held a part, or behind another image's pull."""
    assert () == whole_pulls([start])

"""Sets over several zones: pooled when that is said, and only then."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.compare.comparability import comparable
from firstlight.compare.comparison import Comparison, compare
from firstlight.compare.document import comparison_document
from firstlight.compare.sets import Round, RoundSet
from firstlight.compare.verdict import Verdict
from firstlight.core.fingerprints import Fingerprint
from tests.compare.engines import a_set, named, rounds


def in_zones(zones: str, *, seed: int, name: str = "a") -> list[Round]:
    """A round in each of these zones; `-` tells none."""
    made = rounds(len(zones), seed=seed, name=name)
    return [
        one if zone == "-" else named(one, zone=zone) for one, zone in zip(made, zones, strict=True)
    ]


def sides(first: str, second: str) -> tuple[RoundSet, RoundSet]:
    before = a_set("before", in_zones(first, seed=1))
    return before, a_set("after", in_zones(second, seed=2, name="b"))


def held(first: str, second: str, *, varying: Sequence[str] = ("zone",)) -> Comparison:
    return compare(*sides(first, second), varying=varying)


def test_zones_are_pooled_when_that_is_said() -> None:
    """And how many rounds there are of each stands beside the verdict."""
    refused, pooled = held("aabc", "abca", varying=()), held("aabc", "abca")

    assert Verdict.NOT_COMPARABLE is refused.verdict
    assert () == refused.comparable.varying
    assert (Verdict.NO_DIFFERENCE, ()) == (pooled.verdict, pooled.comparable.against)
    assert [
        {"name": "zone", "first": {"a": 2, "b": 1, "c": 1}, "second": {"a": 2, "b": 1, "c": 1}}
    ] == (comparison_document(pooled)["varying"])
    assert (
        "zone varies, as was said, and its rounds are pooled: before has 2 in a, 1 in b, 1 in c; "
        "after has 2 in a, 1 in b, 1 in c"
    ) in pooled.notes


@pytest.mark.parametrize(
    ("first", "second"), [("aabb", "abbb"), ("aabbaa", "aabb"), ("aaaa", "aaab")]
)
def test_uneven_zones_are_said_to_be(first: str, second: str) -> None:
    """What one zone is slower by is then in the difference."""
    found = held(first, second)

    assert () == found.comparable.against
    assert any("the shares are not the same on both sides" in note for note in found.notes)


@pytest.mark.parametrize(("first", "second"), [("aaaa", "bbbb"), ("aabb", "ccdd")])
def test_zones_that_have_nothing_in_common_are_a_difference(first: str, second: str) -> None:
    """Saying that they vary does not make a change of them that nobody declared."""
    found = held(first, second)

    assert Verdict.NOT_COMPARABLE is found.verdict
    assert any("they differ in zone" in reason for reason in found.comparable.against)
    assert () == found.comparable.varying


def test_only_what_was_said_may_vary() -> None:
    """Two names vary, and one was named."""
    one = [named(r, driver=str(n % 2)) for n, r in enumerate(in_zones("abab", seed=1))]
    two = [named(r, driver="0") for r in in_zones("abab", seed=2, name="b")]

    found = compare(a_set("a", one), a_set("b", two), varying=["zone"])

    assert any("differ in driver (0 and 1)" in reason for reason in found.comparable.against)
    assert not any("zone" in reason for reason in found.comparable.against)


def test_a_name_may_stand_for_several() -> None:
    """As in what was declared."""
    one = [
        named(r, **{"node type": t}) for r, t in zip(in_zones("abab", seed=1), "xyxy", strict=True)
    ]
    two = [
        named(r, **{"node type": t})
        for r, t in zip(in_zones("abab", seed=2, name="b"), "xyxy", strict=True)
    ]

    found = compare(a_set("a", one), a_set("b", two), varying=["zo*", "node *"])

    assert () == found.comparable.against
    assert {"zone", "node type"} == {one.name for one in found.comparable.varying}


def test_a_round_that_tells_no_zone_is_in_none() -> None:
    """It counts, and the zone is said not to be known of all."""
    found = held("aab-", "aabb")

    assert {"a": 2, "b": 1} == found.comparable.varying[0].first
    assert "zone" in found.comparable.unknown


@given(
    first=st.text("abc-", min_size=4, max_size=8), second=st.text("abc-", min_size=4, max_size=8)
)
def test_each_round_is_counted_once_or_tells_nothing(first: str, second: str) -> None:
    """And either it is let through, or refused, or there is nothing that varies."""
    # Not the statistics of a hundred examples, which take seconds.
    found = comparable(*sides(first, second), declared=(), varying=["zone"])
    told = set(first + second) - {"-"}

    reasons = any("zone" in reason for reason in found.against)
    assert (len(told) > 1) == (reasons or bool(found.varying))
    assert not (reasons and found.varying)
    for one in found.varying:
        assert len(first.replace("-", "")) == sum(one.first.values())
        assert len(second.replace("-", "")) == sum(one.second.values())


def test_settings_that_one_side_does_not_tell_are_one_line() -> None:
    """An engine prints a hundred of them."""
    said = {f"setting:{n}": str(n) for n in range(100)}
    known = [named(one, **said) for one in rounds(4, seed=1)]
    one_less = [named(one, **dict(list(said.items())[1:])) for one in rounds(4, seed=3, name="c")]

    silent = compare(a_set("a", known), a_set("b", rounds(4, seed=2, name="b")))
    lacking = compare(a_set("a", known), a_set("c", one_less))

    assert ("settings",) == silent.comparable.unknown
    assert ("setting:0",) == lacking.comparable.unknown
    assert Fingerprint(values=said).knows("setting:")

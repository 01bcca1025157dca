"""Whether decisions stand: by which numbers, on whose word, and what would have to be known."""

import msgspec
import pytest

from firstlight.decisions.evaluation import Evaluated, Verdict, evaluate
from firstlight.decisions.facts import Fact, Standing, merged
from firstlight.decisions.register import Decision, Evidence, Whose, from_deck
from tests.decisions.cards import built_in, deck, facts

DISK, RETENTION, STREAMING = from_deck(deck()).decisions
REFERENCE = built_in({"disk_gbps": 5, "stream_gbps": 13.6})


def own(standing: Standing = Standing.FILE, **values: float) -> dict[str, Fact]:
    return facts(standing, values)


def judged(decision: Decision, *known: dict[str, Fact], at_work: tuple[str, ...] = ()) -> Evaluated:
    return evaluate(decision, merged(*known), at_work=at_work)


def test_a_decision_stands_while_its_condition_is_false() -> None:
    """With the numbers, and where each is from."""
    disk = judged(DISK, REFERENCE)

    assert Verdict.STANDS is disk.verdict
    assert "disk_gbps 5 (reference case) > stream_gbps 13.6 (reference case)" == disk.condition
    assert "from the reference case, not tested here" == disk.standing
    assert disk.is_inherited


def test_a_decision_flips_when_its_condition_is_true() -> None:
    """And the numbers that are not the user's are named."""
    disk = judged(DISK, REFERENCE, own(disk_gbps=20))

    assert Verdict.FLIPS is disk.verdict
    assert "disk_gbps 20 (file) > stream_gbps 13.6 (reference case)" == disk.condition
    assert ("stream_gbps",) == disk.borrowed


def test_what_was_judged_by_the_users_own_facts_borrows_nothing() -> None:
    """Also where the reference case has more to say."""
    disk = judged(DISK, REFERENCE, own(disk_gbps=20, stream_gbps=15))

    assert (Verdict.FLIPS, ()) == (disk.verdict, disk.borrowed)


def test_a_missing_fact_is_named() -> None:
    """What is there is shown all the same."""
    retention = judged(RETENTION, own(saved_s=93))

    assert Verdict.NOT_JUDGED is retention.verdict
    assert ("hit_rate", "cost") == retention.missing
    assert "hit_rate (not known) * saved_s 93 (file) > cost (not known)" == retention.condition
    assert "firstlight's own judgement, not tested here" == retention.standing


def test_a_calculation_without_a_result_says_why() -> None:
    """The facts are there, and the answer is not."""
    broken = msgspec.structs.replace(
        DISK, look_again=msgspec.structs.replace(DISK.look_again, when="1 / disk_gbps > 1")
    )

    answer = judged(broken, own(disk_gbps=0))

    assert Verdict.NOT_JUDGED is answer.verdict
    assert ((), ("1 / disk_gbps divides by zero",)) == (answer.missing, answer.troubles)


def test_a_start_that_shows_it_at_work_supports_a_decision_for_it() -> None:
    """Then it is no longer only inherited."""
    streaming = judged(STREAMING, REFERENCE, at_work=("runs/a", "runs/b"))

    assert "supported by runs/a and 1 more" == streaming.standing
    assert not streaming.is_inherited


def test_a_start_that_shows_it_at_work_does_not_support_its_exclusion() -> None:
    """It is said, and the decision stays somebody else's."""
    disk = judged(DISK, REFERENCE, at_work=("runs/a",))

    assert (("runs/a",), ()) == (disk.at_work, disk.support)
    assert disk.is_inherited


@pytest.mark.parametrize(
    ("known", "support"),
    [
        ([own(Standing.RECORDS, stream_gbps=14)], ()),
        ([own(Standing.RECORDS, stream_gbps=14), own(disk_gbps=5)], ("stream_gbps of records",)),
        ([own(stream_gbps=14, disk_gbps=5)], ()),
        ([own(Standing.RECORDS, stream_gbps=4), own(disk_gbps=5)], ()),
    ],
)
def test_an_exclusion_is_supported_by_records_that_judge_it(
    known: list[dict[str, Fact]], support: tuple[str, ...]
) -> None:
    """By the user's facts alone, one of them a record's; not where it flips."""
    assert support == judged(DISK, REFERENCE, *known).support


def test_evidence_in_the_register_makes_a_decision_the_keepers() -> None:
    """What they wrote down counts; what came with the card does not."""
    tested = msgspec.structs.replace(
        DISK, evidence=(*DISK.evidence, Evidence(where="runs/disk", says="300 s"))
    )

    assert "supported by runs/disk" == judged(tested, REFERENCE).standing


def test_what_the_keeper_decided_is_not_inherited() -> None:
    """It needs nobody's support."""
    decided = msgspec.structs.replace(DISK, origin=Whose.HERE)

    assert ("decided here", False) == (
        judged(decided, REFERENCE).standing,
        judged(decided, REFERENCE).is_inherited,
    )


def test_the_nearest_fact_counts() -> None:
    """Command line, file, records, register, reference case; whatever the order they come in."""
    layers = [facts(standing, {"a": int(standing)}) for standing in Standing]

    while layers:
        expected = layers[-1]["a"]
        assert expected == merged(*layers)["a"] == merged(*reversed(layers))["a"]
        layers.pop()


def test_of_two_files_the_later_counts() -> None:
    """As people expect of options that come twice."""
    first, second = facts(Standing.FILE, {"a": 1}), facts(Standing.FILE, {"a": 2})

    assert second == merged(first, second)

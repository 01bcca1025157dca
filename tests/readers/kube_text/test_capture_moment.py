"""The moment from which ages count back."""

from hypothesis import given
from hypothesis import strategies as st

from firstlight.readers.kube.capture_moment import Anchor, worked_out
from firstlight.readers.kube.printed_moments import Printed
from tests.readers.kube_text import samples
from tests.readers.kube_text.reading import at, counts_back, event, read, whole

S = 1_000_000_000
NOW = whole("2025-06-10T10:00:00")


def anchor(stamp_s: int, age_s: int, resolution_s: int = 1, what: str = "it") -> Anchor:
    age = Printed(ns=age_s * S, resolution_ns=resolution_s * S, is_age=True)
    return Anchor(stamp_ns=stamp_s * S, age=age, what=what)


def test_a_given_moment_is_taken() -> None:
    """at = moment - age, as exact as the age."""
    seen = read(samples.EVENTS, NOW)
    pulled = event(seen, "Pulled")

    assert NOW - 74 * S == at(pulled.first)
    assert pulled.first is not None
    assert S == pulled.first.resolution_ns
    assert pulled.evidence.text == pulled.first.evidence.text
    assert not counts_back(seen)


def test_without_any_moment_ages_count_back_from_nothing() -> None:
    """Differences are right, and the whole says what it is."""
    seen = read(samples.EVENTS)

    assert counts_back(seen)
    assert -74 * S == at(event(seen, "Pulled").first)
    assert -133 * S == at(event(seen, "Pulling").last)


def test_a_claims_conditions_give_the_moment() -> None:
    """Launched 137 s ago and at 09:58:43: asked at 10:01:00. The evidence says so."""
    seen = read(samples.NODE_CLAIM)

    blocked = event(seen, "DisruptionBlocked").first
    assert not counts_back(seen)
    assert whole("2025-06-10T09:58:45") == at(blocked)
    assert blocked is not None
    assert 2 * S == blocked.resolution_ns
    assert "age counted back from the moment that Launched in line" in blocked.evidence.text


def test_a_containers_start_gives_the_moment() -> None:
    """The last Started of a container is the start of its current run."""
    seen = read(samples.POD)

    assert whole("2025-06-10T10:05:21") == at(event(seen, "Started").last)
    assert whole("2025-06-10T10:00:36") == at(event(seen, "Pulled").first)
    assert not counts_back(seen)


def test_a_nodes_readiness_gives_the_moment() -> None:
    """NodeReady is the event of the Ready condition."""
    starting = event(read(samples.NODE), "Starting")

    assert whole("2025-06-10T09:59:00") == at(starting.first)


def test_a_condition_that_is_not_true_gives_none() -> None:
    """Its stamp is of something else than the event."""
    text = samples.NODE_CLAIM.replace("Status:                True", "Status:                False")

    assert counts_back(read(text))


def test_ages_that_contradict_their_stamps_give_none() -> None:
    """An event of an earlier life of the object."""
    text = samples.NODE_CLAIM.replace("108s ", "9h   ").replace("2m17s", "108s ")

    assert counts_back(read(text))


def test_a_description_lends_its_moment_to_a_table_beside_it() -> None:
    """Both were asked for in one sitting; the evidence says where the moment is from."""
    seen = read(samples.NODE_CLAIM + "\n" + samples.EVENTS)
    pulled = event(seen, "Pulled").first

    assert whole("2025-06-10T09:59:46") == at(pulled)
    assert pulled is not None
    assert "age counted back from" in pulled.evidence.text


def test_ages_beside_stamps_are_dropped() -> None:
    """Two kinds of time cannot stand in one list; the words stay."""
    table = 'TIME   REASON   MESSAGE\n2025-06-10T10:00:00Z   Pulling   Pulling image "a"\n'
    seen = read(table + samples.EVENTS)

    assert not counts_back(seen)
    assert NOW == at(seen.events[0].first)
    assert [None] * 4 == [e.first for e in seen.events[1:]]
    assert [None] * 4 == [e.last for e in seen.events[1:]]


def test_most_anchors_decide() -> None:
    """One that lies does not move the others."""
    capture = worked_out([anchor(100, 50), anchor(120, 30), anchor(900, 1)])

    assert capture is not None
    assert (150 * S, S) == (capture.at_ns, capture.resolution_ns)


def test_the_finest_anchor_is_believed() -> None:
    """A minute's age agrees with a second's, and says less."""
    capture = worked_out([anchor(100, 3600, 60, "coarse"), anchor(3600, 125, 1, "fine")])

    assert capture is not None
    assert (3725 * S, S) == (capture.at_ns, capture.resolution_ns)
    assert "fine" in capture.note


def test_coarse_anchors_narrow_each_other() -> None:
    """Two ages cut to minutes leave the twenty seconds that both allow."""
    capture = worked_out([anchor(100, 1800, 60, "early"), anchor(140, 1800, 60, "late")])

    assert capture is not None
    assert (1940 * S, 20 * S) == (capture.at_ns, capture.resolution_ns)
    assert "late" in capture.note


def test_one_command_over_several_objects_has_one_moment() -> None:
    """The claim's seconds are better than the pod's minutes; both describe one sitting."""
    pod = samples.POD.replace("4m45s (x2 over 9m16s)", "10m")
    started = "State:          Running\n      Started:      Tue, 10 Jun 2025 11:50:30 +0200"
    pod = pod.replace(
        "State:          Running\n      Started:      Tue, 10 Jun 2025 12:05:21 +0200", started
    )
    scheduled = event(read(samples.NODE_CLAIM + "\n\n" + pod), "Scheduled").first

    assert whole("2025-06-10T09:51:00") == at(scheduled)
    assert scheduled is not None
    assert 61 * S == scheduled.resolution_ns


def test_commands_minutes_apart_have_their_own_moments() -> None:
    """Node and claim were described at different times: each by its own stamps."""
    seen = read(samples.NODE + "\n" + samples.NODE_CLAIM)

    assert whole("2025-06-10T09:59:40") == at(event(seen, "NodeReady").first)
    assert whole("2025-06-10T09:59:12") == at(event(seen, "Registered").first)


def test_no_anchor_no_moment() -> None:
    """And half of the anchors are not most of them."""
    assert None is worked_out([])
    assert None is worked_out([anchor(0, 10), anchor(1000, 10)])


@given(
    st.integers(10**6, 10**9),
    st.lists(st.integers(0, 10**5), min_size=1, max_size=20),
    st.lists(st.integers(0, 10**6), max_size=5),
)
def test_true_anchors_give_the_true_second(
    now_s: int, ages_s: list[int], lies_s: list[int]
) -> None:
    """However old each thing is, and whatever fewer lies say."""
    true = [anchor(now_s - age, age) for age in ages_s]
    lies = [anchor(now_s - 5 * 10**6, lie) for lie in lies_s[: len(true) - 1]]

    capture = worked_out([*lies, *true])

    assert capture is not None
    assert now_s * S == capture.at_ns

"""How far two clocks are apart, as bounds that always hold."""

from email.utils import formatdate

from hypothesis import given
from hypothesis import strategies as st

from firstlight.core.units import NS_PER_S
from firstlight.edges.kube.clock import difference

NOW_NS = 1_795_982_400 * NS_PER_S


@given(
    off_ns=st.integers(-(10**12), 10**12),
    answers=st.lists(
        st.tuples(st.integers(0, 10**10), st.integers(0, 10**9), st.integers(0, 10**9)),
        min_size=1,
        max_size=6,
    ),
)
def test_the_truth_lies_within_the_bounds(off_ns: int, answers: list[tuple[int, int, int]]) -> None:
    """Whatever the network took; more answers never widen them."""
    found, width = None, 10**18
    for at_ns, there_ns, back_ns in answers:
        asked_ns, read_ns = NOW_NS + at_ns, NOW_NS + at_ns + there_ns
        date = formatdate((read_ns + off_ns) // NS_PER_S, usegmt=True)
        bounds = {"asked_ns": asked_ns, "answered_ns": read_ns + back_ns}
        found = found.with_answer(date, **bounds) if found else difference(date, **bounds)
        assert found is not None
        assert found.agreed
        assert found.lowest_ns <= off_ns <= found.highest_ns
        assert found.highest_ns - found.lowest_ns <= width
        width = found.highest_ns - found.lowest_ns


def test_answers_that_exclude_each_other_are_said_to() -> None:
    """Two servers behind one name, an hour apart."""
    here = {"asked_ns": NOW_NS, "answered_ns": NOW_NS}
    first = difference(formatdate(NOW_NS // NS_PER_S, usegmt=True), **here)
    assert first is not None

    both = first.with_answer(formatdate(NOW_NS // NS_PER_S + 3600, usegmt=True), **here)

    assert (False, 0, 3601 * NS_PER_S) == (both.agreed, both.lowest_ns, both.highest_ns)


def test_a_date_that_is_none_tells_nothing() -> None:
    """Something in between wrote its own."""
    assert None is difference("yesterday", asked_ns=0, answered_ns=0)

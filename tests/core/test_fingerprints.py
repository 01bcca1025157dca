"""What two starts have in common, and what is only not known of one of them."""

from hypothesis import given
from hypothesis import strategies as st

from firstlight.core.fingerprints import ARGUMENT, ENVIRONMENT, KINDS, NAMES, Fingerprint

names = st.one_of(
    st.sampled_from(NAMES[:4]),
    st.builds(str.__add__, st.sampled_from(KINDS), st.sampled_from(["a", "b"])),
)
fingerprints = st.builds(
    lambda values, whole: Fingerprint(values=values, whole=whole),
    st.dictionaries(names, st.sampled_from(["", "1", "2"])),
    st.frozensets(st.sampled_from(KINDS)),
)


def of(**values: str) -> Fingerprint:
    """A few plain names, with their blanks written as underscores."""
    return Fingerprint(values={name.replace("_", " "): value for name, value in values.items()})


def test_what_both_have_and_is_not_the_same_differs() -> None:
    """Here first, there second."""
    here, there = of(image="v1", kernel="6"), of(image="v2", kernel="6")

    assert {"image": ("v1", "v2")} == here.differences(there)


def test_what_one_does_not_tell_is_no_difference() -> None:
    """A log alone does not know the node's type: absent is not known."""
    assert {} == of(engine_version="1").differences(of(engine_version="1", node_type="g6"))


def test_an_argument_that_only_one_has_differs_where_both_tell_theirs() -> None:
    """A command without a flag is known not to have it."""
    bare = Fingerprint(whole=frozenset({ARGUMENT}))
    eager = Fingerprint(values={"argument:--enforce-eager": ""})

    assert {"argument:--enforce-eager": (None, "")} == bare.differences(eager)
    assert {"argument:--enforce-eager": ("", None)} == eager.differences(bare)
    assert {} == Fingerprint().differences(eager)


def test_settings_that_only_one_told_are_not_known_of_the_other() -> None:
    """The engine of another version prints other ones."""
    one = Fingerprint(values={"setting:seed": "0", "setting:dtype": "auto"})
    other = Fingerprint(values={"setting:dtype": "half"})

    assert {"setting:dtype": ("auto", "half")} == one.differences(other)


def test_a_second_source_fills_gaps_only() -> None:
    """Of arguments, what was given; defaults that the engine printed beside them are dropped."""
    command = Fingerprint(
        values={"model": "m", "argument:--seed": "1"}, whole=frozenset({ARGUMENT})
    )
    log = Fingerprint(
        values={
            "engine version": "0.30.0",
            "model": "/cache/m",
            "argument:--dtype": "half",
            "setting:seed": "1",
            "environment:HF_HOME": "/hf",
        },
        whole=frozenset({ENVIRONMENT}),
    )

    both = command.completed_by(log)
    assert {
        "engine version": "0.30.0",
        "model": "m",
        "argument:--seed": "1",
        "environment:HF_HOME": "/hf",
    } == both.values
    assert {ARGUMENT, ENVIRONMENT} == both.whole


@given(one=fingerprints, other=fingerprints)
def test_differences_are_the_same_from_both_sides(one: Fingerprint, other: Fingerprint) -> None:
    """Only turned round, and none with itself."""
    turned = {name: (b, a) for name, (a, b) in other.differences(one).items()}

    assert turned == one.differences(other)
    assert {} == one.differences(one)


@given(one=fingerprints, other=fingerprints)
def test_completing_changes_nothing_that_was_known(one: Fingerprint, other: Fingerprint) -> None:
    """Each value stays, and nothing comes to a kind that was known."""
    both = one.completed_by(other)

    assert dict(one.values) == {name: both.values[name] for name in one.values}
    known = tuple(kind for kind in KINDS if one.knows(kind))
    assert not [n for n in both.values if n.startswith(known) and n not in one.values]
    assert both == both.completed_by(other)

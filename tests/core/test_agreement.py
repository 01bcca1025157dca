"""How far two answers to one question agree."""

import pytest

from firstlight.core.agreement import agreement


@pytest.mark.parametrize(
    ("once", "twice", "after", "share"),
    [
        ("abcd", "abcd", "abcd", 1.0),
        ("abcd", "abcd", "abxd", 0.5),
        ("abcd", "abcd", "ab", 0.5),
        ("ab", "ab", "abcd", 0.5),
        ("abcd", "abcd", "xbcd", 0.0),
        ("abcd", "abcd", "", 0.0),
        ("abcd", "abcx", "abcd", None),
        ("abcd", "abc", "abcd", None),
        ("", "", "abcd", None),
    ],
)
def test_the_share_is_counted_from_the_first_token_on(
    once: str, twice: str, after: str, share: float | None
) -> None:
    """An engine that was never steady, or said nothing, tells nothing."""
    assert share == agreement(once, twice, after)


def test_the_kind_of_sequence_makes_no_difference() -> None:
    """One comes from a file, another from the engine."""
    assert 1.0 == agreement(("a", "b"), ["a", "b"], ("a", "b"))

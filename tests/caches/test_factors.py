"""What a cache must never be shared across."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from firstlight.caches.factors import Factors, briefly, disagreements, key, known, unknown
from tests.caches.made import FACTORS

TEXTS = st.text("ab=é ", max_size=3)
ALL = st.builds(
    Factors,
    **{name: st.none() | TEXTS for name in ("image", "vllm", "torch", "machine", "model")},
    instructions=st.none()
    | st.lists(TEXTS, unique=True, max_size=3).map(lambda f: tuple(sorted(f))),
    arguments=st.none() | st.dictionaries(TEXTS, st.none() | TEXTS, max_size=3),
    environment=st.none() | st.dictionaries(TEXTS, TEXTS, max_size=3),
)


@given(ALL, ALL)
def test_equal_factors_and_only_they_have_one_key(one: Factors, other: Factors) -> None:
    """In whatever order their names were given."""
    backwards = replace(
        one, arguments=None if one.arguments is None else dict(reversed(one.arguments.items()))
    )

    assert key(one) == key(backwards)
    assert (one == other) == (key(one) == key(other))


@given(ALL)
def test_a_cache_fits_where_it_was_filled(one: Factors) -> None:
    """Nothing disagrees with itself, nor with somebody who knows nothing."""
    assert () == disagreements(one, one)
    assert () == disagreements(one, Factors()) == disagreements(Factors(), one)


@given(ALL, ALL)
def test_what_differs_is_named(cache: Factors, here: Factors) -> None:
    """Where both know all and the keys differ, something is named, unless here can do more."""
    known = all(
        getattr(one, name) is not None
        for one in (cache, here)
        for name in (
            "image",
            "vllm",
            "torch",
            "machine",
            "model",
            "instructions",
            "arguments",
            "environment",
        )
    )
    more = set(here.instructions or ()) > set(cache.instructions or ())

    if known and not more:
        assert (key(cache) == key(here)) == (disagreements(cache, here) == ())


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"vllm": "0.31.0"}, "vllm is 0.31.0 here and 0.32.0 in the cache"),
        ({"model": "s3://b/m"}, "model is s3://b/m here and /models/m in the cache"),
        (
            {"arguments": {"--max-num-seqs": "9", "--enforce-eager": None}},
            "--max-num-seqs is 9 here and 8 in the cache",
        ),
        (
            {"arguments": {"--max-num-seqs": "8"}},
            "--enforce-eager is not there here and set in the cache",
        ),
        (
            {"environment": {"VLLM_USE_AOT_COMPILE": "0", "VLLM_PORT": "tcp://10.0.0.1:80"}},
            "environment VLLM_PORT is tcp://10.0.0.1:80 here and not there in the cache",
        ),
        (
            {"instructions": ("avx2", "fma")},
            "instructions is not there here and avx512f in the cache",
        ),
    ],
)
def test_each_factor_is_told_with_both_values(change: dict[str, object], line: str) -> None:
    """By the name that a user knows it by."""
    here = replace(FACTORS, **change)

    assert [line] == [one.line for one in disagreements(FACTORS, here)]


def test_a_processor_that_can_do_more_runs_what_needs_less() -> None:
    """And not the other way round."""
    richer = replace(FACTORS, instructions=("amx", "avx2", "avx512f", "fma"))

    assert () == disagreements(FACTORS, richer)
    assert ("amx",) == tuple(one.cache for one in disagreements(richer, FACTORS))


def test_what_is_known_is_told_by_name() -> None:
    """Empty is known; None is not."""
    assert {"vllm": "1", "arguments": {}} == known(Factors(vllm="1", arguments={}))
    assert FACTORS == Factors(**known(FACTORS))


@pytest.mark.parametrize(
    ("without", "told"),
    [
        ({}, []),
        ({"vllm": None}, ["vllm or image"]),
        ({"vllm": None, "image": "sha256:1"}, []),
        ({"machine": None, "model": None}, ["machine", "model"]),
        ({"instructions": (), "arguments": {}}, []),
        ({"instructions": None, "arguments": None}, ["instructions", "arguments"]),
    ],
)
def test_what_must_be_known_and_is_not(without: dict[str, object], told: list[str]) -> None:
    """Known to be none is known."""
    assert told == unknown(replace(FACTORS, **without))


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("", ""),
        ("a", "a"),
        ("abc", "a; b; c"),
        ("abcd", "a; b; c, and 1 more"),
        ("abcdef", "a; b; c, and 3 more"),
    ],
)
def test_of_many_lines_the_first_are_said(lines: str, said: str) -> None:
    """And it is counted what is left."""
    assert said == briefly(lines)

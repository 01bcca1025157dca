"""Texts of others: what looks like a secret goes, and what explains a start stays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.core.secrets import Known, scrubbed, secrets_in
from tests.capture.planted import INNOCENT, TEXTS


@pytest.mark.parametrize("kind", TEXTS)
def test_a_secret_of_each_kind_goes(kind: str) -> None:
    """One of each, planted; something was counted, and what stands around it stays."""
    text, secrets = TEXTS[kind]

    clean, removed = scrubbed(text)

    assert [] == [secret for secret in secrets if secret in clean]
    assert removed.total() > 0
    assert text[:4] == clean[:4]


@pytest.mark.parametrize("text", INNOCENT)
def test_what_an_engine_prints_every_day_stays(text: str) -> None:
    """A log full of holes explains nothing."""
    assert (text, 0) == (scrubbed(text)[0], scrubbed(text)[1].total())


@given(
    planted=st.lists(st.sampled_from(sorted(TEXTS)), min_size=1, max_size=4),
    between=st.lists(st.sampled_from([*INNOCENT, "", '"', "'", "(", "}, {", "\\", "é✓", "\udc80"])),
    joint=st.sampled_from([" ", "\n", "; ", '", "', "  |  ", "\t"]),
)
def test_no_planted_secret_survives(planted: list[str], between: list[str], joint: str) -> None:
    """Whatever stands around them, and in whatever order."""
    pieces = [*between[::2], *(TEXTS[kind][0] for kind in planted), *between[1::2]]

    clean, _ = scrubbed(joint.join(pieces))

    assert [] == [s for kind in planted for s in TEXTS[kind][1] if s in clean]


@given(text=st.text(max_size=200))
def test_cleaning_twice_finds_nothing_new(text: str) -> None:
    """What is black is black; and no text makes it fail."""
    clean, _ = scrubbed(text)

    assert clean == scrubbed(clean)[0]


def test_a_secret_that_is_known_goes_wherever_it_stands() -> None:
    """An engine prints its key in a form nobody foresaw."""
    clean, removed = scrubbed("<<orange-elephant>>", Known(values=("orange-elephant",)))

    assert ("<<***>>", {"known secret": 1}) == (clean, dict(removed))


def test_the_secrets_of_a_text_are_found_for_looking_elsewhere() -> None:
    """A URL in a variable gives away the password that a log prints alone."""
    assert "me:pl4nt3d-p4ssw0rd" in secrets_in("redis://me:pl4nt3d-p4ssw0rd@cache/0")


@pytest.mark.parametrize(
    "piece",
    [
        "?",
        "?a=b&",
        "eyJ-",
        "://a:b//",
        "bearer ",
        "sig?",
        "api_key=[",
        "token: ",
        "key='\\'",
        "a.b-",
        "name=key,value='",
        "api_key: Optional[",
        "--api-key a ",
        "--api-key\n- a\n",
        "curl -u ",
        "redis-cli ",
        "login mysql ",
        "api_key={'",
        "('api_key', '",
        "api_key='\\\\\"",
        "\x1b[",
        "\x1b]",
        "\\u00",
        "token,a",
        "key\n-",
        "key |",
        "password='a'b",
        "[1;1;1;1",
        "%253",
    ],
)
def test_no_text_makes_it_slow(piece: str) -> None:
    """A hostile log line of two hundred thousand characters; the test's time is the bound."""
    assert scrubbed(piece * (200_000 // len(piece)))[0]


@pytest.mark.parametrize("word", ["secret", "API_KEY", "x" * 64])
def test_no_line_of_words_makes_it_deep(word: str) -> None:
    """A hundred thousand words after an option; each may be a key."""
    assert "--api-key" in scrubbed("--api-key" + f" {word}" * 2_000)[0]

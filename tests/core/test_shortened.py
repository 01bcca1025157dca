"""Sentences that name what somebody wrote."""

from firstlight.core.shortened import shortened


def test_a_long_word_is_cut_and_the_sentence_goes_on() -> None:
    """How it begins tells which it is."""
    assert f"--port {'1' * 200}… is no port" == shortened(f"--port {'1' * 5000} is no port")


def test_a_sentence_as_people_write_them_stays() -> None:
    """Also a long one."""
    sentence = "sleep mode is on. " * 100
    assert sentence == shortened(sentence)


def test_many_words_end_somewhere() -> None:
    """Nobody reads ten thousand of them."""
    assert 4001 == len(shortened("a " * 10_000))

"""The words of a script as a shell sees them, held against a real shell."""

import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.readers.shell_words import UnclosedQuote, commands

BASH = shutil.which("bash")
SHOW = "show() { for word; do printf '%s\\0' \"$word\"; done; }\n"


def texts(script: str) -> list[list[str]]:
    return [[word.text for word in command] for command in commands(script)]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("a b  c", [["a", "b", "c"]]),
        ("a \\\n  b", [["a", "b"]]),
        ("a\nb", [["a"], ["b"]]),
        ("a && b || c; d & e", [["a"], ["b"], ["c"], ["d"], ["e"]]),
        ("a | b", [["a"], ["b"]]),
        ("a >log 2>&1 b", [["a", "b"]]),
        ("a &>log b", [["a", "b"]]),
        ("a b # c\nd", [["a", "b"], ["d"]]),
        ("a b#c", [["a", "b#c"]]),
        ("a b \\\n  # c \\\nd", [["a", "b"], ["d"]]),
        ("a 'b c' \"d e\"", [["a", "b c", "d e"]]),
        ("a b\\ c", [["a", "b c"]]),
        ('a "b \\" c"', [["a", 'b " c']]),
        ("a --x='{\"k\": 1}'", [["a", '--x={"k": 1}']]),
        ("cat <<EOF >f\nvllm serve no\nEOF\na b", [["cat"], ["a", "b"]]),
        ("cat <<-'EOF'\n\tx\n\tEOF\na", [["cat"], ["a"]]),
        ("a <<<word b", [["a", "b"]]),
        ("(cd /x; a b)", [["cd", "/x"], ["a", "b"]]),
        ("a $(b c; d) e", [["a", "$(b c; d)", "e"]]),
        ("a `b c` e", [["a", "`b c`", "e"]]),
        ("a ${B:-c d} e", [["a", "${B:-c d}", "e"]]),
        ("a <(b c) d", [["a", "d"]]),
        ("if a; then b; fi", [["if", "a"], ["then", "b"], ["fi"]]),
    ],
)
def test_words_are_cut_as_a_shell_cuts_them(script: str, expected: list[list[str]]) -> None:
    """Quotes, continued lines, comments, operators, redirections, here documents."""
    assert expected == texts(script)


@pytest.mark.parametrize("script", ["a 'b", 'a "b', "a $(b", "a `b", "a ${b"])
def test_a_script_that_no_shell_would_run_is_refused(script: str) -> None:
    """Guessing where the quote ends would change what stands behind it."""
    with pytest.raises(UnclosedQuote):
        commands(script)


@pytest.mark.parametrize("word", ["$X", "${X}", "$(x)", "`x`", "$@", '"$@"', '"${A[@]}"', "$X$Y"])
def test_a_word_that_is_only_a_variable_may_be_any_words(word: str) -> None:
    """Also a quoted one, where the shell makes several of it."""
    assert [True] == [found.open for found in commands(f"a {word}")[0][1:]]


@pytest.mark.parametrize("word", ['"$X"', "--x=$X", "a$X", "'$X'", "plain"])
def test_a_word_with_something_fixed_in_it_is_one_word(word: str) -> None:
    """What it is exactly may still not be known."""
    assert [False] == [found.open for found in commands(f"a {word}")[0][1:]]


def test_a_word_says_where_it_stands() -> None:
    """Whoever changes it changes nothing beside it."""
    script = 'x; exec vllm serve "a b" \\\n  --port 1'

    assert ["exec", "vllm", "serve", '"a b"', "--port", "1"] == [
        script[word.start : word.end] for word in commands(script)[1]
    ]


pieces = st.lists(
    st.one_of(
        st.text("ab-=./#", min_size=1, max_size=4),
        st.builds(lambda t: f"'{t}'", st.text('a b"#\\', max_size=4)),
        st.builds(lambda t: f'"{t}"', st.text("a b'#", max_size=4)),
        st.sampled_from(["\\ ", "\\'", '\\"', "\\\n"]),
    ),
    max_size=4,
).map("".join)
scripts = st.lists(pieces, max_size=5).flatmap(
    lambda words: st.sampled_from([" ", "  ", " \\\n  ", "\t"]).map(lambda gap: gap.join(words))
)


@pytest.mark.skipif(BASH is None, reason="no bash here")
def test_bash_cuts_the_same_words() -> None:
    """Whatever is quoted, escaped and continued, the real shell agrees."""
    examples = list[str]()

    @given(scripts)
    def collect(words: str) -> None:
        examples.append(f"show {words}")

    collect()
    # One shell for all: a process for each would take minutes.
    whole = SHOW + "".join(f"{e}\n\nprintf '\\1'\n" for e in examples)
    done = subprocess.run([str(BASH), "-c", whole], capture_output=True, check=True, text=True)
    shown = [part.split("\0")[:-1] for part in done.stdout.split("\1")[:-1]]

    assert len(examples) > 20
    for example, words in zip(examples, shown, strict=True):
        assert words == texts(example)[0][1:]


@pytest.mark.parametrize("blank", ["\u00a0", "\x0b", "\x0c", "\x1c", "\x85", "\u2003", "\u3000"])
def test_white_space_that_a_shell_does_not_know_is_a_letter(blank: str) -> None:
    """A no-break space out of a chat is a part of the word, and ends it for nobody."""
    assert [["a", f"b{blank}c", blank]] == texts(f"a b{blank}c {blank}")


@given(st.text(st.one_of(st.sampled_from("ab \t\r\n\\'\"$`;|&()<>{}#-=0\u00a0\x0b\x0c\x85\u2028"))))
def test_every_script_is_read_to_its_end_or_refused(script: str) -> None:
    """Each word stands in the script where it says that it does, and behind the one before it."""
    try:
        found = [word for command in commands(script) for word in command]
    except UnclosedQuote:
        return
    assert [word.source for word in found] == [script[w.start : w.end] for w in found]
    assert sorted(w.start for w in found) == [w.start for w in found]


@pytest.mark.parametrize(
    "script",
    ["a " + "\\b" * 300_000, 'a "' + "b\\$" * 200_000 + '"', 'a "${B}' + "c" * 300_000 + '"'],
)
def test_a_word_takes_no_longer_than_it_is_long(script: str) -> None:
    """Someone's certificate in a script is half a million characters without a blank."""
    assert 2 == len(texts(script)[0])

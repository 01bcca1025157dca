"""YAML and JSON with the line that each value begins in, as kubectl reads it."""

import json
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from firstlight.core.errors import BadInput
from firstlight.readers.json_pointer import token
from firstlight.readers.manifest_text import LARGEST_BYTES
from firstlight.readers.marked_yaml import MarkedDocument, marked_documents
from firstlight.readers.yaml_scalars import is_plain_text, plain_value

HEAD = "apiVersion: v1\nkind: Thing\nmetadata:\n  name: a\n"
WORDS = [
    *(
        "yes",
        "Yes",
        "no",
        "NO",
        "on",
        "off",
        "y",
        "n",
        "true",
        "FALSE",
        "null",
        "~",
        "0777",
        "08",
        "0o17",
        "0O17",
        "1e3",
        "1.5e3",
        "1e21",
        "1:30",
        "2020-01-01",
    ),
    *(
        "0b11",
        "-0b11",
        "+12",
        "1_000",
        "0x_1F",
        "0X1f",
        "_1",
        ".5",
        "5.",
        "-0",
        "-0.0",
        "-9223372036854775808",
        "9223372036854775807",
    ),
    *(
        "1e400",
        "0x",
        "+",
        "-",
        "1_",
        "1.0",
        "=",
        "0.1",
        "1e-7",
        "0_7",
        "0b12",
        ".e1",
        "1e",
        "1.2.3",
        "10.0.0.1",
        "8Gi",
        "500m",
        "1__0",
        "-.5",
        "+.5E-3",
        "0.0",
        "00",
    ),
    *(
        "123456789012345678",
        "nan",
        "inf",
        "Null",
        "tRue",
        "--x",
        "./a",
        "9" * 5000,
        "0x1p4",
        "1_000.5",
        "-1_0",
    ),
]


def read(text: str) -> tuple[MarkedDocument, ...]:
    return marked_documents("vllm.yaml", text.encode())


def value(text: str) -> Any:
    (document,) = read(text)
    return document.value


def refused(text: str | bytes) -> str:
    """The sentence, which ends without a period and has a remedy."""
    with pytest.raises(BadInput) as caught:
        marked_documents("vllm.yaml", text if isinstance(text, bytes) else text.encode())
    assert caught.value.remedy
    assert not caught.value.message.endswith(".")
    return caught.value.message


@pytest.mark.timeout(30)
def test_words_are_what_they_are_to_kubectl(kubectl_binary: Path) -> None:
    """A real kubectl turns the same words into JSON."""
    thing = HEAD + "words:\n" + "".join(f"  - {word}\n" for word in WORDS)
    done = subprocess.run(
        [kubectl_binary, "label", "--local", "-f", "-", "a=b", "-o", "json"],
        input=thing.encode(),
        capture_output=True,
        check=True,
    )

    mine = value(thing)["words"]

    for word, theirs, ours in zip(WORDS, json.loads(done.stdout)["words"], mine, strict=True):
        assert (word, theirs) == (word, ours)
        assert isinstance(theirs, bool) is isinstance(ours, bool), word


def test_a_number_without_json_is_refused() -> None:
    """As kubectl does."""
    assert ".inf is no number that JSON has" in refused("a: .inf\n")
    assert "line 2" in refused("a: 1\nb: .NaN\n")


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_a_plain_text_is_itself(text: str) -> None:
    """Whatever may be written without quotes is read as the same text."""
    if is_plain_text(text):
        assert text == plain_value(text)
        assert {"a": [text]} == value(f"a:\n- {text}\n")


def test_lines_are_those_of_an_editor() -> None:
    """From 1, over all documents; a letter that YAML takes for a line's end is none."""
    text = "# a comment\na:\n  - x: 'é\u2028'\n    y/z: |\n      text\n  - {p: q}\n---\n\nb: 1\n"

    first, second = read(text)

    assert {
        "": 2,
        "/a": 3,
        "/a/0": 3,
        "/a/0/x": 3,
        "/a/0/y~1z": 4,
        "/a/1": 6,
        "/a/1/p": 6,
    } == first.lines
    assert {"": 9, "/b": 9} == second.lines
    assert 9 == second.line


@given(
    st.lists(st.dictionaries(st.sampled_from("abc~/"), st.integers(0, 9), min_size=1), max_size=5),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from(["", "\ufeff"]),
)
def test_every_value_has_its_line(documents: list[dict[str, int]], end: str, mark: str) -> None:
    """However lines end, and whether or not an editor put a mark in front."""
    text, expected, line = "", [], 1
    for document in documents:
        text, line = text + "---\n", line + 1
        lines = {"": line}
        for key, number in document.items():
            text += f"{key}: {number}\n" if key != "~" else f'"~": {number}\n'
            lines[f"/{token(key)}"], line = line, line + 1
        expected.append((document, lines))

    found = marked_documents("x", (mark + text.replace("\n", end)).encode())

    assert expected == [(one.value, one.lines) for one in found]


def test_json_has_lines_too() -> None:
    """Also several documents behind one another, escaped emojis, and lines of one document."""
    text = '{"a":\n {"b": "\\ud83d\\ude00", "c": "\\\\ud83d\\\\ude00", "d": "a\\/b"}}\n{"e": 1e3}'

    first, second = read(text)

    assert {"a": {"b": "😀", "c": r"\ud83d\ude00", "d": "a/b"}} == first.value
    assert {"": 1, "/a": 2, "/a/b": 2, "/a/c": 2, "/a/d": 2} == first.lines
    assert ({"e": 1000}, {"": 3, "/e": 3}) == (second.value, second.lines)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**62), 2**62) | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=8,
    )
)
@example("\x7f\x85\u2028\ufeff\uffff")
@settings(max_examples=40)
def test_any_json_is_read_as_json_reads_it(inner: Any) -> None:
    """Escapes, and letters that YAML takes for something else."""
    assert {"v": inner} == value(json.dumps({"v": inner}))
    assert {"v": inner} == value(json.dumps({"v": inner}, indent=2, ensure_ascii=False))


@pytest.mark.parametrize("text", ["", "---\n---\n", "# nothing\n", "~\n---\nnull\n"])
def test_nothing_is_no_document(text: str) -> None:
    """Charts leave such documents where a condition was false."""
    assert () == read(text)


def test_anchors_and_merges() -> None:
    """A key of its own wins over a merged one, and the first map over the second."""
    text = "a: &a {p: 1, q: 2}\nb: &b {q: 3, r: 4}\nc:\n  <<: [*a, *b]\n  r: 5\nd: *a\n"

    document = read(text)[0]

    assert {"p": 1, "q": 2, "r": 5} == document.value["c"]
    assert {"p": 1, "q": 2} == document.value["d"]
    assert (5, 1) == (document.lines["/c/r"], document.lines["/c/p"])


def test_a_merge_that_readers_disagree_on_is_refused() -> None:
    """kubectl takes the merged value, and kustomize the one that stands in front."""
    assert "line 4: q stands before << brings it again" in refused(
        "a: &a {q: 1}\nc:\n  q: 2\n  <<: *a\n"
    )


def test_explicit_tags() -> None:
    """Those of JSON's types; quotes make a text."""
    assert ["5", 5, "5", "x"] == value('- !!str 5\n- !!int "5"\n- "5"\n- ! x\n')
    assert "!Ref means nothing" in refused("a: !Ref b\n")
    assert "!!binary means nothing" in refused("a: !!binary aGVsbG8=\n")


def test_keys_are_texts() -> None:
    """As in JSON, and in the spelling that kubectl gives them."""
    assert {"1": "a", "true": "b", "1.5": "c"} == value("1: a\nyes: b\n1.5: c\n")
    assert "a key is empty" in refused("~: a\n")
    assert "a key is a list or a map" in refused("? [a]\n: b\n")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: 1\nb: 2\na: 3\n", "line 3: a stands there a second time"),
        ("a:\n  b: 1\n  'b': 2\n", "line 3: b stands there a second time"),
        ("a: 1\nb:\n\tc: 2\n", "line 3: it is indented with a tab"),
        ("a: 1\nb: [1, 2\nc: 3\n", "line 3: did not find"),
        ("a: 'x\n", "line 1: found unexpected end"),
        ("a: *b\n", "line 1: found undefined alias"),
        ('{"a": 1,\n "b": }}', "line 2"),
        ("a: &a [*a]\n", "line 1: a value holds itself"),
        ("a: &a {<<: *a}\n", "line 1: a value holds itself"),
        ("a: {<<: 1}\n", "line 1: only maps can be merged"),
        ("- " * 100_000, "line 1: exceeded maximum nesting depth"),
        ("[" * 100_000, "line 1: exceeded maximum nesting depth"),
    ],
)
def test_what_is_wrong_has_its_line(text: str, words: str) -> None:
    """And says which file."""
    sentence = refused(text)

    assert words in sentence
    assert sentence.startswith("vllm.yaml is no YAML that Kubernetes takes")


def test_a_small_file_makes_no_large_one() -> None:
    """Ten aliases of ten aliases, nine times."""
    chain = list(pairwise("abcdefghi"))
    levels = [f"{b}: &{b} [{', '.join([f'*{a}'] * 10)}]\n" for a, b in chain]
    merges = [f"{b}: &{b} {{<<: [{', '.join([f'*{a}'] * 10)}]}}\n" for a, b in chain]

    assert "aliases repeat more than" in refused("a: &a [1]\n" + "".join(levels))
    assert "aliases repeat more than" in refused("a: &a {x: 1}\n" + "".join(merges))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\x89PNG\r\n\x00\x00", "vllm.yaml is binary"),
        (b"\x1f\x8b\x08rest", "vllm.yaml is compressed"),
        ("a: b\n".encode("utf-16"), "vllm.yaml is UTF-16"),
        (b"a: b\nc: \xff\n", "vllm.yaml is not UTF-8 in line 2"),
        (b"a: b\nc: \x1b[31m\n", "vllm.yaml holds the character U+001B in line 2"),
        (b"#" * (LARGEST_BYTES + 1), "vllm.yaml holds over 16 MiB"),
    ],
)
def test_what_is_no_text_is_called_by_its_name(data: bytes, words: str) -> None:
    """Before any parser chokes on it."""
    assert words in refused(data)


@pytest.mark.parametrize(
    "text",
    [
        HEAD + "image: {{ .Values.image }}\n",
        HEAD + "{{- if .Values.on }}\nz: 1\n{{- end }}\n",
        HEAD + 'labels:\n  {{- include "x.labels" . | nindent 2 }}\n',
    ],
)
def test_a_template_is_told_from_broken_yaml(text: str) -> None:
    """By its first action that stands where YAML has none."""
    with pytest.raises(BadInput) as caught:
        read(text)

    line = 1 + text[: text.index("{{")].count("\n")
    assert (
        f"vllm.yaml is a Helm template, line {line}: it has no values yet" == caught.value.message
    )
    assert "helm template RELEASE CHART` into `-`" in caught.value.remedy


def test_braces_in_texts_are_no_template() -> None:
    """A chat template, a comment, and YAML that is broken for another reason."""
    chat = "a: |\n  {% for m in ms %}{{ m.text }}{% endfor %}\nb: '{{ x }}'\n# {{ .Values.x }}\n"

    assert "{{ x }}" == value(chat)["b"]
    assert "line 5" in refused(chat + "c: [1\n")


@given(
    st.lists(
        st.sampled_from(
            [
                *(
                    "a",
                    ": ",
                    "- ",
                    "&a ",
                    "*a",
                    "<<: ",
                    "\n",
                    "\n  ",
                    "'",
                    '"',
                    "|\n",
                    "[",
                    "]",
                    "{",
                ),
                *("}", "#", "!x ", "---\n", "{{", "}}", "\t", "?", "~", "0x", "\\", "%", "\x00"),
            ]
        ),
        max_size=12,
    ).map("".join)
    | st.binary(max_size=20)
)
def test_anything_is_read_or_refused(data: str | bytes) -> None:
    """In one sentence; never by an exception of somebody else's."""
    data = data if isinstance(data, bytes) else data.encode()
    try:
        found = marked_documents("x", data)
    except BadInput:
        assert "\n" not in refused(data)
    else:
        assert all(one.line >= 1 for one in found)

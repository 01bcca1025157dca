"""YAML that every reader of YAML reads alike."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from firstlight.readers.marked_yaml import marked_documents
from firstlight.readers.yaml_text import document_text

AMBIGUOUS = [
    *("yes", "No", "on", "OFF", "y", "n", "true", "False", "null", "~", "", "=", "<<"),
    *("1", "-1", "1.0", "1e3", "1E3", ".5", "0x1F", "0o17", "0777", "0b1", "1_000", "+1", "0x_1"),
    *("2020-01-01", "2020-01-01T00:00:00Z", "1:30", "12:30:45", ".inf", "-.INF", ".nan"),
    *("- a", "-", "a: b", "a #b", "# a", "a:", "?", ": ", "&a", "*a", "!a", "%a", "@a", "`a"),
    *("---", "...", "[a", "{a", "'a'", '"a"', " a", "a ", "\ta", "a\tb", "a\\nb", "\u00e9"),
    *(
        "a\nb",
        "a\nb\n",
        "a\n\nb\n\n",
        "\na",
        " a\nb",
        "a\n b",
        "a\n \nb",
        "a\u2028b",
        "\x85",
        "\x7f",
    ),
    *("${X}", "--load-format=runai_streamer", "8Gi", "500m", "nvidia.com/gpu", "a\r\nb", "\ufeffa"),
]

texts = st.text(st.characters(exclude_categories=["Cs"])) | st.sampled_from(AMBIGUOUS)
keys = texts.filter(lambda key: len(key) < 100)
scalars = (
    st.none()
    | st.booleans()
    | st.integers(min_value=-(2**63), max_value=2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False).filter(lambda x: not x.is_integer())
    | texts
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=12,
)


@given(values)
@settings(max_examples=60)
def test_what_is_written_is_read_again(value: Any) -> None:
    """As kubectl reads it, whatever texts it holds."""
    written = document_text({"value": value})

    (document,) = marked_documents("written", written.encode())

    assert {"value": value} == document.value


@given(values)
@settings(max_examples=60)
def test_another_reader_of_yaml_reads_the_same(value: Any) -> None:
    """PyYAML takes dates and sexagesimals for what they look like, unless they are in quotes."""
    assert {"value": value} == yaml.load(document_text({"value": value}), Loader=yaml.CSafeLoader)


@pytest.mark.timeout(30)
def test_kubectl_and_kustomize_read_the_same(kubectl_binary: Path, tmp_path: Path) -> None:
    """One reads YAML 1.1, the other 1.2: every word that they could disagree on."""
    # kustomize fails on these, or writes them wrongly, however they were given.
    words = [text for text in AMBIGUOUS if not {"\r", "\x7f", "\x85"} & {*text}]
    thing = {
        "apiVersion": "example.com/v1",
        "kind": "Thing",
        "metadata": {"name": "a"},
        "spec": {
            "texts": words,
            "keys": {t: t for t in words if t not in {"", "<<"} and t.isascii()},
            "numbers": [1, -1, 1.5, 1e-7, 1.5e-300, 123456789.25],
        },
    }
    (tmp_path / "thing.yaml").write_text(document_text(thing))
    (tmp_path / "kustomization.yaml").write_text(document_text({"resources": ["thing.yaml"]}))

    def read(*arguments: str | Path) -> bytes:
        done = subprocess.run([kubectl_binary, *arguments], capture_output=True, check=True)
        return done.stdout

    file = tmp_path / "thing.yaml"
    printed = json.loads(read("label", "--local", "-f", file, "a=b", "-o", "json"))
    assert thing["spec"] == printed["spec"]
    (built,) = marked_documents("built", read("kustomize", tmp_path))
    assert thing["spec"] == built.value["spec"]


def test_it_reads_well() -> None:
    """Blocks, no folds, quotes only where they are needed."""
    container = {
        "name": "vllm",
        "command": ["sh", "-c", "exec vllm serve \\\n  --port 8000\n"],
        "args": ["--port", "8000", "--x=y"],
        "env": [{"name": "A", "value": "yes"}],
        "empty": {"map": {}, "list": []},
        "nested": [["a", "b"], [{"c": None}]],
    }

    assert """\
name: vllm
command:
- sh
- -c
- |
  exec vllm serve \\
    --port 8000
args:
- --port
- "8000"
- --x=y
env:
- name: A
  value: "yes"
empty:
  map: {}
  list: []
nested:
- - a
  - b
- - c: null
""" == document_text(container)


def test_what_json_has_not_is_a_mistake() -> None:
    """Nothing is written that would be read as something else."""
    with pytest.raises(TypeError, match="bytes"):
        document_text({"a": b"x"})
    with pytest.raises(ValueError, match="JSON"):
        document_text({"a": float("nan")})

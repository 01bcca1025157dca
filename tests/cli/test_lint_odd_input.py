"""
What is no set of manifests, is a huge one, or holds one wrong line, given to `lint` in each way.

A file, a folder, standard input: the same sentence, with the line, and the same exit code.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from firstlight.readers.manifest_text import LARGEST_BYTES
from tests.cli.console import firstlight, said

pytestmark = pytest.mark.timeout(60)
"""Processes, on a machine that others use too; alone, each takes less than a second."""

OBJECT = "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c{}}}\ndata: {{a: b}}\n---\n"
MANY = "".join(OBJECT.format(number) for number in range(5_000))
"""Five thousand documents, in 25,000 lines."""
ENGINE = """\
apiVersion: v1
kind: Pod
metadata: {name: llm}
spec:
  containers:
  - name: engine
    image: vllm/vllm-openai:latest
    args: [--model, /models/m]
    resources: {limits: {nvidia.com/gpu: 1}}
"""
TEMPLATE = "apiVersion: v1\nkind: Service\nmetadata:\n  name: {{ .Release.Name }}-llm\n"
WRONG = {
    "broken": ("a: [\n", ["line 1:"]),
    "broken in the last of many": (MANY + "kind: [\n", ["line 25001:"]),
    "a template": (TEMPLATE, ["line 4:"]),
    "a template behind many": (MANY + TEMPLATE, ["line 25004:"]),
    "a pod of another form behind many": (
        MANY + ENGINE.replace("[--model, /models/m]", "--model=m"),
        ["line 25008:"],
    ),
    "nested without end": ("a: " + "[" * 50_000, ["line 1:"]),
    "one name twice": (MANY + OBJECT.format(7).replace("a: b", "a: c"), ["line 36", "line 25001"]),
}


def as_file(text: str, folder: Path) -> tuple[list[str | Path], bytes]:
    (path := folder / "given.yaml").write_text(text)
    return [path], b""


def in_folder(text: str, folder: Path) -> tuple[list[str | Path], bytes]:
    (folder / "a.yaml").write_text(OBJECT.format("-beside"))
    (folder / "given.yaml").write_text(text)
    return [folder], b""


def on_stdin(text: str, _folder: Path) -> tuple[list[str | Path], bytes]:
    return ["-"], text.encode()


WAYS = pytest.mark.parametrize("way", [as_file, in_folder, on_stdin])
Way = Callable[[str, Path], tuple[list[str | Path], bytes]]


@WAYS
@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_one_sentence_with_its_line(name: str, way: Way, tmp_path: Path) -> None:
    """Behind it what to do; nothing on standard output, and code 2."""
    text, places = WRONG[name]
    words, stdin = way(text, tmp_path)

    done = firstlight("lint", *words, stdin=stdin)

    assert (2, b"") == (done.returncode, done.stdout)
    sentence, remedy = said(done).splitlines()
    assert sentence.startswith("firstlight: ")
    assert all(place in sentence for place in places), sentence
    assert remedy.startswith("  ")


@pytest.mark.parametrize("way", [as_file, on_stdin])
@pytest.mark.parametrize(
    ("text", "place"), [("replicas: 3\n", "line 1"), (MANY + "hello\n", "line 25001")]
)
def test_what_is_not_kubernetes_is_refused_with_its_line(
    text: str, place: str, way: Way, tmp_path: Path
) -> None:
    """A values file by itself, or a word behind five thousand objects."""
    words, stdin = way(text, tmp_path)

    done = firstlight("lint", *words, stdin=stdin)

    assert (2, b"") == (done.returncode, done.stdout)
    sentence, _ = said(done).splitlines()
    assert place in sentence


def test_in_a_folder_what_is_not_kubernetes_is_left_out_and_said(tmp_path: Path) -> None:
    """A chart's values lie beside manifests; with nothing beside them, they are refused."""
    (tmp_path / "values.yaml").write_text("\nreplicas: 3\n")

    alone = firstlight("lint", tmp_path)
    (tmp_path / "engine.yaml").write_text(ENGINE)
    beside = firstlight("lint", tmp_path)

    assert (2, b"") == (alone.returncode, alone.stdout)
    assert f"the folder {tmp_path} holds no Kubernetes object" in said(alone)
    assert 1 == beside.returncode, said(beside)
    assert f"{tmp_path}/values.yaml line 2 is left out" in beside.stdout.decode()


@WAYS
def test_many_documents_are_judged(way: Way, tmp_path: Path) -> None:
    """An engine behind five thousand objects is found, with its line."""
    words, stdin = way(MANY + ENGINE, tmp_path)

    done = firstlight("lint", *words, "--rule", "image-tag-moves", stdin=stdin)

    assert 1 == done.returncode, said(done)
    assert ":25007: warning image-tag-moves: " in done.stdout.decode()


@WAYS
def test_a_line_of_three_megabytes_is_read(way: Way, tmp_path: Path) -> None:
    """Somebody's model card in a ConfigMap, in front of an engine."""
    long = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: " + "x" * 3_000_000
    words, stdin = way(long + "}\n---\n" + ENGINE, tmp_path)

    done = firstlight("lint", *words, "--rule", "image-tag-moves", stdin=stdin)

    assert 1 == done.returncode, said(done)
    assert ":12: warning image-tag-moves: " in done.stdout.decode()


@WAYS
def test_more_than_anybody_writes_is_refused_unread(way: Way, tmp_path: Path) -> None:
    """Thirty megabytes: it has no line, so the size is said."""
    words, stdin = way("#" * 30_000_000, tmp_path)

    done = firstlight("lint", *words, stdin=stdin)

    assert (2, b"") == (done.returncode, done.stdout)
    sentence, _ = said(done).splitlines()
    assert "holds over 16 MiB" in sentence


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_largest_that_is_taken_is_judged() -> None:
    """Sixteen megabytes of objects, one engine among them."""
    one = OBJECT.replace("a: b", f"a: {'x' * 900}")
    count = LARGEST_BYTES // (len(one) + len("10000")) - 1
    text = "".join(one.format(number) for number in range(count)) + ENGINE

    done = firstlight("lint", "-", "--rule", "image-tag-moves", stdin=text.encode())

    assert 0.95 * LARGEST_BYTES < len(text) <= LARGEST_BYTES
    assert 1 == done.returncode, said(done)
    assert f":{5 * count + 7}: warning image-tag-moves: " in done.stdout.decode()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([""], "an empty text is the name of no file and no folder"),
        ([".", "--start-p95-s", "1e300"], "is not in the range"),
        ([".", "--nat-price-per-gb", "1e300"], "is not in the range"),
        ([".", "--model-size", "9" * 5000 + "GB"], f"--model-size {'9' * 200}… is no size"),
        ([".", "--rule", ""], "an empty text is the name of no rule"),
        ([".", "--ignore", "=why"], "--ignore '=why' names no rule"),
    ],
)
def test_an_option_that_says_nothing_is_refused(
    arguments: list[str], expected: str, tmp_path: Path
) -> None:
    """In a sentence, and not by what a number does later."""
    (tmp_path / "given.yaml").write_text(ENGINE)

    done = firstlight("lint", *(str(tmp_path) if one == "." else one for one in arguments))

    assert 2 == done.returncode
    assert expected in said(done)

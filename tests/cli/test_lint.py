"""`firstlight lint` as a process: what goes in, what comes out, and with which exit code."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.cli.console import firstlight, said

pytestmark = pytest.mark.timeout(60)

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "docs" / "rules" / "examples"
BAD = EXAMPLES / "image-tag-moves" / "bad.yaml"
GOOD = EXAMPLES / "image-tag-moves" / "good.yaml"
NOTE = EXAMPLES / "coarse-startup-probe" / "bad.yaml"
INTENTS = sorted((ROOT / "examples" / "render").glob("*.yaml"))


def linted(*arguments: str | Path, code: int = 0, stdin: bytes = b"") -> dict[str, Any]:
    """The document, with the exit code that is expected."""
    done = firstlight("lint", *arguments, "--output", "json", stdin=stdin)
    assert code == done.returncode, said(done)
    assert "" == said(done)
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def codes(document: dict[str, Any]) -> list[str]:
    return [one["code"] for one in document["findings"]]


def test_a_finding_is_a_line_that_editors_know() -> None:
    """File, line, severity, code; below it the place in the object, and what to do."""
    done = firstlight("lint", BAD)

    assert 1 == done.returncode, said(done)
    first, path, remedy, *_, last = done.stdout.decode().splitlines()
    line = 1 + BAD.read_text().splitlines().index(
        next(one for one in BAD.read_text().splitlines() if "image:" in one)
    )
    assert first.startswith(f"{BAD}:{line}: warning image-tag-moves: ")
    assert path.startswith("  deployment/")
    assert path.endswith("].image")
    assert remedy.startswith("  → ")
    assert last.startswith("1 warning in ")
    assert last.endswith("; why: firstlight lint --explain image-tag-moves")


def test_a_clean_file_says_what_was_looked_at() -> None:
    """So that nobody takes an empty folder for a clean one."""
    done = firstlight("lint", GOOD)

    assert (0, "") == (done.returncode, said(done))
    assert "nothing found in 1 object with 1 engine\n" == done.stdout.decode()


def test_no_engine_at_all_is_said() -> None:
    """Nothing was found, because there was nothing to look at."""
    done = firstlight("lint", "-", stdin=b"apiVersion: v1\nkind: Service\nmetadata: {name: a}\n")

    assert 0 == done.returncode
    assert "no container here is seen to run vLLM" in done.stdout.decode()


@pytest.mark.parametrize(
    ("example", "threshold", "code"),
    [
        (BAD, "error", 0),
        (BAD, "warning", 1),
        (BAD, "note", 1),
        (NOTE, "warning", 0),
        (NOTE, "note", 1),
    ],
)
def test_the_severity_decides_about_the_exit_code(example: Path, threshold: str, code: int) -> None:
    """And about nothing else: all is shown."""
    document = linted(example, "--severity", threshold, code=code)

    assert [example.parent.name] == codes(document)


def test_only_some_rules() -> None:
    """Each by its code; one that is not there is refused with the nearest."""
    document = linted(BAD, "--rule", "coarse-startup-probe", "--rule", "streamer-memory")
    refused = firstlight("lint", BAD, "--rule", "image-tag-move")

    assert ["coarse-startup-probe", "streamer-memory"] == document["rules"]
    assert [] == document["findings"]
    assert 2 == refused.returncode
    assert "did you mean image-tag-moves?" in said(refused)


def test_a_rule_is_set_aside_with_a_reason() -> None:
    """It is counted, and shown when asked for."""
    reason = "image-tag-moves=one node, pulled by hand"
    document = linted(BAD, "--ignore", reason)
    done = firstlight("lint", BAD, "--ignore", reason, "--show-suppressed")

    assert 1 == document["counts"]["suppressed"]
    assert ("one node, pulled by hand", "--ignore") == (
        document["suppressed"][0]["reason"],
        document["suppressed"][0]["by"],
    )
    assert "set aside by --ignore: one node, pulled by hand" in done.stdout.decode()
    assert "1 set aside" in firstlight("lint", BAD, "--ignore", reason).stdout.decode()


@pytest.mark.parametrize("given", ["image-tag-moves", "image-tag-moves=", "image-tag-moves=  "])
def test_without_a_reason_it_is_refused(given: str) -> None:
    """On the command line as in a file."""
    done = firstlight("lint", BAD, "--ignore", given)

    assert 2 == done.returncode
    assert "gives no reason" in said(done)


def test_a_comment_and_an_annotation_work_in_files(tmp_path: Path) -> None:
    """Each file has its own comments."""
    lines = BAD.read_text().replace("image: ", "image:  ").splitlines()
    at = next(i for i, line in enumerate(lines) if "image: " in line)
    lines[at] += " # firstlight: ignore image-tag-moves: a test bench"
    (tmp_path / "a.yaml").write_text("\n".join(lines))
    (tmp_path / "b.yaml").write_text(BAD.read_text().replace("  name: ", "  name: other-", 1))

    document = linted(tmp_path, code=1)

    assert ["a test bench"] == [one["reason"] for one in document["suppressed"]]
    assert [str(tmp_path / "b.yaml")] == [one["artefact"] for one in document["findings"]]


def test_a_pair_may_stand_in_two_files(tmp_path: Path) -> None:
    """The two are one set of objects."""
    documents = (EXAMPLES / "service-named-vllm" / "bad.yaml").read_text().split("---\n")
    for number, text in enumerate(documents):
        (tmp_path / f"{number}.yaml").write_text(text)
    files = sorted(tmp_path.iterdir())

    assert ["service-named-vllm"] == codes(linted(*files, code=1))
    assert {"service-named-vllm"} != set(codes(linted(files[0])))


def test_what_two_files_say_otherwise_is_refused(tmp_path: Path) -> None:
    """With both places."""
    other = tmp_path / "other.yaml"
    other.write_text(BAD.read_text().replace("image: ", "image: x"))

    done = firstlight("lint", BAD, other)

    assert 2 == done.returncode
    assert f"is there twice and not the same: {BAD} line 1 and {other} line 1" in said(done)


@pytest.mark.parametrize("intent", INTENTS, ids=[path.stem for path in INTENTS])
def test_what_render_writes_is_clean(intent: Path) -> None:
    """Every step; notes tell of what later steps bring."""
    document = linted(intent)

    assert {"error": 0, "warning": 0} == {
        severity: document["counts"][severity] for severity in ("error", "warning")
    }
    assert 0 < document["objects"]
    assert all(one["steps"] for one in document["findings"])


def test_a_finding_of_steps_names_them() -> None:
    """Once, however many steps have it."""
    done = firstlight("lint", INTENTS[-1], "--rule", "compile-cache-in-container")

    first = done.stdout.decode().splitlines()[0]
    assert first.startswith(f"{INTENTS[-1]} steps 0-1 deployment/vllm: note ")


def test_an_intent_is_given_alone() -> None:
    """Its steps have the same names as each other."""
    done = firstlight("lint", INTENTS[-1], BAD)

    assert 2 == done.returncode
    assert "is an intent" in said(done)


def test_what_manifests_cannot_tell_is_stated() -> None:
    """And stands in the document."""
    document = linted(
        *(EXAMPLES / "startup-budget-below-p95" / "bad.yaml", "--start-p95-s", "350"),
        *("--model-size", "33.5GB", "--nat-price-per-gb", "0.045"),
        code=1,
    )

    assert "startup-budget-below-p95" in codes(document)
    assert {
        "start_p95_s": 350.0,
        "start_p95_count": None,
        "model_bytes": 33_500_000_000,
        "nat_price_per_gb": 0.045,
        "policies_enforced": None,
    } == document["stated"]


def test_the_p95_comes_from_measured_starts() -> None:
    """With how many they are: the cold baseline of the reference case is one."""
    records = ROOT / "examples" / "reference-case" / "cold-baseline"

    document = linted(
        EXAMPLES / "startup-budget-below-p95" / "bad.yaml", "--records", records, code=1
    )

    assert "startup-budget-below-p95" in codes(document)
    assert 100 < document["stated"]["start_p95_s"] < 428
    assert 1 == document["stated"]["start_p95_count"]
    (note,) = [one for one in document["notes"] if "p95" in one]
    assert "the longest of 1 start measured: a p95 needs 20" in note


def test_of_an_intent_too_it_is_said_of_how_many_starts_the_p95_is() -> None:
    """What the intent states by itself is of nobody knows how many."""
    records = ROOT / "examples" / "reference-case" / "cold-baseline"

    measured = linted(INTENTS[-1], "--records", records)["stated"]
    stated = linted(INTENTS[-1])["stated"]

    assert 1 == measured["start_p95_count"]
    assert measured["start_p95_s"] != stated["start_p95_s"]
    assert None is stated["start_p95_count"]


def test_a_p95_that_may_be_another_engines_is_said_to_be_unused(tmp_path: Path) -> None:
    """Two models, and one number."""
    text = (EXAMPLES / "startup-budget-below-p95" / "bad.yaml").read_text(encoding="utf-8")
    assert "name: qwen\n" in text
    assert "s3://models/qwen3-8b" in text
    other = text.replace("name: qwen\n", "name: llama\n").replace("qwen3-8b", "llama")
    both = tmp_path / "both.yaml"
    both.write_text(f"{text}\n---\n{other}", encoding="utf-8")

    document = linted(both, "--start-p95-s", "350")

    assert "startup-budget-below-p95" not in codes(document)
    (note,) = [one for one in document["notes"] if "p95" in one]
    assert "held against no probe: 2 engines are here" in note


POD = b"""\
apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  containers:
  - name: a
    args: --model=x
"""
BAD_INPUT = [
    (b"a: [", "line 1"),
    (b"apiVersion: v1\nkind: Service\nmetadata:\n  name: {{ .Release.Name }}\n", "line 4"),
    (b"replicas: 3\n", "line 1"),
    (b"\x00\x01\x02", "binary"),
    (b"", "holds no Kubernetes object"),
    (POD, "line 7"),
]


@pytest.mark.parametrize(("data", "place"), BAD_INPUT, ids=[where for _, where in BAD_INPUT])
def test_bad_input_is_said_in_a_sentence(data: bytes, place: str) -> None:
    """As for `render`: with the line, and nothing else on standard output."""
    done = firstlight("lint", "-", stdin=data)

    assert (2, b"") == (done.returncode, done.stdout)
    assert place in said(done)
    assert 2 == len(said(done).splitlines())


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("a.yaml", "--live"),
        ("a.yaml", "-A"),
        ("a.yaml", "-n", "x"),
        ("a.yaml", "--context", "x"),
        ("--live", "-A", "-n", "x"),
        ("a.yaml", "--records", "x", "--start-p95-s", "3"),
        ("--list", "a.yaml"),
        ("--list", "--explain", "image-tag-moves"),
        ("--explain", "image-tag-moves", "--rule", "image-tag-moves"),
        ("a.yaml", "--start-p95-s", "0"),
        ("a.yaml", "--model-size", "many"),
        ("deployment/vllm", "a.yaml"),
    ],
    ids=" ".join,
)
def test_options_that_mean_nothing_together_are_refused(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    """Whoever wrote one believes that it does something."""
    (tmp_path / "a.yaml").write_text(GOOD.read_text())
    done = firstlight(
        "lint", *(str(tmp_path / w) if w == "a.yaml" else w for w in words), env=dict(os.environ)
    )

    assert (2, b"") == (done.returncode, done.stdout)
    assert said(done)


def test_every_rule_is_listed_and_explained() -> None:
    """In text and in JSON."""
    rules = json.loads(firstlight("lint", "--list", "--output", "json").stdout)["rules"]
    one = firstlight("lint", "--explain", "image-tag-moves").stdout.decode()
    same = json.loads(
        firstlight("lint", "--explain", "image-tag-moves", "--output", "json").stdout
    )["rules"]

    assert {path.name for path in EXAMPLES.iterdir()} == {rule["code"] for rule in rules}
    (rule,) = [rule for rule in rules if rule["code"] == "image-tag-moves"]
    assert [rule] == same
    flat = " ".join(one.split())
    assert all(" ".join(rule[part].split()) in flat for part in ("title", "why", "remedy"))
    assert "docs/rules/image-tag-moves.md" in one


def test_foreign_words_do_not_reach_the_terminal() -> None:
    """A name may hold anything."""
    text = BAD.read_text().replace("  name: ", '  name: "\\e[31mred" #', 1)

    done = firstlight("lint", "-", stdin=text.encode())

    assert b"\\x1b[31mred" in done.stdout
    assert b"\x1b" not in done.stdout

"""`firstlight render` of an intent: its steps, what they change, and what differs in files."""

import json
from pathlib import Path

import pytest

from firstlight.cli.main import COMMANDS
from tests.cli.console import firstlight, said
from tests.cli.rendering import by_name, kubectl, objects, rendered
from tests.manifests.intents import EXAMPLES, NAMES
from tests.manifests.neighbours import written

pytestmark = pytest.mark.timeout(60)

CACHE = ("--technique", "compile-cache-local")
INTENT = EXAMPLES / "intent.yaml"
CASE = EXAMPLES.parent / "reference-case"


def test_an_intent_has_steps(tmp_path: Path, kubectl_binary: Path) -> None:
    """An overview, each step whole, what it changes, and all of them as overlays."""
    assert "4     image-prepull" in rendered(INTENT)
    folder = tmp_path / "k"
    rendered(INTENT, "--kustomize", folder)
    for step, name in enumerate(
        [
            *("0-fuse-mount", "1-stream-weights", "2-compile-cache-local"),
            *("3-compile-cache-published", "4-image-prepull", "5-sleep-wake"),
        ]
    ):
        whole = objects(rendered(INTENT, "--step", str(step)))
        built = objects(kubectl(kubectl_binary, "kustomize", folder / "steps" / name))
        assert by_name(whole) == by_name(built)


@pytest.mark.parametrize("name", NAMES)
def test_what_each_step_changes_is_shown_by_path(name: str) -> None:
    """The very differences that were read beside the cards (tests/manifests/golden_steps)."""
    intent = EXAMPLES / f"{name}.yaml"
    found: list[list[str]] = []
    for line in rendered(intent, "--diff").splitlines():
        if line.startswith("step "):
            found.append([line.partition(", beside")[0]])
        else:
            found[-1].append(line.strip())

    for expected, shown in zip(written(name)[1:], found, strict=True):
        assert [one.partition(": ")[0] for one in expected] == [
            one.partition(": ")[0] for one in shown
        ]


def test_a_step_that_is_left_out_says_why() -> None:
    """`no difference` alone would read as a fault."""
    shown = rendered(EXAMPLES / "bottlerocket.yaml", "--diff", "--step", "4")

    assert (
        "step 4, image-prepull, beside step 3: no difference, image-prepull is left out: "
        "Bottlerocket takes no script in its user data\n"
    ) == shown


def test_a_step_that_is_there_warns_of_nothing() -> None:
    """A warning beside every step is read by nobody; and what the gateway runs is a command."""
    assert "gate" in COMMANDS
    for number in range(6):
        done = firstlight("render", INTENT, "--step", str(number))
        assert "WARNING" not in said(done) + done.stdout.decode()


@pytest.mark.parametrize(
    "asked", [("--step", "4"), ("--step", "4", "--output", "json"), ("--step", "4", "--diff")]
)
def test_a_step_that_is_not_there_is_not_taken_for_one(asked: tuple[str, ...]) -> None:
    """Its objects are those of the step before, under its number."""
    done = firstlight("render", EXAMPLES / "bottlerocket.yaml", *asked)

    words = "these are the objects of step 3, and step 4 is not there: image-prepull is left out"
    assert 0 == done.returncode
    assert f"WARNING: {words}" in said(done)
    if asked == ("--step", "4"):
        assert done.stdout.startswith(f"# WARNING: {words[:40]}".encode())


def test_files_of_a_step_that_is_not_there(tmp_path: Path) -> None:
    """They are those of the step before, and that is said beside the answer."""
    intent, mine = EXAMPLES / "bottlerocket.yaml", tmp_path / "mine.yaml"
    mine.write_text(rendered(intent, "--step", "3"))

    done = firstlight("render", intent, "--step", "4", "--against", mine)

    assert "is step 4, image-prepull (image-prepull is left out: " in done.stdout.decode()
    assert "WARNING: these are the objects of step 3" in said(done)


def test_comparisons_are_one_document(tmp_path: Path) -> None:
    """Of all steps, of one, and of somebody's files: the same fields."""
    mine = tmp_path / "mine.yaml"
    mine.write_text(rendered(INTENT, "--step", "1").replace("replicas: 1", "replicas: 2"))
    against = ("--step", "1", "--against", mine, "--output", "json")

    every = json.loads(rendered(INTENT, "--diff", "--output", "json"))
    one = json.loads(rendered(INTENT, "--diff", "--step", "2", "--output", "json"))
    files = json.loads(firstlight("render", INTENT, *against).stdout)

    assert [1, 2, 3, 4, 5] == [step["step"] for step in every["steps"]]
    assert [every["steps"][1]] == one["steps"]
    assert ["firstlight.steps/1"] * 3 == [found["schema"] for found in (every, one, files)]
    assert [
        {
            "step": 1,
            "technique": "stream-weights",
            "left_out": None,
            "before": "step 1",
            "after": str(mine),
            "differences": [
                {
                    "group": "apps",
                    "kind": "Deployment",
                    "namespace": "serving",
                    "name": "vllm",
                    "path": "spec.replicas",
                    "before": 1,
                    "after": 2,
                }
            ],
        }
    ] == files["steps"]
    assert files["steps"][0].keys() == every["steps"][0].keys()


def test_nodes_that_a_step_leaves_are_said_from_that_step_on() -> None:
    """In the output and beside it: in an experiment Karpenter takes no node away."""
    command = "kubectl delete nodeclaim -l karpenter.sh/nodepool=serving-vllm"

    shown = [firstlight("render", INTENT, "--step", str(n)) for n in (3, 4, 5)]

    assert [False, True, True] == [command in said(one) for one in shown]
    comments = [one.stdout.decode().replace("\n#   ", " ") for one in shown]
    assert [False, True, True] == [command in text for text in comments]


def test_what_goes_is_named_once() -> None:
    """`kubectl apply` leaves it: the command stands in the output, and nowhere again."""
    text = rendered(INTENT, "--step", "1")

    assert 1 == text.count("kubectl delete persistentvolumeclaim vllm-model -n serving")
    assert 1 == text.count("persistentvolumeclaim/vllm-model")


def test_the_probes_allow_for_starts_that_were_measured() -> None:
    """Twice the longest of a few, which is said; what the intent states is passed over."""
    records = ("--records", CASE / "cold-baseline", "--records", CASE / "cold-all")

    done = firstlight("render", INTENT, "--step", "1", *records)

    (deployment,) = (o for o in objects(done.stdout) if o["kind"] == "Deployment")
    (engine,) = deployment["spec"]["template"]["spec"]["containers"]
    assert 613 == engine["startupProbe"]["failureThreshold"]
    assert (
        "note: p95 of a start is taken for 306 s, the longest of 2 starts measured: a p95 needs "
        "20 (the intent states 350 s)\n"
    ) in said(done)


def test_records_that_tell_no_start_are_bad_input(tmp_path: Path) -> None:
    """Exit code 1 is for files that differ."""
    (tmp_path / "notes.txt").write_text("nothing\n")

    done = firstlight("render", INTENT, "--step", "1", "--records", tmp_path)

    assert (2, b"") == (done.returncode, done.stdout)
    assert "no line of a vLLM start is in it" in said(done)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--diff", "--against", "x", "--step", "1"], "--diff and --against do not go together"),
        (["--kustomize", "k", "--diff"], "--kustomize and --diff do not go together"),
        (["--kustomize", "k", "--step", "3"], "--kustomize writes all steps"),
        (["--kustomize", "k", "--output", "json"], "--kustomize writes files"),
        (["--diff", "--output", "patch"], "--diff is shown as text or with --output json"),
        (["--against", "x", "--step", "1", "--output", "objects"], "--against is shown as text"),
        (["--against", "x"], "say --step N"),
        (["--output", "objects"], "--output shows one step: say --step N"),
        (["--set", "a=b"], "--set is for --technique"),
        (["--target", "deployment/vllm"], "--target is for --technique"),
        (["-n", "a"], "--namespace is for a workload in a cluster"),
        ([*CACHE, "--step", "1", "--diff"], "--diff is for steps, without --technique"),
        (["--diff", "--step", "0"], "step 0 has none before it"),
        (["--step", "6"], "there is no step 6"),
    ],
)
def test_options_that_would_change_nothing_are_refused(arguments: list[str], words: str) -> None:
    """Whoever wrote them believes that they did something."""
    done = firstlight("render", INTENT, *arguments)

    assert (2, b"") == (done.returncode, done.stdout)
    assert words in said(done)


def test_a_step_that_was_edited_by_hand_is_found(tmp_path: Path) -> None:
    """With the path of the edit, and exit 1."""
    mine = tmp_path / "step-1.yaml"
    mine.write_text(rendered(INTENT, "--step", "1"))
    same = firstlight("render", INTENT, "--step", "1", "--against", mine)
    assert (0, b"") == (same.returncode, same.stderr)
    mine.write_text(mine.read_text().replace("replicas: 1", "replicas: 2"))

    done = firstlight("render", INTENT, "--step", "1", "--against", mine)

    assert 1 == done.returncode
    assert "~ Deployment/vllm spec.replicas: 1 -> 2" in done.stdout.decode()


def test_a_technique_on_a_step(tmp_path: Path) -> None:
    """An intent with a technique that is none of its steps."""
    text = rendered(INTENT, "--step", "2", "--technique", "bytecode-cache")

    assert "name: PYTHONPYCACHEPREFIX" in text
    assert "# deployment/vllm\n" in text
    assert not list(tmp_path.iterdir())


def test_an_intent_has_one_wrong_line(tmp_path: Path) -> None:
    """Exit 2 with its place."""
    wrong = tmp_path / "intent.yaml"
    wrong.write_text(INTENT.read_text() + "modle: x\n")

    done = firstlight("render", wrong)

    assert 2 == done.returncode
    assert "modle" in said(done)
    assert f"line {len(wrong.read_text().splitlines())}" in said(done)

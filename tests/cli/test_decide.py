"""`firstlight decide` as a process: what it prints, what it writes, how it exits."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.console import BINARY, START, firstlight, said

# A process of its own takes its time to start on a busy machine.
pytestmark = pytest.mark.timeout(30)

ROOT = Path(__file__).resolve().parents[2]
CASE = ROOT / "examples" / "reference-case"

KEPT = """\
version: 1
decisions:
  - technique: ebs-weights
    status: excluded
    reason: our disks are slow
    evidence: [{where: runs/disk, says: weights in 300 s}]
    look_again: {when: disk_gbps > our_gbps, says: a disk is faster}
  - technique: stream-weights
    status: recommended
    reason: six times as fast
    origin: reference-case
    look_again: {when: our_gbps < 2}
  - technique: warm-pool
    status: conditional
    reason: it may pay
    origin: ours
    look_again: {when: our_rate * 93 > 10 / our_starts}
facts:
  our_gbps: {value: 13.6, source: iperf}
  our_starts: 0
"""


@pytest.fixture
def register(tmp_path: Path) -> Path:
    path = tmp_path / "decisions.yaml"
    path.write_text(KEPT)
    return path


def decided(*arguments: str | Path, code: int = 0) -> dict[str, Any]:
    """The document that `decide` prints."""
    done = firstlight("decide", *arguments, "--output", "json")
    assert "" == said(done)
    assert code == done.returncode
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def verdicts(document: dict[str, Any]) -> dict[str, str]:
    return {one["technique"]: one["verdict"] for one in document["decisions"]}


def printed(register: Path, *arguments: str) -> str:
    """What people read, with the register called by its bare name."""
    done = firstlight("decide", register, *arguments, env={"COLUMNS": "1000"})
    assert "" == said(done)
    assert 0 == done.returncode
    return done.stdout.decode().replace(str(register), register.name)


def test_a_register_is_held_against_the_facts(register: Path) -> None:
    """The whole answer, for people; but for the techniques that this register leaves out."""
    text = printed(register, "--set", "disk_gbps=20", "--set", "disk_gpbs=1")

    assert (
        """\
decisions.yaml · 3 decisions: 1 stand, 1 flip, 1 cannot be judged; 1 fact given that no condition asks for

technique       status       verdict           why: the condition to look again, and on whose word it stands
ebs-weights     excluded     flips             disk_gbps 20 (--set) > our_gbps 13.6 (decisions.yaml: iperf) is so
                                               supported by runs/disk
stream-weights  recommended  stands            our_gbps 13.6 (decisions.yaml: iperf) < 2 is not so
                                               from the reference case, not tested here
warm-pool       conditional  cannot be judged  our_rate (not known) * 93 > 10 / our_starts 0 (decisions.yaml); 10 / our_starts divides by zero
                                               firstlight's own judgement, not tested here

! ebs-weights flips: it is excluded, because our disks are slow; but disk_gbps 20 (--set) > our_gbps 13.6 (decisions.yaml: iperf)
  → decide again, and write down why; all of it: firstlight decide decisions.yaml --technique ebs-weights
  with another status turn the condition round, or it goes on flipping: not (disk_gbps > our_gbps)

not known, and asked for (how to get one: firstlight decide decisions.yaml --technique ID):
  our_rate  a fact of this register
note: --set: no condition asks for disk_gpbs; did you mean disk_gbps?
"""  # noqa: E501
        == text[: text.index("note: nothing is decided here about")]
    )


def test_one_decision_is_told_in_full(register: Path) -> None:
    """Its reason, what it rests on, its condition and whose, each fact and where it is from."""
    text = printed(register, "--set", "disk_gbps=20", "--technique", "ebs-weights")

    _, _, rest = text.partition("\n")
    assert text.startswith("ebs-weights · ")
    assert (
        """\
because our disks are slow
  supported by runs/disk; origin here
  here: runs/disk: weights in 300 s

look again when disk_gbps > our_gbps
  a disk is faster (the condition's origin: here)
  disk_gbps 20 (--set) > our_gbps 13.6 (decisions.yaml: iperf) is so
  disk_gbps: 20 (--set)
  our_gbps: 13.6 (decisions.yaml: iperf)
"""
        == rest
    )


def test_a_missing_fact_is_told_with_the_way_to_it(register: Path) -> None:
    """One decision in full says how."""
    text = printed(register, "--technique", "warm-pool")

    assert "  our_rate: not known; a fact of this register; --set our_rate=VALUE\n" in text


def test_the_answer_for_machines(register: Path) -> None:
    """One decision with every field of the contract."""
    document = decided(register, "--set", "disk_gbps=20", "--technique", "ebs-weights")

    assert {
        "schema": "firstlight.decide/1",
        "register": str(register),
        "counts": {"stands": 0, "flips": 1, "not_judged": 0},
        "notes": [],
        "unused": [],
        "decisions": [
            {
                "technique": "ebs-weights",
                "title": document["decisions"][0]["title"],
                "status": "excluded",
                "reason": "our disks are slow",
                "origin": "here",
                "evidence": [{"where": "runs/disk", "says": "weights in 300 s", "origin": "here"}],
                "look_again": {
                    "when": "disk_gbps > our_gbps",
                    "says": "a disk is faster",
                    "origin": "here",
                },
                "verdict": "flips",
                "condition": f"disk_gbps 20 (--set) > our_gbps 13.6 ({register}: iperf)",
                "facts": [
                    {
                        "name": "disk_gbps",
                        "value": 20,
                        "spelled": "20",
                        "unit": "",
                        "says": "",
                        "source": "--set",
                        "own": True,
                    },
                    {
                        "name": "our_gbps",
                        "value": 13.6,
                        "spelled": "13.6",
                        "unit": "",
                        "says": "",
                        "source": f"{register}: iperf",
                        "own": True,
                    },
                ],
                "missing": [],
                "troubles": [],
                "borrowed": [],
                "standing": "supported by runs/disk",
                "inherited": False,
                "support": ["runs/disk"],
                "at_work": [],
            }
        ],
    } == document


def test_without_a_register_the_built_in_one_is_read() -> None:
    """Nothing flips in it, and with a fast disk the weights on it do."""
    assert None is decided()["register"]
    assert "flips" not in verdicts(decided()).values()
    flips = {n for n, v in verdicts(decided("--set", "ebs_gbps=20")).items() if v == "flips"}
    assert {"ebs-weights"} == flips


def test_the_register_of_this_folder_is_read_where_there_is_one(
    register: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Called as everybody calls it."""
    monkeypatch.chdir(register.parent)

    assert "decisions.yaml" == decided()["register"]


def test_a_check_fails_when_a_decision_flips(register: Path) -> None:
    """What cannot be judged is counted and does not fail; without --check nothing does."""
    assert {"stands": 1, "flips": 0, "not_judged": 2} == decided(register, "--check")["counts"]
    decided(register, "--set", "disk_gbps=20")
    decided(register, "--set", "disk_gbps=20", "--check", code=1)
    decided(register, "--set", "disk_gbps=20", "--check", "--technique", "stream-weights")


def test_nearer_facts_count(tmp_path: Path, register: Path) -> None:
    """A file over the register, a later file over an earlier one, --set over all."""
    one, two = tmp_path / "one.yaml", tmp_path / "two.yaml"
    one.write_text("our_gbps: 1\n")
    two.write_text("our_gbps: {value: 3, source: iperf}\n")
    files = ("--facts", one, "--facts", two)

    def said_of(*arguments: str | Path) -> str:
        document = decided(register, *arguments, "--technique", "stream-weights")
        condition: str = document["decisions"][0]["condition"]
        return condition

    assert f"our_gbps 13.6 ({register}: iperf) < 2" == said_of()
    assert f"our_gbps 1 ({one}) < 2" == said_of(*files[:2])
    assert f"our_gbps 3 ({two}: iperf) < 2" == said_of(*files)
    assert "our_gbps 2 (--set) < 2" == said_of(*files, "--set", "our_gbps=2")


def test_records_give_facts_and_support() -> None:
    """A start that streamed its weights and hit its cache is evidence of the user's own."""
    document = decided("--records", CASE / "cold-all")
    told = {one["technique"]: one for one in document["decisions"]}
    (source,) = told["stream-weights"]["support"]

    assert f"supported by {source}" == told["stream-weights"]["standing"]
    assert f"stream_gbps 14.982 ({source})" in told["ebs-weights"]["condition"]
    assert "from the reference case, not tested here" == told["ebs-weights"]["standing"]


def test_each_of_several_records_is_its_own(register: Path) -> None:
    """Folders of starts of one workload: their pods and nodes have the same names."""
    asks = KEPT.replace("our_gbps < 2", "node_provisioning_s > 99")
    register.write_text(asks)

    def node_s(*folders: str) -> float:
        paths = [word for folder in folders for word in ("--records", CASE / folder)]
        (one,) = decided(register, *paths, "--technique", "stream-weights")["decisions"]
        (fact,) = one["facts"]
        value: float = fact["value"]
        return value

    alone = [node_s("cold-all"), node_s("cold-baseline")]

    assert sum(alone) / 2 == node_s("cold-all", "cold-baseline")


def test_a_conditional_decision_that_flips_says_how_it_stops_flipping(register: Path) -> None:
    """Its condition says when it pays: under another status it has to be turned round."""
    text = printed(register, "--set", "our_rate=5", "--set", "our_starts=1")

    assert (
        "  if it pays now: make it recommended and turn the condition round\n"
        "  → decide again, and write down why; all of it: "
        "firstlight decide decisions.yaml --technique warm-pool\n"
        "  with another status turn the condition round, or it goes on flipping: "
        "not (our_rate * 93 > 10 / our_starts)\n"
    ) in text
    turned = register.read_text().replace("conditional", "recommended")
    turned = turned.replace(
        "our_rate * 93 > 10 / our_starts", "not (our_rate * 93 > 10 / our_starts)"
    )
    register.write_text(turned)
    decided(register, "--check", "--set", "our_rate=5", "--set", "our_starts=1")


def test_an_exclusion_is_supported_by_records_and_facts_together() -> None:
    """The disk's rate is the user's to say; the stream's is in their start."""
    arguments = ("--records", CASE / "cold-all", "--set", "ebs_gbps=5")
    (one,) = decided(*arguments, "--technique", "ebs-weights")["decisions"]

    assert ("stands", [], False) == (one["verdict"], one["borrowed"], one["inherited"])


def test_a_new_register_is_written_once(tmp_path: Path) -> None:
    """It is read back as the built-in one, holds the facts given, and is never written over."""
    path = tmp_path / "decisions.yaml"

    done = firstlight("decide", "--new", path, "--set", "ebs_gbps=20")
    text = path.read_text()

    assert ["", 0] == [said(done), done.returncode]
    assert done.stdout.decode().startswith(f"written: {path}, ")
    assert text.startswith("# What we decided")
    assert text.endswith("facts:\n  ebs_gbps: 20\n")
    assert "flips" == verdicts(decided(path))["ebs-weights"]

    again = firstlight("decide", "--new", path)

    assert 2 == again.returncode
    assert f"firstlight: {path} is there already" in said(again)
    assert text == path.read_text()


def written(folder: Path, data: str | bytes, name: str = "x.yaml") -> Path:
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


WRONG: dict[str, Any] = {
    "no such register": lambda d: [d / "none.yaml"],
    "a folder as a register": lambda d: [d],
    "a binary as a register": lambda d: [written(d, BINARY)],
    "broken YAML": lambda d: [written(d, "version: [1\n")],
    "an unknown status": lambda d: [written(d, KEPT.replace("excluded", "maybe"))],
    "a broken condition": lambda d: [written(d, KEPT.replace("our_gbps < 2", "our_gbps <"))],
    "a newer register": lambda d: [written(d, KEPT.replace("version: 1", "version: 9"))],
    "no such facts": lambda d: ["--facts", d / "none.yaml"],
    "broken facts": lambda d: ["--facts", written(d, "a: [1]\n")],
    "a fact with its unit": lambda _: ["--set", "ebs_gbps=20Gbps"],
    "a rate below nothing": lambda _: ["--set", "stream_gbps=-5"],
    "per cent as a share": lambda d: ["--facts", written(d, "hit_rate: 60\n")],
    "nonsense in a register": lambda d: [
        written(d, KEPT.replace("our_starts: 0", "ebs_gbps: yes"))
    ],
    "a fact of 400 digits": lambda d: ["--facts", written(d, f"ebs_gbps: {'9' * 400}\n")],
    "an infinite condition": lambda d: [
        written(d, KEPT.replace("our_gbps < 2", "our_gbps < 1e400"))
    ],
    "a new register with nonsense": lambda d: ["--new", d / "n.yaml", "--set", "hit_rate=60"],
    "no assignment": lambda _: ["--set", "ebs_gbps"],
    "no such technique": lambda _: ["--technique", "ebs-wieghts"],
    "a technique that is not in it": lambda d: [written(d, KEPT), "--technique", "soci-lazy"],
    "no such records": lambda d: ["--records", d / "none"],
    "records without a start": lambda d: ["--records", written(d, "hello\n" * 9, "x.log")],
    "a new register nowhere": lambda d: ["--new", d / "none" / "x.yaml"],
    "a new register and a check": lambda d: ["--new", d / "x.yaml", "--check"],
}


@pytest.mark.parametrize("what", WRONG)
def test_bad_input_is_refused_in_a_sentence(tmp_path: Path, what: str) -> None:
    """Exit code 2 and nothing on standard output; 1 is kept for a decision that flips."""
    done = firstlight("decide", *WRONG[what](tmp_path))

    assert 2 == done.returncode
    assert b"" == done.stdout
    assert said(done)


def test_a_log_of_ones_own_is_a_record(tmp_path: Path) -> None:
    """Whatever `explain` reads."""
    log = written(tmp_path, START, "pod.log")

    (one,) = decided("--records", log, "--technique", "weight-daemon")["decisions"]

    assert {"vllm_minor": str(log)} == {
        fact["name"]: fact["source"] for fact in one["facts"] if fact["name"] == "vllm_minor"
    }

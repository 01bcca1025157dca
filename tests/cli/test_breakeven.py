"""`firstlight breakeven` as a process: what it prints, what it writes, how it exits."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.console import BINARY, START, firstlight, said

# A process of its own takes its time to start on a busy machine.
pytestmark = pytest.mark.timeout(30)

CASE = Path(__file__).resolve().parents[2] / "examples" / "reference-case"

PRICES = ("--node-per-hour", "3.6", "--penalty-per-s", "0.002")
STATED = ("--cold-s", "224,225,226,229", "--warm-s", "131,132,133,136", "--wake-s", "1")
RATE = ("--per-hour", "2")


def log(folder: Path, name: str = "log.csv") -> Path:
    """Five days of requests: in the morning one every quarter of an hour, some with another."""
    times = [1_770_000_000 + day * 86_400 + 900 * k for day in range(5) for k in range(30)]
    twice = [time + 60 for time in times[::3]]
    path = folder / name
    path.write_text("time\n" + "".join(f"{time}\n" for time in sorted(times + twice)))
    return path


def priced(*arguments: str | Path, code: int = 0) -> dict[str, Any]:
    """The document that `breakeven` prints."""
    done = firstlight("breakeven", *PRICES, *arguments, "--output", "json")
    assert "" == said(done)
    assert code == done.returncode
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def test_the_whole_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For people: each choice, the lead, the break-even, the window, what it hangs on."""
    log(tmp_path)
    monkeypatch.chdir(tmp_path)

    done = firstlight(
        "breakeven", *PRICES, *STATED, "--requests", "log.csv", env={"COLUMNS": "1000"}
    )

    assert "" == said(done)
    assert 0 == done.returncode
    assert (
        """\
estimates · 200 requests in 4.3 days (log.csv)
node 3.60 an hour, waiting 0.002 a second and user; down after 5.0 min idle
cold: mean 226.0 s, 4 stated, not measured, 224.0 s to 229.0 s
warm: mean 133.0 s, 4 stated, not measured, 131.0 s to 136.0 s
wake: 1.0 s, stated, not measured

choice                   node h/day   node  returns/day  wait, mean      p95  per request  waiting/day  its price  total/day
stay awake                    24.00  86.40            0           -        -            0            0       0.00      86.40
sleep                         24.00  86.40         34.6       1.0 s    1.0 s       0.74 s       34.6 s     0.0693      86.47
keep the node, 10.0 min        8.69  31.29         34.6     121.9 s  136.0 s      120.7 s     93.5 min      11.22      42.52
scale to zero                  5.05  18.18         34.6     211.2 s  229.0 s      209.0 s        2.7 h      19.44      37.62

cheapest: scale to zero
  4.90 a day less than keep the node (95% interval 4.40 to 5.41)
  48.78 a day less than stay awake (87.5% interval 48.41 to 49.04)
  48.85 a day less than sleep (no interval)
  intervals: bootstrap over the start times, 2000 draws, widened for few rounds
keeping the node: a hit saves 93.0 s (88.0 s to 98.0 s, exact, of pairwise differences); keeping costs 0.469 a return, at a hit rate of 97%
  by the waiting alone it breaks even at a hit rate of 252%, that is never, with one user waiting, of 190%, that is never, with all who wait
  a hit saves paid node seconds, too: it costs as much as scaling to zero at a hit rate of 139%, that is never

the window: what the kept node costs a day, all in all
 window  hits  kept h/day  total/day  above the best
   none    0%        0.00      37.62            0.00  best
6.2 min   19%        3.57      48.20           10.58  █████
6.2 min   33%        3.59      46.76            9.14  █████
6.2 min   42%        3.60      45.68            8.06  ████
6.3 min   50%        3.61      44.79            7.17  ████
7.7 min   56%        4.10      45.83            8.21  ████
7.8 min   65%        4.19      45.10            7.49  ████
7.8 min   78%        4.30      44.03            6.42  ███
7.8 min   97%        4.46      42.42            4.81  ██
 16.6 h  100%       19.84      97.28           59.66  ██████████████████████████████

what it hangs on most  lead before stay awake 48.78; at -20 %  at +20 %  cheapest then
number of requests                                      56.58     40.99  scale to zero at -20 %, keep the node at +20 %
cold start                                              54.50     43.07  scale to zero at -20 %, keep the node at +20 %
price of the node                                       35.14     62.43  the same
penalty for waiting                                     52.67     44.90  the same
idle time                                               50.86     46.71  the same
warm start                                              48.78     48.78  the same

- one number was stated for wake, not measured: what hangs on it has no interval
- no retention window pays: to keep the node costs more, with every window, than the warm starts save
- keeping the node for 10.0 min does not pay against scaling to zero: 97% of the returns find it, less than the 139%, which is never, where both cost the same
- sleep costs what staying awake costs, and its users wait besides: it saves money only where another engine uses the freed memory (--freed-memory-worth)
- with one replica a warm pool is dominated: a node that stands ready costs 86.40 a day, as much as staying awake, and its users still wait for a warm start of 133.0 s; it pays only for scale-out, when more replicas start beside those that serve
"""  # noqa: E501
        == done.stdout.decode()
    )


@pytest.mark.parametrize(
    ("penalty", "formula", "totals", "window"),
    [
        ("0", "no hit rate: no waiting is priced", "507%, that is never", "no retention window"),
        (
            "0.0036",
            (
                "a hit rate of 139%, that is never, with one user waiting, of 104%, that is never, "
                "with all who wait"
            ),
            "87%",
            "the best retention window is 7.8 min",
        ),
    ],
)
def test_the_formula_counts_waiting_only_and_the_totals_agree_with_the_curve(
    tmp_path: Path, penalty: str, formula: str, totals: str, window: str
) -> None:
    """A hit saves node seconds, too: here enough to pay where by the formula it never would."""
    done = firstlight(
        *("breakeven", "--node-per-hour", "3.6", "--penalty-per-s", penalty, *STATED),
        *("--requests", log(tmp_path)),
        env={"COLUMNS": "1000"},
    )

    text = done.stdout.decode()
    assert f"by the waiting alone it breaks even at {formula}\n" in text
    assert f"it costs as much as scaling to zero at a hit rate of {totals}\n" in text
    assert window in text


def test_the_answer_for_machines() -> None:
    """Every field of the contract; a window that never ends is null, and says so."""
    document = priced(*STATED, *RATE)

    assert {
        "schema",
        "estimate",
        "arrivals",
        "prices",
        "rule",
        "starts",
        "choices",
        "not_priced",
        "cheapest",
        "break_even",
        "best_window",
        "curve",
        "most_sensitive_to",
        "sensitivity",
        "says",
        "notes",
    } == document.keys()
    assert ["firstlight.breakeven/1", True] == [document["schema"], document["estimate"]]
    assert "2 requests an hour, at random, in closed form" == document["arrivals"]
    assert ["stay awake", "sleep", "keep the node", "scale to zero"] == [
        one["choice"] for one in document["choices"]
    ]
    assert {
        "seconds": [224, 225, 226, 229],
        "mean_s": 226,
        "origin": "stated",
        "uncertainty_s": 0,
        "source": "",
    } == document["starts"]["cold"]
    assert [93, 88, 98] == [
        document["break_even"]["saved_s"],
        document["break_even"]["saved_interval"]["low_s"],
        document["break_even"]["saved_interval"]["high_s"],
    ]
    assert [None, True] == [document["curve"][-1][name] for name in ("retention_s", "always")]
    assert "scale to zero" == document["cheapest"]["choice"]
    assert document["most_sensitive_to"] == document["sensitivity"][0]["input"]


def test_chance_is_the_same_for_the_same_seed() -> None:
    """In a drawn trace and in the intervals."""
    shaped = (*STATED, "--per-hour", "6", "--shape", "office", "--days", "7")

    assert priced(*shaped, "--seed", "5") == priced(*shaped, "--seed", "5")
    assert priced(*shaped, "--seed", "5") != priced(*shaped, "--seed", "6")


def test_requests_come_through_a_pipe_and_compressed(tmp_path: Path) -> None:
    """The same answer as from the file."""
    path = log(tmp_path)
    packed = tmp_path / "log.csv.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    arguments = ("breakeven", *PRICES, *STATED, "--output", "json", "--requests")

    plain = json.loads(firstlight(*arguments, path).stdout)["choices"]

    assert plain == json.loads(firstlight(*arguments, packed).stdout)["choices"]
    piped = firstlight(*arguments, "-", stdin=path.read_bytes())
    assert plain == json.loads(piped.stdout)["choices"]


def test_what_is_odd_about_the_requests_is_noted(tmp_path: Path) -> None:
    """With the line, and the answer all the same."""
    path = tmp_path / "odd.csv"
    path.write_text("0\n5000\n4000\n9000\n9000\n")

    assert [
        f"{path}:3 is earlier than the line before it, which alone was put in order",
        f"{path}:5 is at the same moment as one before it, and both count",
    ] == priced(*STATED, "--requests", path)["notes"]


def test_records_are_read_and_what_does_not_count_is_noted() -> None:
    """One cold round beside a fill is too few; the stated number takes its place."""
    document = priced("--cold-s", "226", "--records", CASE, *RATE)

    assert {"cold"} == document["starts"].keys()
    assert (
        "of the cold starts one more filled the compile cache, which is no result"
        in (document["notes"])
    )
    assert {
        "choice": "keep the node",
        "why": "needs 4 warm starts and has 1; or state --warm-s",
    } in (document["not_priced"])
    assert [None] == [one["interval"] for one in document["cheapest"]["others"]]


def test_too_few_rounds_are_refused_with_the_number() -> None:
    """Exit code 1: what was given can be read, and the answer is no."""
    done = firstlight("breakeven", *PRICES, *RATE, "--records", CASE)

    assert 1 == done.returncode
    assert b"" == done.stdout
    assert (
        "firstlight: nothing can be compared with staying awake: sleep needs 4 wakes and has 0; "
        "keep the node needs 4 cold starts and has 1 (one more filled the compile cache, which is "
        "no result), and 4 warm starts and has 1; scale to zero needs 4 cold starts and has 1 "
        "(one more filled the compile cache, which is no result); 1 of 4 starts left out: nothing "
        "tells whether they were cold or warm\n"
        "  measure more starts (firstlight measure deployment/NAME --scenario cold --yes "
        "--rounds 4), or state one number: --cold-s 428\n"
    ) == said(done)


def test_the_facts_go_to_decide(tmp_path: Path) -> None:
    """Written once; the decision on node retention is judged by them."""
    path = tmp_path / "facts.yaml"
    arguments = (*PRICES, *STATED, *RATE, "--retention-s", "900", "--facts", path)

    done = firstlight("breakeven", *arguments)
    judged = firstlight(
        "decide", "--facts", path, "--technique", "node-retention", "--output", "json"
    )

    assert ["", 0] == [said(done), done.returncode]
    (one,) = json.loads(judged.stdout)["decisions"]
    assert ["stands", []] == [one["verdict"], one["missing"]]
    assert all(fact["own"] for fact in one["facts"])
    again = firstlight("breakeven", *arguments)
    assert 2 == again.returncode
    assert f"{path} is there already" in said(again)


def written(folder: Path, data: str | bytes, name: str) -> Path:
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


WRONG: dict[str, Callable[[Path], list[str | Path]]] = {
    "no arrivals": lambda _: [*STATED],
    "a file and a rate": lambda d: [*STATED, *RATE, "--requests", log(d)],
    "a shape of a file": lambda d: [*STATED, "--requests", log(d), "--shape", "office"],
    "a column of a rate": lambda _: [*STATED, *RATE, "--column", "time"],
    "no start times": lambda _: [*RATE],
    "a bad start time": lambda _: [*RATE, "--cold-s", "soon"],
    "a bad shape": lambda _: [*STATED, *RATE, "--shape", "ofice"],
    "no such file": lambda d: [*STATED, "--requests", d / "none.csv"],
    "an empty file": lambda d: [*STATED, "--requests", written(d, "", "x.csv")],
    "a binary": lambda d: [*STATED, "--requests", written(d, BINARY, "x.csv")],
    "one request": lambda d: [*STATED, "--requests", written(d, "10\n", "x.csv")],
    "all at once": lambda d: [*STATED, "--requests", written(d, "10\n10\n", "x.csv")],
    "a bad line": lambda d: [*STATED, "--requests", written(d, "10\n20\nten\n", "x.csv")],
    "a folder": lambda d: [*STATED, "--requests", log(d).parent],
    "no such records": lambda d: [*RATE, "--records", d / "none"],
    "records without a start": lambda d: [*RATE, "--records", written(d, "hi\n" * 9, "x.log")],
    "a worth above one": lambda _: [*STATED, *RATE, "--freed-memory-worth", "2"],
    "no idle time": lambda _: [*STATED, *RATE, "--idle-s", "0"],
    "an endless price": lambda _: [*STATED, *RATE, "--node-per-hour", "inf"],
    "no rate": lambda _: [*STATED, "--per-hour", "0"],
    "a rate that draws nothing": lambda _: [
        *(*STATED, "--per-hour", "0.0001", "--shape", "office", "--days", "1")
    ],
    "facts nowhere": lambda d: [*STATED, *RATE, "--facts", d / "none" / "x.yaml"],
}


@pytest.mark.parametrize("what", WRONG)
def test_bad_input_is_refused_in_a_sentence(tmp_path: Path, what: str) -> None:
    """Exit code 2 and nothing on standard output."""
    done = firstlight("breakeven", *PRICES, *WRONG[what](tmp_path))

    assert 2 == done.returncode
    assert b"" == done.stdout
    assert said(done)


def test_a_log_alone_tells_no_scenario(tmp_path: Path) -> None:
    """It does not say whether its node was new, and so is no cold start."""
    pod = written(tmp_path, START, "pod.log")

    done = firstlight("breakeven", *PRICES, *RATE, "--records", pod)

    assert 1 == done.returncode
    assert "scale to zero needs 4 cold starts and has 0" in said(done)


@pytest.mark.parametrize("name", ["none.csv", "folder"])
def test_what_is_no_file_of_times_is_asked_for_as_such(tmp_path: Path, name: str) -> None:
    """Nobody is told to give a log of kubectl's."""
    (tmp_path / "folder").mkdir()
    done = firstlight("breakeven", *PRICES, *STATED, "--requests", tmp_path / name)
    assert 2 == done.returncode
    assert "give a CSV with the times of requests" in said(done)
    assert "kubectl" not in said(done)

"""
Whole logs, one per version and kind of start, against what was put into them.

Each golden log was composed from the format strings of that version's wheel. Its
expectation states what a reader of the log may say: every fact (a list that is not
named is empty), the verdict on the compile cache, the outcome, the total.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from firstlight.explain.explain import explain_log
from firstlight.readers.log_line import read_records
from firstlight.readers.outer_layers import Peeler
from firstlight.readers.statements import _beginnings, _match
from firstlight.readers.vllm_log import read_log
from firstlight.readers.wordings import ALL
from firstlight.report.json_contract import explanation

GOLDEN = Path(__file__).parents[1] / "golden" / "vllm_logs"
LOGS = sorted(GOLDEN.glob("*/*.log"))


def _name(log: Path) -> str:
    return f"{log.parent.name}-{log.stem}"


def _told(log: Path) -> list[dict[str, Any]]:
    starts = explain_log(read_log(log.name, [log.read_bytes()]))
    return [_comparable(s) for s in explanation(starts)["starts"]]


def _comparable(start: dict[str, Any]) -> dict[str, Any]:
    facts = {name: values for name, values in start["facts"].items() if values and name != "sleep"}
    told = {
        "engine_version": start["engine_version"],
        "outcome": start["outcome"],
        "failure": start["failure"] and start["failure"]["kind"],
        "total_s": start["total_s"],
        "compile_cache": start["compile_cache"]["verdict"],
        "facts": facts,
    }
    return {**told, "sleep": start["facts"]["sleep"]} if start["facts"]["sleep"] else told


@pytest.mark.parametrize("log", LOGS, ids=_name)
def test_a_log_tells_what_was_put_into_it(log: Path) -> None:
    """Nothing is missing from what the log holds, and nothing is made up."""
    expected = json.loads(log.with_suffix(".expected.json").read_text(encoding="utf-8"))

    assert expected["starts"] == _told(log)


@pytest.mark.parametrize("log", LOGS, ids=_name)
def test_phases_of_a_golden_log_add_up_to_its_total(log: Path) -> None:
    """Where there is a total, its phases partition it; failure messages name no other report."""
    starts = explain_log(read_log(log.name, [log.read_bytes()]))

    for start in starts:
        if start.total:
            whole = sum(span.length_ns for span in start.phases)
            assert start.total.timeline.length_ns == whole
        if start.failure and start.failure.kind != "unknown":
            assert "ee root cause" not in start.failure.message


def _messages() -> Iterator[tuple[str, bool]]:
    for log in LOGS:
        peeler = Peeler()
        data = log.read_bytes()
        text = data.decode("utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8")
        for raw in text.split("\n"):
            for line in read_records(0, peeler.peel(raw.rstrip("\r"))):
                yield line.message, line.headed


def test_every_wording_stands_in_a_golden_log() -> None:
    """A wording that no golden log exercises could be wrong, and nobody would notice."""
    unseen = list(ALL)
    for message, headed in dict.fromkeys(_messages()):
        unseen = [
            w
            for w in unseen
            if w.literal not in message
            or not _match(w, message, _beginnings(message, headed=headed), message.rfind(w.literal))
        ]

    assert [] == [(w.say.value, w.literal) for w in unseen]


def test_a_log_reads_the_same_in_chunks_of_any_size() -> None:
    """Where the file was cut into pieces changes nothing."""
    data = (GOLDEN / "0.20.2" / "cuda-cold-fill.log").read_bytes()
    whole = read_log("x", [data])

    for size in (1, 7, 100, 4096):
        pieces = [data[at : at + size] for at in range(0, len(data), size)]

        assert whole == read_log("x", pieces)

"""The end of a report: what is at work, and what has most seconds at stake."""

import io
import json
from dataclasses import replace

from rich.console import Console

from firstlight.core.effects import Effect, EffectState
from firstlight.core.evidence import Evidence
from firstlight.core.stakes import Stake
from firstlight.core.starts import Start
from firstlight.core.units import NS_PER_S
from firstlight.report.json_contract import explanation
from firstlight.report.text import print_starts
from tests.report.samples import COLD, starts_of

LINE = Evidence(artefact="pod.log", line=3, text="Saved startup plan to /c")
STAKE = Stake(
    technique="stream-weights",
    seconds_ns=108 * NS_PER_S,
    of=("weight_load",),
    because="weight_load took 127.6 s here; where it was measured, the same took 19.8 s",
    show="firstlight render deployment/vllm --technique stream-weights",
    prove="firstlight measure deployment/vllm --scenario cold",
    seen=EffectState.NOT_APPLIED,
)


def effect(technique: str, state: EffectState, *evidence: Evidence) -> Effect:
    return Effect(technique=technique, state=state, says="it says so", evidence=evidence)


def cold() -> Start:
    (start,) = starts_of(COLD)
    return start


def lines(start: Start) -> list[str]:
    out = io.StringIO()
    print_starts(Console(file=out, width=200), [start])
    return [line.rstrip() for line in out.getvalue().splitlines()]


def test_a_stake_ends_the_report_with_its_two_commands() -> None:
    """Called an estimate in its heading and in its line."""
    assert [
        "most seconds at stake here (estimates)",
        (
            "  about 108 s  stream-weights  weight_load took 127.6 s here; where it was measured, "
            "the same took 19.8 s"
        ),
        "    show  firstlight render deployment/vllm --technique stream-weights",
        "    prove firstlight measure deployment/vllm --scenario cold",
    ] == lines(replace(cold(), at_stake=(STAKE,)))[-4:]


def test_nothing_at_stake_is_said() -> None:
    """Somebody asked, and there was nothing."""
    printed = lines(replace(cold(), at_stake=()))

    assert "no technique known here has much at stake in this start" == printed[-1]


def test_where_nobody_asked_nothing_is_said() -> None:
    """A start explained without the cards."""
    assert not [line for line in lines(cold()) if "at stake" in line or "at work" in line]


def test_what_is_at_work_stands_in_one_line() -> None:
    """In part counts, and is said; what looks alike is one or the other; the rest is in JSON."""
    start = replace(
        cold(),
        effects=(
            effect("a", EffectState.APPLIED, LINE),
            effect("b", EffectState.APPLIED, LINE),
            effect("c", EffectState.RACED, replace(LINE, line=4)),
            effect("d", EffectState.NOT_APPLIED, replace(LINE, line=5)),
        ),
    )

    assert ["techniques at work: a or b, c (raced)"] == [
        line for line in lines(start) if line.startswith("techniques")
    ]


def test_foreign_words_stay_words() -> None:
    """A cluster's names may hold a terminal's commands, or the table library's."""
    evil = replace(STAKE, show="render [red]\x1b[31m", because="[bold]x")
    printed = "\n".join(lines(replace(cold(), at_stake=(evil,))))

    assert ["\x1b" in printed, "[red]" in printed, "[bold]x" in printed] == [False, True, True]


def test_the_document_holds_both() -> None:
    """Estimates say that they are; evidence is quoted as everywhere."""
    start = replace(cold(), at_stake=(STAKE,), effects=(effect("a", EffectState.APPLIED, LINE),))
    (told,) = json.loads(json.dumps(explanation([start])))["starts"]

    assert [
        {
            "technique": "stream-weights",
            "seconds": 108.0,
            "estimate": True,
            "of": ["weight_load"],
            "because": STAKE.because,
            "show": STAKE.show,
            "prove": STAKE.prove,
            "seen": "not applied",
        }
    ] == told["at_stake"]
    assert [
        {
            "technique": "a",
            "state": "applied",
            "says": "it says so",
            "evidence": [{"artefact": "pod.log", "line": 3, "text": "Saved startup plan to /c"}],
        }
    ] == told["techniques"]

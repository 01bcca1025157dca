"""Every rule has an example that breaks it and one that keeps it, and does what they say."""

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from firstlight.lint.rule import Rule
from firstlight.lint.rules.table import RULES
from firstlight.lint.scene import Stated
from tests.lint.judging import codes_of, judged

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "rules" / "examples"
IDS = [rule.code for rule in RULES]
_ALSO = re.compile(r"^# also: ([\w-]+)", re.MULTILINE)
_STATED = re.compile(r"^# firstlight lint .*?$", re.MULTILINE)
_OPTIONS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "--start-p95-s": ("start_p95_s", float),
    "--model-size": ("model_bytes", lambda said: int(float(said.removesuffix("GB")) * 10**9)),
    "--nat-price-per-gb": ("nat_price_per_gb", float),
}
"""What an example takes for granted, as somebody would type it."""


def example(rule: Rule, which: str) -> str:
    path = EXAMPLES / rule.code / f"{which}.yaml"
    assert path.is_file(), f"{rule.code} has no {which} example: {path}"
    return path.read_text(encoding="utf-8")


def stated(text: str) -> Stated:
    """What the command line in an example's comment states."""
    values: dict[str, Any] = {}
    for line in _STATED.findall(text):
        words = line.split()
        for option, value in pairwise(words):
            if option in _OPTIONS:
                name, read = _OPTIONS[option]
                values[name] = read(value)
    return Stated(**values)


@pytest.mark.parametrize("rule", RULES, ids=IDS)
def test_a_rule_fires_on_its_bad_example(rule: Rule) -> None:
    """With a place that has a line, and alone, but for the rules that the example names."""
    text = example(rule, "bad")

    linted = judged(text, stated=stated(text))

    assert () == linted.not_judged
    own = [one for one in linted.findings if one.code == rule.code]
    assert own
    assert all(one.artefact and one.line for one in own)
    assert set(codes_of(linted.findings)) - set(_ALSO.findall(text)) == {rule.code}


@pytest.mark.parametrize("rule", RULES, ids=IDS)
def test_a_good_example_is_clean(rule: Rule) -> None:
    """Of every rule: people copy it."""
    text = example(rule, "good")

    linted = judged(text, stated=stated(text))

    assert [] == [(one.code, one.line, one.what) for one in linted.findings]
    assert () == linted.not_judged
    assert bool(linted.suppressed) is rule.code.startswith("suppression-")


@pytest.mark.parametrize("rule", RULES, ids=IDS)
def test_the_rules_that_an_example_breaks_beside_are_named_rightly(rule: Rule) -> None:
    """What `also` names is there, and is found."""
    text = example(rule, "bad")

    assert set(_ALSO.findall(text)) <= set(codes_of(judged(text, stated=stated(text)).findings))


def test_no_example_is_left_over() -> None:
    """A folder whose rule is gone."""
    assert set(IDS) == {path.name for path in EXAMPLES.iterdir()}

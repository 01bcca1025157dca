"""
Joining `compare` to the artefacts it reads.
"""

import difflib
import fnmatch
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firstlight.compare.declared import declared_by
from firstlight.core.errors import BadInput
from firstlight.core.fingerprints import ARGUMENT, ENVIRONMENT, NAMES
from firstlight.core.phases import Phase
from firstlight.core.starts import Start
from firstlight.edges.run_store import is_round
from firstlight.edges.stored_round import read_round
from firstlight.wiring.cards import deck
from firstlight.wiring.explaining import explain_inputs

if TYPE_CHECKING:
    from firstlight.compare.sets import Round

_OF_A_PLAN = re.compile(r"\d{2,}-.+-(?:cold|warm|wake)(-fill)?")
"""What the rounds of a step are labelled with in the run of a plan, those that fill and others."""
_NOT_ASKED = "compare asks no engine what it serves; `firstlight experiment` does"


def require_statistics() -> None:
    """
    What every comparison needs.

    Raises:
        BadInput: scipy is not installed.
    """
    if find_spec("scipy") is None:
        raise BadInput(
            "this needs the extra for statistics (scipy is not installed)",
            remedy="pip install 'firstlight[statistics]'",
        )


def compare_inputs(
    first: Sequence[str],
    second: Sequence[str],
    *,
    changed: Sequence[str] = (),
    may_vary: Sequence[str] = (),
    technique: str | None = None,
    phases: Sequence[str] = (),
    scenarios: bool = False,
) -> dict[str, Any]:
    """
    The document of a comparison.

    Args:
        first: records, run folders, bundles or logs.
        second: others.
        changed: names of fingerprints that may differ.
        may_vary: names that may vary within a set.
        technique: whose change is the declared one, and whose claims are tested.
        phases: tested beside those of the technique.
        scenarios: whether the two are cold and warm starts, to be reconciled.

    Raises:
        BadInput: something cannot be read, is not known, or scipy is missing.
        NothingFound: there is no start in one of them.
    """
    require_statistics()
    from firstlight.compare.comparison import compare  # noqa: PLC0415
    from firstlight.compare.document import (  # noqa: PLC0415
        comparison_document,
        reconciliation_document,
    )
    from firstlight.compare.effects import with_effect  # noqa: PLC0415
    from firstlight.compare.reconcile import reconcile  # noqa: PLC0415
    from firstlight.compare.sets import SCENARIO, round_set  # noqa: PLC0415

    _check_phases(phases)
    _check_names([*changed, *may_vary])
    card = deck().card(technique) if technique else None
    before, after = _in_order(_rounds(first), _rounds(second))
    names = _called(first, second)
    one, two = round_set(names[0], before), round_set(names[1], after)
    declared = [*changed, *(declared_by(card) if card else ()), *([SCENARIO] if scenarios else ())]
    claimed = [*(card.claim.phases if card else ()), *phases]
    document = comparison_document(
        compare(one, two, declared=declared, claimed=claimed, varying=may_vary)
    )
    if scenarios:
        found = reconcile(one, two)
        document["scenarios"] = found and reconciliation_document(found)
    if card:
        document = with_effect(document, card, two)
    document["notes"] += [*_said_and_not_seen(document, changed, may_vary), _NOT_ASKED]
    return document


def _said_and_not_seen(
    document: Mapping[str, Any], changed: Sequence[str], may_vary: Sequence[str]
) -> list[str]:
    """Of what was said to differ or to vary: what does not."""
    differing = [part["name"] for part in document["declared"]]
    varying = [part["name"] for part in document["varying"]]
    return [
        f"{name} was said to have changed, and is not seen to differ"
        for name in changed
        if not fnmatch.filter(differing, name)
    ] + [
        f"{name} was said to vary, and is not let through: it does not vary, or has no value in "
        "common on both sides"
        for name in may_vary
        if not fnmatch.filter(varying, name)
    ]


def _rounds(paths: Sequence[str]) -> "list[Round]":
    """Each path by itself: nodes of two clusters, or of two weeks, may have one name."""
    from firstlight.compare.sets import Round  # noqa: PLC0415

    found = []
    for path in paths:
        starts = explain_inputs([path])
        # A log by itself is a part of the run that all such logs of a side are of.
        run = path if len(starts) > 1 else ""
        found += [
            Round(name=s.source, start=s, fill=_was_to_fill(s, path), run=run) for s in starts
        ]
    return [one for one in found if one.start.engine is not None] or found


def _was_to_fill(start: Start, path: str) -> bool | None:
    """Whether a round was run to fill something; None where it is of no plan, so nobody says."""
    folder = Path(start.source).parent
    given = Path(path).resolve()
    # A pod does not say where its round lies: what was given is its folder, or its label's.
    labels = [read_round(folder).label] if is_round(folder) else [given.name, given.parent.name]
    told = next((found for label in labels if (found := _OF_A_PLAN.fullmatch(label))), None)
    return None if told is None else told[1] is not None


def _in_order(first: "list[Round]", second: "list[Round]") -> "list[list[Round]]":
    """The rounds of both sides in order of time; of those without a time it is not known."""
    moments = sorted({moment for one in (*first, *second) if (moment := _begun_ns(one.start))})
    order = {moment: number for number, moment in enumerate(moments, start=1)}
    return [
        [replace(one, order=order.get(_begun_ns(one.start) or 0)) for one in side]
        for side in (first, second)
    ]


def _begun_ns(start: Start) -> int | None:
    """When it began; None where its lines do not tell."""
    return start.total.timeline.start_ns if start.total and start.timed else None


def _called(first: Sequence[str], second: Sequence[str]) -> tuple[str, str]:
    """What to call the two: the ends of their paths, as far as that tells them apart."""
    paths = Path(first[0]), Path(second[0])
    longest = max(len(path.parts) for path in paths)
    for length in range(1, longest + 1):
        one, two = (str(Path(*path.parts[-length:])) for path in paths)
        if one != two:
            return _with_more(one, first), _with_more(two, second)
    return _with_more(paths[0].name or first[0], first), _with_more(paths[1].name, second)


def _with_more(name: str, paths: Sequence[str]) -> str:
    return name if len(paths) == 1 else f"{name} and {len(paths) - 1} more"


def _check_names(changed: Sequence[str]) -> None:
    for name in changed:
        if "*" in name or name in {*NAMES, "scenario"} or name.startswith((ARGUMENT, ENVIRONMENT)):
            continue
        near = difflib.get_close_matches(name, NAMES, n=1)
        raise BadInput(
            f"no part of a fingerprint is called {name}",
            remedy=f"did you mean {near[0]}?"
            if near
            else f"say argument:--NAME, environment:NAME, or one of {', '.join(NAMES)}",
        )


def _check_phases(phases: Sequence[str]) -> None:
    known = [phase.value for phase in Phase]
    for name in phases:
        if name.partition("/")[0] not in known:
            raise BadInput(f"there is no phase {name}", remedy=f"say one of {', '.join(known)}")

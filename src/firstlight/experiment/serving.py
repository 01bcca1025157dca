"""
What an engine served, and whether a change left it as it was.

Greedy answers of one engine need not be equal from start to start: which kernel is chosen may
depend on what was measured in that start. So the baseline is held against itself first. Where
its own rounds all say the same, a later step must say it too; where they do not, equality
cannot be asked of anybody, and it is told how many tokens agree.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import msgspec

from firstlight.core.records import SERVING
from firstlight.core.units import seconds
from firstlight.readers.own_records import read_record


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """One prompt, and what came of it."""

    prompt: str
    ttft_ns: int | None = None
    """From the question to the first token; None where none came."""
    e2e_ns: int | None = None
    text: str = ""
    tokens: tuple[str, ...] = ()
    problem: str | None = None


class Served(msgspec.Struct, frozen=True, kw_only=True):
    """All requests to one engine."""

    schema: str
    requests: tuple[Request, ...]
    no_token: str | None = None
    """Why it gave not even a first token, so that nothing else was asked; None where it did."""

    @property
    def problem(self) -> str | None:
        """Why a request was not answered; None where all were."""
        return self.no_token or next((one.problem for one in self.requests if one.problem), None)

    @property
    def digest(self) -> str | None:
        """Of what it said; None where a request was not answered."""
        if self.problem is not None:
            return None
        said = msgspec.json.encode([[one.text, one.tokens] for one in self.requests])
        return f"sha256:{hashlib.sha256(said).hexdigest()[:16]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """What the baseline serves, and whether that is always the same."""

    served: Served
    """Of its first round."""
    is_steady: bool
    """Whether all its rounds said the same."""
    lowest_agreement: float
    """Of its own rounds with the first, from 0 to 1."""


def read_served(artefact: str, data: bytes) -> Served:
    """
    What stands in a serving.json.

    Raises:
        BadInput: it is damaged.
        NewerRecord: a newer firstlight wrote it.
    """
    return read_record(SERVING, Served, artefact, data, what="serving check")


def without_token(problem: str | None) -> Served:
    """
    Of an engine that is ready and gave no token.

    Args:
        problem: what it said instead; None where that was not recorded.
    """
    words = "no first token came" if problem is None else f"no first token: {problem}"
    return Served(schema=SERVING.schema, requests=(), no_token=words)


def reference(rounds: Sequence[Served]) -> Reference | None:
    """The baseline against itself; None where no round of it answered everything."""
    answered = [one for one in rounds if one.problem is None]
    if not answered:
        return None
    first = answered[0]
    return Reference(
        served=first,
        is_steady=all(one.digest == first.digest for one in answered),
        lowest_agreement=min(agreement(one, first) for one in answered),
    )


def agreement(one: Served, other: Served) -> float:
    """The share of tokens that are the same at the same place, over all requests."""
    same = longest = 0
    for mine, theirs in zip(one.requests, other.requests, strict=False):
        same += sum(a == b for a, b in zip(mine.tokens, theirs.tokens, strict=False))
        longest += max(len(mine.tokens), len(theirs.tokens))
    return same / longest if longest else 1.0


def told(served: Served, held_against: Reference | None) -> dict[str, Any]:
    """One round's check for the document."""
    problem = served.problem
    answered = [one for one in served.requests if one.problem is None]
    ttft = [one.ttft_ns for one in answered if one.ttft_ns is not None]
    e2e = [one.e2e_ns for one in answered if one.e2e_ns is not None]
    document: dict[str, Any] = {
        "ttft_s": seconds(round(median(ttft))) if ttft else None,
        "e2e_s": seconds(round(median(e2e))) if e2e else None,
        "requests": len(served.requests),
        "problem": problem,
        "same_text": None,
        "agreement": None,
    }
    if held_against is None or problem is not None:
        return document
    document["agreement"] = round(agreement(served, held_against.served), 4)
    if held_against.is_steady:
        document["same_text"] = served.digest == held_against.served.digest
    return document

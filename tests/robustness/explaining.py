"""Explain bytes the way the command does, and check what must hold for any bytes at all."""

import io
import json
import re
from collections.abc import Sequence
from typing import Any

from rich.console import Console

from firstlight.core.starts import Start
from firstlight.explain.explain import explain_log
from firstlight.readers.vllm_log import read_log
from firstlight.report.json_contract import explanation
from firstlight.report.text import print_starts

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])")
_CRI_JOINT = re.compile(r"\r?\n\S+ (?:stdout|stderr) [FP] ?")
_DIGITS = re.compile(r"[0-9][0-9.]*")
_THOUSANDS = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?")


def explain(data: bytes, chunks: Sequence[bytes] | None = None, name: str = "a.log") -> list[Start]:
    """The starts in these bytes; a traceback here is a failure of the test."""
    return explain_log(read_log(name, [data] if chunks is None else chunks))


def as_json(starts: Sequence[Start]) -> dict[str, Any]:
    """The document as a machine reads it: NaN and infinity are no JSON."""
    document: dict[str, Any] = json.loads(json.dumps(explanation(starts), allow_nan=False))
    return document


def as_text(starts: Sequence[Start], *, width: int = 120, everything: bool = False) -> str:
    """What a person sees where the output is no terminal.

    The console obeys markup and emoji codes wherever somebody hands it a string, so
    foreign text that was not kept from it shows.
    """
    out = io.StringIO()
    print_starts(Console(file=out, width=width), starts, everything=everything)
    return out.getvalue()


def printed_numbers(data: bytes) -> set[float]:
    """Every whole number token of the input, as any reader of the log would see it."""
    encodings = ["utf-8"]
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in data[:64]:
        encodings += ["utf-16-le", "utf-16-be"]
    text = "\n".join(data.decode(encoding, "replace") for encoding in encodings)
    plain = _ANSI.sub("", text)
    variants = (text, plain, _CRI_JOINT.sub("", plain))
    tokens = {token.rstrip(".") for variant in variants for token in _DIGITS.findall(variant)}
    tokens |= {token.replace(",", "") for token in _THOUSANDS.findall(plain)}
    return {sign * float(token) for token in tokens if token.count(".") <= 1 for sign in (1, -1)}


def fact_numbers(document: dict[str, Any]) -> set[float]:
    """Every number that the document states as printed by the engine."""
    return {
        float(value["seconds"] if isinstance(value, dict) else value)
        for start in document["starts"]
        for values in start["facts"].values()
        for value in values
    }


def check(data: bytes, chunks: Sequence[bytes] | None = None) -> list[Start]:
    """All that must hold whatever the bytes are."""
    starts = explain(data, chunks)
    document = as_json(starts)
    assert set() == fact_numbers(document) - printed_numbers(data)
    for start in starts:
        if start.total:
            timeline = start.total.timeline
            assert timeline.length_ns == sum(span.length_ns for span in start.phases)
            assert timeline.length_ns == timeline.end_ns - timeline.start_ns
    for text in (as_text(starts), as_text(starts, width=20, everything=True)):
        obeyed = {c for c in text if (ord(c) < 0x20 or 0x7F <= ord(c) < 0xA0) and c != "\n"}
        assert set() == obeyed
        text.encode("utf-8")
    return starts

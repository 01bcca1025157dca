"""
What `lint` found, a few lines each.

The first line is what editors and other programs look for: `FILE:LINE: severity code: what`.
It is not folded. Below it stand the object with the path in it, and what to do. Everything is
read from the document that `lint --output json` prints.
"""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from rich.console import Console
from rich.text import Text

from firstlight.report.escape import visible

_STYLES = {"error": "bold red", "warning": "yellow", "note": "cyan"}
"""The worst first."""


def print_lint(console: Console, document: Mapping[str, Any], *, suppressed: bool) -> None:
    """
    Write the findings to the console.

    Args:
        console: where to.
        document: what `lint` found.
        suppressed: those that were set aside too, each with its reason.
    """
    for line in _lines(document, suppressed=suppressed):
        console.print(line, soft_wrap=True)


def print_rule(console: Console, rule: Mapping[str, Any]) -> None:
    """Everything that is said of a rule."""
    head = Text(rule["code"], style="bold")
    head.append(f" · {rule['severity']}", style=_STYLES[rule["severity"]])
    console.print(head)
    console.print(Text(f"{rule['title']}."))
    console.print()
    console.print(Text(rule["why"]))
    console.print(Text(f"→ {rule['remedy']}", style="green"))
    for source in rule["sources"]:
        console.print(Text(f"  {source['origin']}: {source['where']}", style="dim"), soft_wrap=True)
    if rule["techniques"]:
        console.print(Text(f"  it guards {', '.join(rule['techniques'])}", style="dim"))
    console.print(Text(f"  examples: docs/rules/{rule['code']}.md", style="dim"), soft_wrap=True)


def _lines(document: Mapping[str, Any], *, suppressed: bool) -> Iterator[Text]:
    for one in document["findings"]:
        yield _finding(one, document)
    if suppressed:
        for one in document["suppressed"]:
            yield _finding(one, document)
            yield Text(f"  set aside by {one['by']}: {visible(one['reason'])}", style="dim")
    for one in document["not_judged"]:
        yield Text(f"{one['code']} was not judged: {visible(one['message'])}", style="bold red")
        yield Text(f"  → {visible(one['remedy'])}", style="green")
    for note in document["notes"]:
        yield Text(f"about the input: {visible(note)}", style="dim")
    yield from _engines(document)
    yield _summary(document)


def _finding(one: Mapping[str, Any], document: Mapping[str, Any]) -> Text:
    line = Text(f"{_place(one, document)}: ")
    line.append(one["severity"], style=_STYLES[one["severity"]])
    line.append(f" {one['code']}: {visible(one['what'])}")
    path = " ".join(part for part in (_named(one["object"]), visible(one["path"])) if part)
    if one["artefact"] or one["path"]:
        line.append(f"\n  {path}", style="dim")
    line.append(f"\n  → {visible(one['remedy'])}", style="green")
    return line


def _place(one: Mapping[str, Any], document: Mapping[str, Any]) -> str:
    if one["artefact"]:
        return visible(one["artefact"]) + (f":{one['line']}" if one["line"] else "")
    namespace = one["object"]["namespace"]
    where = _named(one["object"]) + (f" -n {visible(namespace)}" if namespace else "")
    if document["intent"]:
        return f"{visible(document['intent'])} {_steps(one['steps'])} {_named(one['object'])}"
    return where


def _steps(numbers: list[int]) -> str:
    """`step 2`, `steps 1-5`, `steps 0, 3-5`."""
    if len(numbers) == 1:
        return f"step {numbers[0]}"
    first = [n for n, before in zip(numbers, [None, *numbers], strict=False) if n - 1 != before]
    ends = {first[-1]: numbers[-1]}
    for here, following in pairwise(first):
        ends[here] = max(n for n in numbers if n < following)
    rows = (f"{n}" if ends[n] == n else f"{n}-{ends[n]}" for n in first)
    return f"steps {', '.join(rows)}"


def _engines(document: Mapping[str, Any]) -> Iterator[Text]:
    for engine in document["engines"]:
        if engine["unknown"]:
            why = "; ".join(visible(said) for said in engine["unknown"])
            container = visible(engine["container"])
            yield Text(
                f"{_named(engine['object'])} [{container}]: not all arguments are known ({why}); "
                "rules about the others stay silent",
                style="dim",
            )
    if not document["engines"]:
        yield Text(
            "no container here is seen to run vLLM, so rules about engines had nothing to look at",
            style="yellow",
        )


def _summary(document: Mapping[str, Any]) -> Text:
    counts = document["counts"]
    said = ", ".join(
        _counted(counts[word], word) for word in ("error", "warning", "note") if counts[word]
    )
    line = Text(said or "nothing found", style="bold")
    objects = _counted(document["objects"], "object")
    engines = _counted(len(document["engines"]), "engine")
    line.append(f" in {objects} with {engines}", style="not bold")
    if counts["suppressed"]:
        line.append(f"; {counts['suppressed']} set aside", style="not bold")
    if document["findings"]:
        order = list(_STYLES)
        worst = min(document["findings"], key=lambda one: order.index(one["severity"]))["code"]
        line.append(f"; why: firstlight lint --explain {worst}", style="dim not bold")
    return line


def _counted(number: int, word: str) -> str:
    return f"{number} {word}" + ("" if number == 1 else "s")


def _named(one: Mapping[str, Any]) -> str:
    return visible(f"{one['kind'].lower()}/{one['name']}")

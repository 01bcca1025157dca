"""
A technique's page, made from its card.

Documentation of what a technique does goes stale when it stands beside the data. So the page
is the card, in the order in which somebody reads who has to decide: what it is, what it claims
and who says so, what exactly changes, how one sees that it took effect, what it needs, what
can go wrong, what was decided and when to look again. `docs/make_pages.py` writes the pages.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from firstlight.readers.yaml_text import document_text
from firstlight.techniques.card import Card, KubernetesChange, Sign, Status
from firstlight.techniques.deck import BUILT_IN_PARAMETERS, Deck
from firstlight.techniques.parameters import REFERENCE, references
from firstlight.techniques.process_words import process_words
from firstlight.techniques.sources import Origin, Source

ORIGINS = {
    Origin.REFERENCE_CASE: "reference case",
    Origin.MEASURED: "measured by us",
    Origin.UPSTREAM: "upstream",
    Origin.REPORTED: "reported by others",
    Origin.OURS: "ours",
}
"""As the pages call them."""
SCENARIOS = {
    "cold": "on a new node",
    "warm": "on a node that was there",
    "wake": "that is a return from idle",
}
_GENERATED = "<!-- made from the card by `make docs`; change src/firstlight/techniques/{} -->"
_ABOUT = (
    "One change with one claim each. A claim says who found it: measured in the reference case, "
    "reported by others, or stated upstream; ours is a judgement and no figure. What was decided "
    "holds until its condition comes true: see [decide](../decide.md)."
)
_ADDING = (
    "A card is one YAML file; [card.schema.json](card.schema.json) is its form. A new technique "
    "is a new file, and `make docs` makes its page."
)
_SPECIAL = re.compile(r"([*<>|])")


def card_page(card: Card) -> str:
    """The page of a technique, in Markdown."""
    return _joined(
        [
            _GENERATED.format(f"{card.id}.yaml"),
            f"# {card.title}",
            f"`{card.id}` · {card.decision.status.value}, {_from(card.decision.origin)}",
            _text(card.says),
            *_claim(card),
            *_kubernetes(card),
            *_process(card),
            *_proof(card.proof),
            *_requires(card),
            *_risks(card),
            *_decision(card),
        ]
    )


def index_page(deck: Deck) -> str:
    """The table of all techniques."""
    rows = [
        f"| [{card.id}]({card.id}.md) | {_text(card.claim.says)} | {card.decision.status.value}, "
        f"{_from(card.decision.origin)} | `{card.decision.look_again.when}` |"
        for status in Status
        for card in deck
        if card.decision.status is status
    ]
    table = "\n".join(
        [
            "| technique | claims | decision | look again when, or pays when |",
            "|" + "---|" * 4,
            *rows,
        ]
    )
    return _joined(
        [
            _GENERATED.format("*.yaml"),
            "# Techniques",
            _ABOUT,
            table,
            _ADDING,
        ]
    )


def card_schema() -> dict[str, Any]:
    """The form of a card, as JSON Schema."""
    return msgspec.json.schema(Card)


def _claim(card: Card) -> Iterator[str]:
    claim = card.claim
    yield "## What it claims"
    yield _text(claim.says) + _sources(claim.sources)
    facts = []
    if claim.phases:
        facts.append("phases: " + ", ".join(f"`{phase}`" for phase in claim.phases))
    if claim.before_s is not None and claim.after_s is not None:
        of = " of a whole start" if claim.figures_of == "start" else ""
        facts.append(f"before {claim.before_s:g} s{of}, after {claim.after_s:g} s")
    if claim.scenarios:
        facts.append("for a start " + " or ".join(SCENARIOS[one] for one in claim.scenarios))
    if facts:
        yield _bullets(facts)


def _kubernetes(card: Card) -> Iterator[str]:
    change = card.change.kubernetes
    yield "## The change in Kubernetes"
    if change.refused:
        yield f"No patch is offered: {_text(change.refused)}."
        return
    yield f"```sh\nfirstlight render deployment.yaml --technique {card.id}{_given(card)}\n```"
    if card.builds_on:
        yield "It builds on " + _links(card.builds_on) + ", which has to be there first."
    if card.replaces:
        yield "It takes the place of " + _links(card.replaces) + "."
    if card.excludes:
        yield "It cannot be combined with " + _links(card.excludes) + "."
    if card.parameters:
        yield _bullets(
            f"`{name}`: {_text(one.says)}" + (f" (`{one.default}`)" if one.default else "")
            for name, one in card.parameters.items()
        )
    if change.prerequisites:
        yield "The cluster needs first:"
        yield _bullets(_text(_with_names(one)) for one in change.prerequisites)
    if change.refuse_when:
        yield "It is refused, or said, where this can be seen:"
        yield _bullets(f"{_text(one.says)}: {_text(one.remedy)}." for one in change.refuse_when)
    yield from _operations(change)


def _with_names(text: str) -> str:
    """Parameters as names in capitals, for whoever knows their values."""
    return REFERENCE.sub(lambda found: found[1].upper(), text)


def _operations(change: KubernetesChange) -> Iterator[str]:
    operations = msgspec.to_builtins(change.operations)
    if known := sorted(references(operations) & BUILT_IN_PARAMETERS):
        yield "Taken from your workload: " + ", ".join(f"`{name}`" for name in known) + "."
    yield f"```yaml\n{document_text(operations)}```"


def _given(card: Card) -> str:
    """What has to be given on the command line; the rest has a default."""
    wanted = [name for name, one in card.parameters.items() if one.default is None]
    return "".join(f" --set {name}={name.upper()}" for name in wanted)


def _process(card: Card) -> Iterator[str]:
    change = card.change.process
    yield "## The change for a process"
    if change.refused:
        yield f"None: {_text(change.refused)}."
        return
    words = process_words([card])
    if len(words) > 1:
        command = " \\\n  ".join(words)
        yield f"```sh\n{command}\n```"
    if change.before:
        yield _sentence(change.before)


def _proof(signs: tuple[Sign, ...]) -> Iterator[str]:
    yield "## How one sees that it took effect"
    yield "`firstlight explain` looks for these, and leaves the technique out where it finds none:"
    yield _bullets(
        f"**{sign.means.value}** by `{sign.sign}`: {_code(sign.says)}{_sources(sign.sources)}"
        for sign in signs
    )


def _requires(card: Card) -> Iterator[str]:
    if card.requires:
        yield "## What it requires"
        yield _bullets(_text(need.says) + _sources(need.sources) for need in card.requires)


def _risks(card: Card) -> Iterator[str]:
    if card.risks:
        yield "## What can go wrong"
        yield _bullets(
            f"{_text(risk.says)} *What to do:* {_text(risk.remedy)}.{_sources(risk.sources)}"
            for risk in card.risks
        )
    if card.lint:
        yield (
            "Rules that guard it: "
            + ", ".join(f"[{code}](../rules/{code}.md)" for code in card.lint)
            + "."
        )


def _decision(card: Card) -> Iterator[str]:
    decision, again = card.decision, card.decision.look_again
    yield "## What was decided"
    yield (
        f"**{decision.status.value.capitalize()}**, {_from(decision.origin)}: "
        f"{_text(decision.reason)}.{_sources(decision.sources)}"
    )
    when = "It pays when" if decision.status is Status.CONDITIONAL else "Look again when"
    yield f"{when} `{again.when}`: {_text(again.says)} ({_from(again.origin)})."
    yield f"```sh\nfirstlight decide --technique {card.id}\n```"


def _from(origin: Origin) -> str:
    match origin:
        case Origin.OURS:
            return "our judgement"
        case Origin.REFERENCE_CASE:
            return "from the reference case"
        case _:
            return ORIGINS[origin]


def _sources(sources: Iterable[Source]) -> str:
    said = "; ".join(f"{ORIGINS[one.origin]}: {_text(one.where)}" for one in sources)
    return f" ({said})" if said else ""


def _links(techniques: Iterable[str]) -> str:
    return ", ".join(f"[{one}]({one}.md)" for one in techniques)


def _sentence(text: str) -> str:
    return _text(text[:1].upper() + text[1:]) + "."


def _text(text: str) -> str:
    """Prose, whose backticks are meant and whose other signs are not."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(p if p.startswith("`") else _SPECIAL.sub(r"\\\1", p) for p in parts)


def _code(text: str) -> str:
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _joined(blocks: Iterable[str]) -> str:
    return "\n\n".join(blocks) + "\n"

"""
A rule's page: why it is one, what breaks it, and what keeps it.

The page is made of the rule itself and of two manifests that the tests judge: the bad one
breaks this rule, the good one breaks none. So what stands there is what happens.
`docs/make_pages.py` writes the pages.
"""

from collections.abc import Mapping, Sequence
from typing import Any

_GENERATED = "<!-- made from the rule by `make docs`; change src/firstlight/lint/rules/{} -->"
_ABOUT = (
    "What `firstlight lint` judges. A rule looks at all objects together and says nothing where "
    "it does not know. An *error* is a start that fails, serves wrongly, or is open to anybody; a "
    "*warning* costs seconds or money, or has no effect; a *note* may be meant. How to set one "
    "aside, with a reason: [lint](../lint.md#set-a-finding-aside)."
)
_ORIGINS = {
    "reference-case": "reference case",
    "measured": "measured by us",
    "upstream": "upstream",
    "reported": "reported by others",
    "ours": "ours",
}
_ORDER = ("error", "warning", "note")


def rule_page(rule: Mapping[str, Any], *, bad: str, good: str) -> str:
    """
    The page of a rule, in Markdown.

    Args:
        rule: as `lint --list --output json` says it.
        bad: a manifest that breaks it.
        good: one that keeps it.
    """
    blocks = [
        _GENERATED.format(f"{rule['code'].replace('-', '_')}.py"),
        f"# {rule['title']}",
        f"`{rule['code']}` · {rule['severity']}"
        + (" · asks what only a cluster tells" if rule["live"] else ""),
        _text(rule["why"]),
        f"*What to do:* {_text(rule['remedy'])}.",
    ]
    if rule["techniques"]:
        links = ", ".join(f"[{one}](../techniques/{one}.md)" for one in rule["techniques"])
        blocks.append(f"It guards {links}.")
    blocks += [
        "## What breaks it",
        f"```yaml\n{bad.rstrip()}\n```",
        "## What keeps it",
        f"```yaml\n{good.rstrip()}\n```",
        "## Who says so",
        "\n".join(
            f"- {_ORIGINS[source['origin']]}: {_text(source['where'])}"
            for source in rule["sources"]
        ),
    ]
    return "\n\n".join(blocks) + "\n"


def rules_page(rules: Sequence[Mapping[str, Any]]) -> str:
    """The table of all rules, the worst first."""
    rows = [
        f"| [{rule['code']}]({rule['code']}.md) | {rule['severity']} | {_text(rule['title'])} |"
        for severity in _ORDER
        for rule in rules
        if rule["severity"] == severity
    ]
    table = "\n".join(["| rule | severity | what it asks for |", "|" + "---|" * 3, *rows])
    return "\n\n".join([_GENERATED.format("*.py"), "# Rules", _ABOUT, table]) + "\n"


def _text(text: str) -> str:
    """Prose, whose backticks are meant and whose angle brackets and bars are not."""
    parts = text.split("`")
    return "`".join(
        part if at % 2 else part.replace("|", "\\|").replace("<", "\\<").replace("*", "\\*")
        for at, part in enumerate(parts)
    )

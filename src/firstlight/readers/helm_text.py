"""
Helm's templates, told from what Helm makes of them.

A chart's files look like manifests and are none: `{{ .Values.image }}` has no value before
Helm gives it one. Two braces alone do not make a template of Helm's: chat templates and
dashboards have them too, in quotes and blocks, and are left alone. So an action counts where
YAML broke, and in values only where it speaks of what only Helm knows.
"""

import re

from firstlight.core.errors import BadInput

_ACTION = re.compile(
    r"\{\{-?\s*(?:[.$]|/\*|(?:if|else|end|range|with|include|define|template|block|tpl|toYaml"
    r"|printf|default|quote|lookup|required|fail|not|and|or|eq)\b)"
)
LET_HELM = "let Helm make the objects, and give those: `helm template RELEASE CHART` into `-`"
"""What to do with a chart."""
_HELMS_OWN = re.compile(r"\{\{-?[^}]*(?:\$?\.(?:Values|Release|Chart|Capabilities)\b|\binclude\s)")


def first_template_line(text: str) -> int | None:
    """The line of the first action of a template; None where there is none."""
    for number, line in enumerate(text.split("\n"), start=1):
        if _ACTION.search(line) and not line.lstrip().startswith("#"):
            return number
    return None


def speaks_of_helm(text: str) -> bool:
    """Whether a value holds an action that only Helm could carry out."""
    return bool(_HELMS_OWN.search(text))


def template_refusal(artefact: str, line: int) -> BadInput:
    """What to say of a template."""
    return BadInput(
        f"{artefact} is a Helm template, line {line}: it has no values yet",
        remedy=LET_HELM,
    )

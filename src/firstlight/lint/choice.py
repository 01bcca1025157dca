"""
Which rules are judged.
"""

import difflib
from collections.abc import Sequence

from firstlight.core.errors import BadInput
from firstlight.lint.rule import Rule


def rule_of(code: str, rules: Sequence[Rule]) -> Rule:
    """
    The rule of a code.

    Raises:
        BadInput: there is none.
    """
    codes = {rule.code: rule for rule in rules}
    if code in codes:
        return codes[code]
    if not code.strip():
        raise BadInput(
            "an empty text is the name of no rule",
            remedy="name one that `firstlight lint --list` shows",
        )
    near = difflib.get_close_matches(code, codes, n=1)
    raise BadInput(
        f"no rule is called {code}",
        remedy=f"did you mean {near[0]}?" if near else "`firstlight lint --list` shows all of them",
    )


def chosen(codes: Sequence[str], rules: Sequence[Rule]) -> tuple[Rule, ...]:
    """
    The rules of some codes, in their own order; all of them where none is named.

    Raises:
        BadInput: there is none of such a code.
    """
    wanted = {rule_of(code, rules).code for code in codes}
    return tuple(rule for rule in rules if not wanted or rule.code in wanted)

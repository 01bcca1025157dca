"""
A register as a file that is pleasant in git: one decision a paragraph, one field a line.

The head says how the file is used, because whoever finds it in a repository has never heard of
it. The same register is always the same text.
"""

from typing import Any

import msgspec

from firstlight.decisions.facts import Fact, Standing
from firstlight.decisions.register import VERSION, Register
from firstlight.readers.yaml_text import document_text

_HEAD = """\
# What we decided about the ways to a faster start, and when to look again.
#
#   firstlight decide THIS-FILE                    # which decisions stand, which flip, and why
#   firstlight decide THIS-FILE --set ebs_gbps=20  # with facts of your own
#   firstlight decide THIS-FILE --records runs/new # with what your own starts show
#   firstlight decide THIS-FILE --check            # exit code 1 when one flips: for CI
#
# status      recommended, conditional or excluded
# origin      who decided it: reference-case (a published measurement, not of your machines), ours
#             (firstlight's makers), or here (you). A decision becomes yours by your evidence:
#               evidence: [{where: runs/streamed/round-01, says: weights in 19.8 s}]
# look_again  `when` is tested: facts, numbers, + - * /, comparisons, and, or, not, ( )
# facts       what you know and no record shows, at the end of the file:
#               facts: {ebs_gbps: {value: 10, source: the volume's setting}}
"""


def register_text(register: Register) -> str:
    """The file of a register; reading it back gives the same decisions and facts."""
    parts = [_HEAD, f"version: {VERSION}\n"]
    if not register.decisions:
        parts.append("decisions: []\n")
    for number, decision in enumerate(register.decisions):
        opening = "decisions:\n" if number == 0 else ""
        parts.append(opening + document_text([msgspec.to_builtins(decision)]))
    if register.facts:
        stated = {fact.name: _stated(fact) for fact in register.facts.values()}
        parts.append(document_text({"facts": stated}))
    return "\n".join(parts)


def _stated(fact: Fact) -> Any:
    if fact.standing is Standing.COMMAND_LINE:
        return fact.value
    return {"value": fact.value, "source": fact.source}

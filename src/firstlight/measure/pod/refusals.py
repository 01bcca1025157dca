"""
A no of the API server, as a sentence that says which right would help.
"""

from firstlight.core.errors import OutsideFailed
from firstlight.measure.pod.ports import Refused

_FORBIDDEN = 403


def not_allowed(answer: Refused) -> OutsideFailed:
    """The API server refused something that the measurement cannot do without."""
    if answer.status == _FORBIDDEN:
        return OutsideFailed(
            f"you may not {answer.verb} {answer.resource}: {answer.words}",
            remedy=f'grant the verb "{answer.verb}" on {answer.resource}; '
            "the roles in docs/rbac have all that measuring needs",
        )
    return OutsideFailed(
        f"the cluster refuses to {answer.verb} {answer.resource} ({answer.status}): {answer.words}",
        remedy="see what its words name, and measure again",
    )

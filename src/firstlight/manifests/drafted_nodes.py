"""
The NodePool and the EC2NodeClass of the workload, as a draft has made of them.

Two operations change nodes. Both mean those of this workload's pods, and refuse in the same
words where that cannot be told.
"""

from firstlight.manifests.draft import Draft
from firstlight.manifests.karpenter_references import CLASS_KIND, POOL_KIND, POOL_LABEL, class_of
from firstlight.manifests.objects import Value
from firstlight.manifests.pool_choice import Unclear, chosen_pool, named_pool


def pool_in(draft: Draft) -> tuple[Value, str]:
    """
    The pool of the workload's nodes, to be changed in place, and where it is written.

    Raises:
        BadInput: it cannot be told, or is not among the objects.
    """
    try:
        found = chosen_pool(draft.pod, draft.others(POOL_KIND))
        if found is not None:
            return found
        wanted = named_pool(draft.pod)
    except Unclear as e:
        raise draft.refusal(
            str(e), remedy=f"let the pods select the one that is meant by {POOL_LABEL}"
        ) from None
    raise draft.refusal(
        f"NodePool/{wanted} is not among the objects"
        if wanted
        else "it changes a NodePool, and there is none among the objects",
        remedy="give the workload's NodePool and EC2NodeClass too",
    )


def class_in(draft: Draft, pool: tuple[Value, str]) -> tuple[Value, str]:
    """
    The class of a pool, to be changed in place, and where it is written.

    Raises:
        BadInput: it is not among the objects.
    """
    wanted = class_of(pool[0])
    for value, place in draft.others(CLASS_KIND):
        if value["metadata"].get("name") == wanted:
            return value, place
    raise draft.refusal(
        f"the {CLASS_KIND} {wanted} of {pool[1]} is not among the objects", remedy="give it too"
    )

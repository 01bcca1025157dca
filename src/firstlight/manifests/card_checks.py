"""
A card's checks, held against the objects before anything is drawn on them.
"""

from collections.abc import Mapping
from typing import Any

from firstlight.core.image_reference import is_pinned
from firstlight.manifests.draft import Draft
from firstlight.manifests.drafted_nodes import class_in, pool_in
from firstlight.manifests.json_values import same
from firstlight.manifests.karpenter_references import CLASS_KIND, POOL_KIND
from firstlight.readers.json_pointer import value_at
from firstlight.techniques.card import Card
from firstlight.techniques.check import Check


def check_card(card: Card, draft: Draft, values: Mapping[str, Any]) -> None:
    """
    Refuse, or say, what the card says must not be there.

    Raises:
        BadInput: something is in the way; the sentence says where it stands.
    """
    for check in card.change.kubernetes.refuse_when:
        place = _place(check, draft, values)
        if place is None:
            continue
        if check.refuses:
            raise draft.refusal(f"{check.says} ({place})", remedy=check.remedy)
        draft.assume(f"{check.says} ({place}); {check.remedy}")


def _place(check: Check, draft: Draft, values: Mapping[str, Any]) -> str | None:
    """Where what is in the way stands; None where it is not there."""
    if check.parameters:
        found = {str(values.get(name)) for name in check.parameters}
        return " and ".join(check.parameters) if len(found) == 1 else None
    if check.argument is not None:
        return _argument(check.argument, draft)
    return _field(check, draft)


def _argument(argument: str, draft: Draft) -> str | None:
    line = draft.line()
    if (option := line.last(argument)) is not None:
        return draft.before.place(line.pointer(draft.container, option.at))
    given = (source.place for source in draft.hidden(line) if source.last(argument) is not None)
    return next(given, None)


def _field(check: Check, draft: Draft) -> str | None:
    value, place = _object(check, draft)
    there = value_at(value, check.path)
    in_the_way = any(same(there, one) for one in check.values) if check.values else bool(there)
    return place if in_the_way else None


def _object(check: Check, draft: Draft) -> tuple[Any, str]:
    manifest, pod = draft.before.manifest, draft.before.pod_pointer
    match check.of:
        case "engine":
            return _as_defaulted(draft.container), draft.before.place(check.path)
        case "pod":
            return draft.pod, manifest.place(pod + check.path)
        case kind if kind in {POOL_KIND, CLASS_KIND}:
            pool = pool_in(draft)
            return pool if kind == POOL_KIND else class_in(draft, pool)
        case kind:
            for one in draft.objects.of_kind(str(kind)):
                if one.identity.name == draft.before.namespace:
                    return one.value, one.place(check.path)
    return {}, ""


def _as_defaulted(container: dict[str, Any]) -> dict[str, Any]:
    """With the pull policy that Kubernetes sets where none is written."""
    pinned = is_pinned(str(container.get("image") or ""))
    policy = container.get("imagePullPolicy") or ("IfNotPresent" if pinned else "Always")
    return container | {"imagePullPolicy": policy}

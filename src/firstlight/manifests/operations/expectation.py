"""
`expect-cache`: the pods say what a compile cache must be for.

What they say follows from the engine's arguments and variables, so a technique that changes those
changes it too; else a cache would be brought that the engine then does not use.
"""

from typing import Any

from firstlight.manifests.draft import Draft
from firstlight.manifests.expected_factors import (
    EXPECTED,
    expectation,
    not_expected,
    written_expectation,
)
from firstlight.readers.json_pointer import value_at


def expect_cache(draft: Draft) -> None:
    """Have the annotation say what is right now."""
    pointer = draft.before.template_pointer
    template: dict[str, Any] = value_at(draft.values[draft.position], pointer)
    metadata = template.get("metadata") or {}
    annotations = metadata.get("annotations") or {}
    said = {**annotations, EXPECTED: expectation(draft.now, draft.objects)}
    template["metadata"] = {**metadata, "annotations": said}
    for sentence in not_expected(draft.now, draft.objects):
        draft.assume(sentence)


def keep_expectation(draft: Draft) -> None:
    """Where there is such an annotation and something has changed: have it be right again."""
    if written_expectation(draft.now) is not None and not draft.change().is_empty:
        expect_cache(draft)

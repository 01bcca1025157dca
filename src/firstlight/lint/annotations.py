"""
Suppressions that objects say of themselves, in their annotations.

`firstlight/ignore-CODE: "why"` on the object, or on its pods' template: a chart often takes
annotations for the pods and none for what makes them.
"""

from collections.abc import Iterable, Iterator

from firstlight.lint.suppression import Suppression, Written
from firstlight.manifests.objects import Manifest
from firstlight.readers.json_pointer import pointer, value_at

PREFIX = "firstlight/ignore-"
_PLACES = (
    "/metadata/annotations",
    "/spec/template/metadata/annotations",
    "/spec/jobTemplate/spec/template/metadata/annotations",
    "/spec/leaderWorkerTemplate/leaderTemplate/metadata/annotations",
    "/spec/leaderWorkerTemplate/workerTemplate/metadata/annotations",
)


def annotated(manifests: Iterable[Manifest]) -> Iterator[Suppression]:
    """Every suppression in the annotations of some objects."""
    for manifest in manifests:
        for place in _PLACES:
            annotations = value_at(manifest.value, place)
            for key, reason in annotations.items() if isinstance(annotations, dict) else ():
                if str(key).startswith(PREFIX):
                    yield Suppression(
                        code=str(key).removeprefix(PREFIX),
                        reason=reason.strip() if isinstance(reason, str) else "",
                        written=Written.ANNOTATION,
                        manifest=manifest,
                        pointer=place + pointer(key),
                    )

"""
Labels and annotations that an engine's pods have, as their template says them.
"""

from firstlight.lint.engine import Engine
from firstlight.readers.json_pointer import value_at
from firstlight.readers.kube.fields import texts


def pod_labels(engine: Engine) -> dict[str, str]:
    """What selectors of policies and budgets look at."""
    return _metadata(engine, "labels")


def pod_annotations(engine: Engine) -> dict[str, str]:
    """What controllers look at."""
    return _metadata(engine, "annotations")


def _metadata(engine: Engine, field: str) -> dict[str, str]:
    template = engine.workload.template_pointer
    return texts(value_at(engine.manifest.value, f"{template}/metadata/{field}"))

"""
What a compile cache must be for, as far as a workload's objects tell, before anything of it runs.

A container that brings the cache has neither the engine's packages nor its variables. So what the
engine will be given is written beside it, into an annotation of the pods, and the image stands for
all versions in it. Of the machine nothing is said: whoever pulls is on it.

An annotation and no ConfigMap: it cannot be missing when a pod starts, and changes with the
pods' template, never alone.
"""

import msgspec

from firstlight.caches.factors import Factors
from firstlight.caches.hashed import hashed_arguments, hashed_environment
from firstlight.core.errors import BadInput
from firstlight.core.fingerprints import ARGUMENT
from firstlight.core.image_reference import full_name
from firstlight.manifests.given_words import given_words
from firstlight.manifests.objects import ObjectSet
from firstlight.manifests.variables import variables
from firstlight.manifests.workload import Workload
from firstlight.readers.json_pointer import value_at
from firstlight.readers.kube.fields import texts

EXPECTED = "firstlight/cache-expect"
"""The annotation."""


def expected_factors(workload: Workload, objects: ObjectSet) -> Factors:
    """
    What the engine of a workload is given that decides whether a cache fits.

    Raises:
        BadInput: its model is not written out.
    """
    container = workload.container
    known = variables(container, objects, workload.namespace)
    told = given_words(
        container.get("command") or [], container.get("args") or [], environment=known
    ).values
    if not told.get("model"):
        raise BadInput(
            f"{workload.manifest.identity} ({workload.manifest.place()}) does not say which model "
            "its engine is given",
            remedy="write it out in the arguments, or give the factors in a file",
        )
    written = {name: value for name, value in known.items() if value is not None}
    arguments = {n.removeprefix(ARGUMENT): v for n, v in told.items() if n.startswith(ARGUMENT)}
    return Factors(
        image=full_name(str(container.get("image") or "")),
        model=told["model"],
        arguments=hashed_arguments(arguments),
        environment=hashed_environment(written),
    )


def expectation(workload: Workload, objects: ObjectSet) -> str:
    """
    The text of the annotation.

    Raises:
        BadInput: the model is not written out.
    """
    known = msgspec.structs.asdict(expected_factors(workload, objects))
    said = {name: value for name, value in known.items() if value is not None}
    return msgspec.json.encode(said, order="sorted").decode()


def written_expectation(workload: Workload) -> str | None:
    """What its pods say already; None where they say nothing."""
    template = workload.pod_pointer.removesuffix("/spec")
    annotations = value_at(workload.manifest.value, f"{template}/metadata/annotations")
    return texts(annotations).get(EXPECTED)

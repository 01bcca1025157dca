"""
What a cache must be for, as far as a workload's objects tell, before anything of it runs.

This is what an initContainer is given: it has neither the engine's packages nor its variables, and
the image stands for all versions in it. Of the machine nothing is said: whoever pulls is on it.
"""

from firstlight.caches.factors import Factors
from firstlight.caches.hashed import hashed_arguments, hashed_environment
from firstlight.core.errors import BadInput
from firstlight.core.fingerprints import ARGUMENT
from firstlight.core.image_reference import full_name
from firstlight.explain.given_words import given_words
from firstlight.manifests.variables import variables
from firstlight.manifests.workload import find_workload
from firstlight.wiring.cluster_access import ClusterAccess
from firstlight.wiring.given_objects import given_objects


def workload_factors(given: str, access: ClusterAccess | None = None) -> Factors:
    """
    The factors of the one workload that runs an engine.

    Args:
        given: a file, a folder, `-`, or deployment/NAME.
        access: to the cluster, for a workload.

    Raises:
        BadInput: it cannot be read, it is not clear which, or its model is not written out.
        NothingFound: there is no such workload.
        OutsideFailed: the cluster failed.
    """
    found = given_objects(given, access=access)
    workload = find_workload(found.objects)
    container = workload.container
    known = variables(container, found.objects, workload.namespace)
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

"""What a cache must be for, by the objects of a workload that runs elsewhere."""

from firstlight.caches.factors import Factors
from firstlight.manifests.expected_factors import expected_factors
from firstlight.manifests.workload import find_workload
from firstlight.wiring.cluster_access import ClusterAccess
from firstlight.wiring.given_objects import given_objects
from firstlight.wiring.rendering import target_of


def workload_factors(
    given: str, *, target: str | None = None, access: ClusterAccess | None = None
) -> Factors:
    """
    The factors of the one workload that runs an engine.

    Args:
        given: a file, a folder, `-`, or deployment/NAME.
        target: KIND/NAME of the workload that is meant; None where there is only one.
        access: to the cluster, for a workload, and the namespace of the one that is meant.

    Raises:
        BadInput: it cannot be read, it is not clear which, or its model is not written out.
        NothingFound: there is no such workload.
        OutsideFailed: the cluster failed.
    """
    objects = given_objects(given, access=access).objects
    namespace = access.namespace if access else None
    meant = target_of(target, namespace=namespace) if target else None
    return expected_factors(find_workload(objects, meant), objects)

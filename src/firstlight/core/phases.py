"""
The phases of a start, in order, one sentence each.

They partition the time from the ask to the answer. Phases outside the engine
(node, scheduling, image) get their seconds from cluster objects; a log alone
has only the engine's own.
"""

from enum import StrEnum


class Phase(StrEnum):
    """A top-level phase; the value is its name in the JSON contract."""

    NODE_PROVISIONING = "node_provisioning"
    SCHEDULING = "scheduling"
    CONTAINER_SETUP = "container_setup"
    IMAGE_PULL = "image_pull"
    INIT_CONTAINERS = "init_containers"
    PROCESS_INIT = "process_init"
    WEIGHT_LOAD = "weight_load"
    ENGINE_INIT = "engine_init"
    API_START = "api_start"
    READINESS_LAG = "readiness_lag"
    UNEXPLAINED = "unexplained"


MEANING: dict[Phase, str] = {
    Phase.NODE_PROVISIONING: "from the node being asked for until it is ready",
    Phase.SCHEDULING: "from the pod's creation until it has a node",
    Phase.CONTAINER_SETUP: "sandbox, volumes, and the gaps around container creation",
    Phase.IMAGE_PULL: "the image travels to the node and is unpacked",
    Phase.INIT_CONTAINERS: "containers that must end before the engine's may start",
    Phase.PROCESS_INIT: "interpreters, imports and configuration, until weights begin to load",
    Phase.WEIGHT_LOAD: "from the first touch of the model until its weights are in place",
    Phase.ENGINE_INIT: "compile, profile, KV cache, warm-up and graph capture",
    Phase.API_START: "the engine is ready, the server is not yet",
    Phase.READINESS_LAG: "the server could answer, and nobody had asked yet",
    Phase.UNEXPLAINED: "no evidence says what happened",
}

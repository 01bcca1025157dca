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

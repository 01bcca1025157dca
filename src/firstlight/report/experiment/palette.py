"""
One colour for a phase and for a kind of round, the same in every chart.

Hues keep apart for the common kinds of colour blindness (after Okabe and Ito, "Color Universal
Design", 2008) and on light and dark ground alike; what nothing explains has no colour but grey.
"""

from firstlight.core.phases import Phase

COLOURS = {
    Phase.NODE_PROVISIONING: "#8c6bb1",
    Phase.SCHEDULING: "#b8a0d0",
    Phase.CONTAINER_SETUP: "#7fb8b0",
    Phase.IMAGE_PULL: "#009e73",
    Phase.INIT_CONTAINERS: "#8fc35a",
    Phase.PROCESS_INIT: "#e69f00",
    Phase.WEIGHT_LOAD: "#2f86c9",
    Phase.ENGINE_INIT: "#d55e00",
    Phase.API_START: "#cc79a7",
    Phase.READINESS_LAG: "#c9b400",
    Phase.UNEXPLAINED: "#8a8f98",
}
"""By phase, in the order of a start."""
NAMES = {
    phase: phase.value.replace("_", " ").replace("init containers", "initContainers")
    for phase in COLOURS
}
"""What a reader calls it."""


RESULT = COLOURS[Phase.WEIGHT_LOAD]
NO_RESULT = COLOURS[Phase.UNEXPLAINED]
ROUNDS = {
    "result": ("circle", RESULT),
    "outlier": ("diamond", COLOURS[Phase.ENGINE_INIT]),
    "fill, no result": ("square", NO_RESULT),
    "left out": ("triangle-up", NO_RESULT),
    "failed": ("cross", "#c0392b"),
}
"""Shape and colour of a round."""


def name(phase: str) -> str:
    """The reader's name of a phase; a part's own name stays."""
    return NAMES[Phase(phase)] if phase in set(Phase) else phase

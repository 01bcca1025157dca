"""
What vLLM prints while it starts, one table a topic.

Wordings change from release to release; file names and line numbers change more
often and are never matched. A table entry is a name, a literal that every match
contains (a cheap test before the pattern), and a pattern that matches from the
start of the message. Ranges of versions are those of the wheels read.
"""

from firstlight.readers.wordings.api_server import API_SERVER
from firstlight.readers.wordings.beginning import BEGINNING
from firstlight.readers.wordings.compiling import COMPILING
from firstlight.readers.wordings.engine_init import ENGINE_INIT
from firstlight.readers.wordings.failing import FAILING
from firstlight.readers.wordings.sleeping import SLEEPING
from firstlight.readers.wordings.weights import WEIGHTS
from firstlight.readers.wordings.wording import Wording

ALL: tuple[Wording, ...] = (
    *BEGINNING,
    *WEIGHTS,
    *COMPILING,
    *ENGINE_INIT,
    *API_SERVER,
    *SLEEPING,
    *FAILING,
)
"""Every wording, in no order that matters: a message may match several."""

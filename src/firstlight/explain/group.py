"""
What was said during one start, and by whom.
"""

from dataclasses import dataclass, field

from firstlight.core.evidence import Evidence
from firstlight.readers.log_line import LogLine
from firstlight.readers.vllm_log import Observation, Silence
from firstlight.readers.wordings.wording import Say


@dataclass(slots=True, kw_only=True)
class Group:
    """The observations of one start."""

    artefact: str
    service: str
    observations: list[Observation] = field(default_factory=list)
    silences: list[Silence] = field(default_factory=list)

    def quote(self, line: LogLine) -> Evidence:
        """A line of this start as evidence."""
        return line.quoted(self.artefact)

    def says(self, *what: Say) -> list[Observation]:
        return [o for o in self.observations if o.say in what]

    def first(self, *what: Say) -> Observation | None:
        return next((o for o in self.observations if o.say in what), None)

    def server_lines(self, *what: Say) -> list[Observation]:
        """Lines of a server that may be the engine's: a sidecar's comes before the engine is up."""
        work = self.first(Say.ENGINE_READY) or self.first(Say.MODEL_LOADED, Say.WEIGHTS_TOOK)
        found = self.says(*what)
        return [o for o in found if work is None or o.line.number > work.line.number]

    def last(self, *what: Say) -> Observation | None:
        return next((o for o in reversed(self.observations) if o.say in what), None)

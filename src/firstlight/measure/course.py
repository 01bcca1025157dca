"""
How far a start has come, decided from answers alone.

Five questions in a row: does the port accept, does /health say 200, does
/v1/models, does one request bring a token, and if its route is refused, does the
chat route. A yes becomes a mark and the next question; a no is remembered,
because the last no is what a yes is measured against: a mark lies at the moment
its answer arrived, and its resolution is the time since the last moment at
which it was known not to be so yet.

A server that never gives a token is still ready; why it gave none is kept. One that answers
each request for it with an error is not asked until the time is up: a refusal may be the
beginning of a start, and after a quarter of a minute of nothing else it is what the server has
to say. That holds for no answer, and for 429 and 503, which say "later", as long as patience does.
"""

from enum import StrEnum

from firstlight.core.evidence import Evidence
from firstlight.core.marks import Clock, Mark, MarkKind
from firstlight.core.units import NS_PER_S
from firstlight.measure.ports import Answer

_FIRST_REFUSAL, _FIRST_FAILURE = 400, 500
_ASK_AGAIN = frozenset({408, 425, 429})
_NOT_ALLOWED = frozenset({401, 403})
_LATER = frozenset({429, 503})
_REFUSED_FOR_S = 15
"""How long a server may answer requests for a token with nothing but errors."""


class Step(StrEnum):
    """The question to ask next."""

    PORT = "waiting for the port"
    HEALTH = "waiting for /health"
    MODELS = "asking for the model's name"
    COMPLETIONS = "waiting for the first token"
    CHAT = "waiting for the first token from the chat route"
    DONE = "done"


_KINDS = {
    Step.PORT: MarkKind.PORT_OPEN,
    Step.HEALTH: MarkKind.HEALTH_200,
    Step.MODELS: MarkKind.MODELS_200,
    Step.COMPLETIONS: MarkKind.FIRST_TOKEN,
    Step.CHAT: MarkKind.FIRST_TOKEN,
}
_TOKEN_STEPS = frozenset({Step.COMPLETIONS, Step.CHAT})


class Course:
    """Fed with answers; says what to ask, and keeps the marks."""

    def __init__(self, *, url: str, model: str | None, started_ns: int, running_ns: int) -> None:
        self.url = url
        self.model = model
        self.step = Step.PORT
        self.marks = [
            Mark(
                kind=MarkKind.PROCESS_STARTED,
                at_ns=started_ns,
                resolution_ns=running_ns - started_ns,
                clock=Clock.MONOTONIC,
                evidence=Evidence(artefact="process", text="the command's process was started"),
            )
        ]
        self.token_asked_ns: int | None = None
        """When a token was first asked for; None before."""
        self.no_token: str | None = None
        """Why there will be no first token; None while there may be, or where there is."""
        self.last_no = ""
        """The last answer that was not the one waited for."""
        self.chat = False
        """Whether the token came from the chat route."""
        self._not_before_ns = started_ns
        self._refused_since_ns: int | None = None
        """When the errors in a row began that a token was refused with; None where none is."""

    def moment(self, kind: MarkKind) -> int | None:
        """When something happened; None where it has not."""
        return next((mark.at_ns for mark in self.marks if mark.kind == kind), None)

    @property
    def is_ready(self) -> bool:
        return self.moment(MarkKind.HEALTH_200) is not None

    def learn(self, answer: Answer) -> None:
        """Take in the answer to the present question."""
        if self.step in _TOKEN_STEPS and self.token_asked_ns is None:
            self.token_asked_ns = answer.asked_ns
        if answer.ok:
            self._passed(answer)
            return
        before, self.last_no = self.last_no, answer.words
        status = answer.status or 0
        refused = _FIRST_REFUSAL <= status < _FIRST_FAILURE and status not in _ASK_AGAIN
        if refused and self.step is Step.MODELS:
            self.step = Step.COMPLETIONS
        elif refused and self.step in _TOKEN_STEPS and status in _NOT_ALLOWED:
            self.give_up(f"{answer.words}; the server asks for an API key that was not found")
        elif refused and self.step is Step.COMPLETIONS:
            self.step = Step.CHAT
        elif refused and self.step is Step.CHAT:
            self.give_up(f"{before}; {answer.words}")
        else:
            # The server may have come to be ready while it kept us waiting.
            self._not_before_ns = max(self._not_before_ns, answer.asked_ns)
            if self.step in _TOKEN_STEPS:
                self._refused_again(answer)

    def _refused_again(self, answer: Answer) -> None:
        """Give up on a server that for so long had nothing to say but errors."""
        if answer.status is None or answer.status in _LATER:
            self._refused_since_ns = None
            return
        if self._refused_since_ns is None:
            self._refused_since_ns = answer.answered_ns
        if answer.answered_ns - self._refused_since_ns >= _REFUSED_FOR_S * NS_PER_S:
            self.give_up(f"{answer.words}; nothing but errors came for {_REFUSED_FOR_S} s")

    def move(self, url: str, *, not_before_ns: int) -> None:
        """Ask elsewhere from now on; nobody listened there before the moment given.

        What was refused at the old place says nothing about the new one.
        """
        self.url = url
        self._not_before_ns = max(self.marks[0].at_ns, not_before_ns)

    def skip_models(self) -> None:
        """Do without the model's name; servers of one model mostly do not need it."""
        self.step = Step.COMPLETIONS

    def give_up(self, why: str) -> None:
        """Accept that no token comes."""
        self.no_token = why
        self.step = Step.DONE

    def _passed(self, answer: Answer) -> None:
        # A token is worked for: it could have come earlier by what the question came late.
        known_ns = answer.asked_ns if self.step in _TOKEN_STEPS else answer.answered_ns
        self.marks.append(
            Mark(
                kind=_KINDS[self.step],
                at_ns=answer.answered_ns,
                resolution_ns=known_ns - self._not_before_ns,
                clock=Clock.MONOTONIC,
                evidence=Evidence(artefact="polls", text=answer.words),
            )
        )
        self.model = answer.model or self.model
        self.chat = self.step is Step.CHAT
        self.step = {
            Step.PORT: Step.HEALTH,
            Step.HEALTH: Step.MODELS,
            Step.MODELS: Step.COMPLETIONS,
        }.get(self.step, Step.DONE)

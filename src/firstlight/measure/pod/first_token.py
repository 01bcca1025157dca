"""
One token from a pod that is Ready, by the way that needs no Service.

A pod that is Ready and cannot generate is not ready. One question for the model's name, one
request for a token, and if its route is refused the chat route: then it is over. That no
token came never spoils a measurement; why, is kept. One that came tells how long it took
only where Ready has a moment.
"""

from dataclasses import dataclass

from firstlight.core.units import NS_PER_S
from firstlight.measure.pod.ports import PodAnswer, PodServer
from firstlight.measure.pod.server_port import ServerPort

_MODELS_NS = 10 * NS_PER_S
_UNKNOWN_KEY, _FORBIDDEN, _NO_ROUTE = 401, 403, frozenset({404, 405, 501})
_NEEDS_A_KEY = (
    "the server asks for an API key, which cannot be given to it through the API server: that "
    "one keeps the Authorization header for itself"
)

_FROM_WHEN = "a token came, and how long after Ready is not known: when that was, was not seen"


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstToken:
    """When a token came, or why that is not known."""

    after_ns: int | None = None
    """From Ready to the token; None where none came, or nobody saw when Ready was."""
    problem: str | None = None
    """Why none came; None where one did."""
    notes: tuple[str, ...] = ()
    model: str | None = None
    """As the server names it; None where it did not say."""
    chat: bool = False
    """Whether it came from the chat route."""


def ask_first_token(
    server: PodServer,
    *,
    namespace: str,
    pod: str,
    port: ServerPort,
    ready_ns: int | None,
    timeout_ns: int,
) -> FirstToken:
    """
    Ask a pod that is Ready for one token.

    Args:
        server: who asks.
        namespace: of the pod.
        pod: its name.
        port: of its server.
        ready_ns: when it became so; None where that was not seen.
        timeout_ns: how long an answer may take.
    """
    models = server.models(
        namespace, pod, port.number, https=port.https, timeout_ns=min(_MODELS_NS, timeout_ns)
    )
    if hopeless := _hopeless(models, pod):
        return FirstToken(problem=hopeless)

    def token(*, chat: bool) -> PodAnswer:
        return server.first_token(
            namespace,
            pod,
            port.number,
            https=port.https,
            timeout_ns=timeout_ns,
            model=models.model,
            chat=chat,
        )

    answer, before = token(chat=False), ""
    if not answer.ok and not answer.own and answer.status in _NO_ROUTE:
        before = f"{answer.words}; "
        answer = token(chat=True)
    if answer.ok:
        return FirstToken(
            after_ns=None if ready_ns is None else answer.answered_ns - ready_ns,
            notes=(_FROM_WHEN,) if ready_ns is None else (),
            model=models.model,
            chat=bool(before),
        )
    return FirstToken(problem=_hopeless(answer, pod) or before + answer.words)


def _hopeless(answer: PodAnswer, pod: str) -> str | None:
    """Why asking on makes no sense; None where it may."""
    if answer.ok:
        return None
    if answer.own and answer.status == _FORBIDDEN:
        return (
            f"you may not ask {pod} through the API server ({answer.words}); grant the verbs get "
            "and create on pods/proxy (docs/rbac/follow.yaml), or leave it out with "
            "--no-first-token"
        )
    if answer.own or answer.status is None:
        return answer.words
    return _NEEDS_A_KEY if answer.status in {_UNKNOWN_KEY, _FORBIDDEN} else None

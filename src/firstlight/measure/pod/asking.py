"""
What is asked of a pod that is Ready: one token, and whatever else somebody wants to know.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from firstlight.measure.pod.first_token import FirstToken, ask_first_token
from firstlight.measure.pod.following import Followed
from firstlight.measure.pod.order import PodOrder, PodReached
from firstlight.measure.pod.ports import PodServer
from firstlight.measure.pod.server_port import server_port
from firstlight.measure.ports import Progress

_NO_PORT = "neither a probe nor a port of the pod says where its server is; name it with --port"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What came of it."""

    token: FirstToken
    files: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """What else was told, by the name of the file it goes into."""


def ask_ready(
    order: PodOrder,
    one: Followed,
    *,
    container: str | None,
    ready_ns: int | None,
    server: PodServer,
    progress: Progress,
) -> Asked:
    """
    Ask for a token, and more where that is ordered and one came.

    Args:
        order: what was asked for.
        one: the pod.
        container: the engine's; None where there is none.
        ready_ns: when it became Ready; None where that was not seen.
        server: who asks.
        progress: told what is being waited for.
    """
    port = server_port(one.pod, container=container, given=order.port)
    if port is None:
        return Asked(token=FirstToken(problem=_NO_PORT))
    progress(f"{one.name} is Ready; asking for one token")
    token = ask_first_token(
        server,
        namespace=order.target.namespace,
        pod=one.name,
        port=port,
        ready_ns=ready_ns,
        timeout_ns=order.first_token_timeout_ns,
    )
    if token.problem is not None or order.after_answer is None:
        return Asked(token=token)
    progress(f"asking {one.name} more")
    reached = PodReached(
        namespace=order.target.namespace,
        pod=one.name,
        port=port.number,
        https=port.https,
        model=token.model,
        chat=token.chat,
    )
    return Asked(token=token, files=order.after_answer(reached))

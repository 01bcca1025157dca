"""
The engine's server in a pod, asked through the API server.

The words and the understanding of its answers are those of a server on this host; what is
different is who may say no in between.
"""

import json
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Unpack

from firstlight.core.errors import OutsideFailed
from firstlight.edges.first_token import complaint, request, understood
from firstlight.edges.kube.answers import Refused
from firstlight.edges.kube.api import KubeApi
from firstlight.edges.kube.pod_reply import How, PodReply

_MODELS = "/v1/models"


@dataclass(frozen=True, slots=True, kw_only=True)
class PodAnswer:
    """What came back, and who said it."""

    asked_ns: int
    answered_ns: int
    ok: bool
    words: str
    status: int | None = None
    model: str | None = None
    own: bool = False
    """Whether the API server said it, or nobody."""


class PodServer:
    """Asks; fits the port of `measure`."""

    def __init__(self, api: KubeApi) -> None:
        self._api = api

    def models(
        self, namespace: str, pod: str, port: int, *, https: bool, timeout_ns: int
    ) -> PodAnswer:
        """The name of the model, from the server that serves it."""
        return self._asked(namespace, pod, port, _MODELS, https=https, timeout_ns=timeout_ns)

    def first_token(
        self,
        namespace: str,
        pod: str,
        port: int,
        *,
        https: bool,
        timeout_ns: int,
        model: str | None,
        chat: bool,
    ) -> PodAnswer:
        """Whether one token comes."""
        path, body = request(model=model, chat=chat)
        return self._asked(
            namespace,
            pod,
            port,
            path,
            method="POST",
            body=body,
            headers={"Content-Type": "application/json"},
            https=https,
            timeout_ns=timeout_ns,
        )

    def _asked(
        self, namespace: str, pod: str, port: int, path: str, **how: Unpack[How]
    ) -> PodAnswer:
        asked_ns = time.monotonic_ns()
        try:
            with self._api.through_pod(namespace, pod, port, path, **how) as reply:
                if isinstance(reply, PodReply):
                    return _told(reply, path, asked_ns)
                return _refused(reply, f"{how.get('method', 'GET')} {path}", asked_ns)
        except OutsideFailed as nobody:
            return PodAnswer(
                asked_ns=asked_ns,
                answered_ns=time.monotonic_ns(),
                ok=False,
                words=nobody.message,
                own=True,
            )


def _told(reply: PodReply, path: str, asked_ns: int) -> PodAnswer:
    if path == _MODELS:
        return PodAnswer(
            asked_ns=asked_ns,
            answered_ns=reply.answered_ns,
            ok=True,
            words=f"GET {path} answered {reply.status}",
            status=reply.status,
            model=_model(reply.body()),
        )
    said = understood(reply, path=path, asked_ns=asked_ns)
    broken = f" ({reply.broken})" if reply.broken and not said.ok else ""
    return PodAnswer(
        asked_ns=said.asked_ns,
        answered_ns=said.answered_ns,
        ok=said.ok,
        words=said.words + broken,
        status=said.status,
    )


def _refused(reply: Refused, what: str, asked_ns: int) -> PodAnswer:
    words = reply.words if reply.own else complaint(reply.words.encode())
    return PodAnswer(
        asked_ns=asked_ns,
        answered_ns=time.monotonic_ns(),
        ok=False,
        words=words if reply.own else f"{what} answered {reply.status}: {words}",
        status=reply.status,
        own=reply.own,
    )


def _model(body: bytes) -> str | None:
    with suppress(ValueError, KeyError, IndexError, TypeError):
        name = json.loads(body)["data"][0]["id"]
        return name if isinstance(name, str) else None
    return None

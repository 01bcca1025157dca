"""
The engine's server in a pod, asked through the API server.

The words and the understanding of its answers are those of a server on this host; what is
different is who may say no in between, which `own` tells. Asking never raises.
"""

import json
import time
from dataclasses import replace
from typing import Unpack

from firstlight.core.errors import OutsideFailed
from firstlight.edges.first_token import complaint, request, served_model, understood
from firstlight.edges.http_exchange import Answer
from firstlight.edges.kube.answers import Refused
from firstlight.edges.kube.api import KubeApi
from firstlight.edges.kube.pod_reply import How, PodReply

_MODELS = "/v1/models"


class PodServer:
    """The servers in the pods of one cluster."""

    def __init__(self, api: KubeApi) -> None:
        self._api = api

    def models(
        self, namespace: str, pod: str, port: int, *, https: bool, timeout_ns: int
    ) -> Answer:
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
    ) -> Answer:
        """Whether one token comes."""
        path, body = request(model=model, chat=chat)
        return self._asked(
            namespace,
            pod,
            port,
            path,
            method="POST",
            body=json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
            https=https,
            timeout_ns=timeout_ns,
        )

    def _asked(self, namespace: str, pod: str, port: int, path: str, **how: Unpack[How]) -> Answer:
        asked_ns = time.monotonic_ns()
        try:
            with self._api.through_pod(namespace, pod, port, path, **how) as reply:
                if isinstance(reply, PodReply):
                    return _told(reply, path, asked_ns)
                return _refused(reply, f"{how.get('method', 'GET')} {path}", asked_ns)
        except OutsideFailed as nobody:
            return Answer(
                asked_ns=asked_ns,
                answered_ns=time.monotonic_ns(),
                ok=False,
                words=nobody.message,
                own=True,
            )


def _told(reply: PodReply, path: str, asked_ns: int) -> Answer:
    if path == _MODELS:
        return Answer(
            asked_ns=asked_ns,
            answered_ns=reply.answered_ns,
            ok=True,
            words=f"GET {path} answered {reply.status}",
            status=reply.status,
            model=served_model(reply.body()),
        )
    said = understood(reply, path=path, asked_ns=asked_ns)
    if reply.broken and not said.ok:
        return replace(said, words=f"{said.words} ({reply.broken})")
    return said


def _refused(reply: Refused, what: str, asked_ns: int) -> Answer:
    words = reply.words
    if not reply.own:
        words = f"{what} answered {reply.status}: {complaint(words.encode())}"
    return Answer(
        asked_ns=asked_ns,
        answered_ns=time.monotonic_ns(),
        ok=False,
        words=words,
        status=reply.status,
        own=reply.own,
    )

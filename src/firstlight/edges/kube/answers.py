"""
What an API server answers instead of an object.

A no is a value: somebody who may not read nodes still wants the rest. Everything
that makes further questions pointless (nobody there, a certificate of somebody
else, credentials that have run out) is an error. Both name what was asked in
the words of RBAC, verb and resource, for that is what a right is granted for.
"""

import json
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from firstlight.core.errors import OutsideFailed

UNAUTHORIZED, FORBIDDEN, NOT_FOUND, GONE = 401, 403, 404, 410
BUSY = frozenset({429, 500, 502, 503, 504})
_VERBS = {"PATCH": "patch", "DELETE": "delete", "POST": "create", "PUT": "update"}
_LONGEST_WORDS = 500

Params = Mapping[str, str | Sequence[str]]
"""A query; a name may stand in it several times."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request in the words of RBAC."""

    verb: str
    resource: str
    """`pods`, `pods/log`, `nodeclaims.karpenter.sh`."""
    namespace: str | None
    """None for what has no namespace, or for all namespaces."""
    name: str | None

    def __str__(self) -> str:
        name = f" {self.name}" if self.name else ""
        return f"{self.verb} {self.resource}{name}" + (
            f" in namespace {self.namespace}" if self.namespace else ""
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """The server understood, and said no."""

    asked: Asked
    status: int
    reason: str
    """The machine-readable word, such as `NotFound`; empty where there is none."""
    words: str
    """The sentence that came with it."""
    own: bool = True
    """Whether the API server says so; False for what something behind it says."""

    @property
    def forbidden(self) -> bool:
        return self.status == FORBIDDEN

    @property
    def absent(self) -> bool:
        return self.status == NOT_FOUND

    @property
    def expired(self) -> bool:
        """Whether the version that was asked for is no longer kept."""
        return self.status == GONE

    @property
    def verb(self) -> str:
        return self.asked.verb

    @property
    def resource(self) -> str:
        return self.asked.resource


def asked(method: str, path: str, params: Params | None = None) -> Asked:
    """A request in the words of RBAC."""
    parts = [part for part in path.split("/") if part]
    group = ""
    if parts[:1] == ["apis"]:
        group, parts = parts[1] if len(parts) > 1 else "", parts[3:]
    else:
        parts = parts[2:]
    namespace = None
    if parts[:1] == ["namespaces"] and len(parts) > 2:  # noqa: PLR2004
        namespace, parts = parts[1], parts[2:]
    resource, name, sub = (*parts[:3], "", "", "")[:3]
    resource = (resource or "discovery") + (f"/{sub}" if sub else "")
    if method == "GET" and not name:
        verb = "watch" if (params or {}).get("watch") else "list"
    else:
        verb = _VERBS.get(method, "get")
    return Asked(
        verb=verb,
        resource=f"{resource}.{group}" if group else resource,
        namespace=namespace,
        name=name or None,
    )


def refused(what: Asked, status: int, body: bytes) -> Refused:
    """The answer of a status that is no success."""
    reason, words, own = "", body.decode(errors="replace").strip(), False
    try:
        told = json.loads(body)
    except (ValueError, RecursionError):
        told = None
    if is_status(told):
        own = True
        reason, words = str(told.get("reason") or ""), str(told.get("message") or "")
    return Refused(
        asked=what,
        status=status,
        reason=reason,
        words=words[:_LONGEST_WORDS] or f"HTTP {status}",
        own=own,
    )


def is_status(document: Any) -> bool:
    """Whether this is the API server's own word, not that of something behind it."""
    return isinstance(document, dict) and document.get("kind") == "Status"


def unreachable(server: str, broken: BaseException) -> OutsideFailed:
    """A foreign exception of the network in our words."""
    import httpx2  # noqa: PLC0415

    problem = _tls_problem(broken)
    if problem is not None:
        return OutsideFailed(
            f"{server} {problem}",
            remedy="check the certificate-authority of the context's cluster; "
            "`kubectl get pods` must work",
        )
    if isinstance(broken, httpx2.TimeoutException):
        what = "does not answer"
    elif isinstance(broken, httpx2.ConnectError):
        what = f"cannot be reached: {broken}"
    else:
        what = f"broke the connection: {broken or type(broken).__name__}"
    return OutsideFailed(
        f"{server} {what}",
        remedy="check the network, and that the context is the right one; "
        "`kubectl get pods` must work",
    )


def _tls_problem(broken: BaseException | None) -> str | None:
    """What is wrong with a certificate, or with TLS; None where that is not what happened."""
    while broken is not None:
        if isinstance(broken, ssl.SSLCertVerificationError):
            return f"shows a certificate that is not to be trusted: {broken.verify_message}"
        if isinstance(broken, ssl.SSLError):
            return f"does not speak TLS as expected: {broken.reason or broken}"
        broken = broken.__cause__ or broken.__context__
    return None


def not_accepted(server: str, context: str) -> OutsideFailed:
    """The server does not know who asks."""
    return OutsideFailed(
        f"{server} does not accept the credentials of context {context} (401)",
        remedy="log in again (an expired token is the usual cause); `kubectl get pods` must work",
    )


def busy(server: str, status: int, words: str) -> OutsideFailed:
    """The server answered, again and again, that it cannot."""
    return OutsideFailed(
        f"{server} answers {status}: {words}",
        remedy="try again when the cluster's control plane is well",
    )

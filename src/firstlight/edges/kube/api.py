"""
A cluster's API server, spoken to in plain JSON.

Objects stay what the server sent: a bundle keeps raw artefacts, and a typed model would
drop what it does not know. What one asks is answered with the object, or with a
`Refused` that says why not, so that whoever may not read one thing still gets the rest;
only what makes every further question pointless raises.

Paths are made with `path`. How connections break and are taken up again is in
`wire`, `watch` and `log`; what a pod's server or a command in a container says, in
`pod_reply` and `exec`.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Self, Unpack

from firstlight.core.errors import OutsideFailed
from firstlight.edges.kube.answers import Refused
from firstlight.edges.kube.clock import Difference
from firstlight.edges.kube.config import find_access
from firstlight.edges.kube.exec import Ran, run_in_pod
from firstlight.edges.kube.log import LogLines, ask_for_log
from firstlight.edges.kube.paths import group_of, path_of
from firstlight.edges.kube.pod_reply import How, PodReply, ask_pod
from firstlight.edges.kube.watch import Object, Watching
from firstlight.edges.kube.wire import KubeWire

_PAGE = 500
_PATCHES = {
    "merge": "application/merge-patch+json",
    "json": "application/json-patch+json",
}


class KubeApi:
    """One API server, as one user, with the namespace that is meant where none is said."""

    def __init__(self, wire: KubeWire, *, namespace: str) -> None:
        self.namespace = namespace
        self.context = wire.access.context
        self.server = wire.access.server
        self._wire = wire
        self._versions: dict[str, str] = {}

    @classmethod
    def open(
        cls,
        *,
        kubeconfig: str | None = None,
        context: str | None = None,
        namespace: str | None = None,
    ) -> Self:
        """
        The cluster kubectl would speak to with these options.

        Raises:
            BadInput: no such context, an unreadable kubeconfig, or the extra is missing.
            OutsideFailed: nothing says where a cluster is.
        """
        access = find_access(kubeconfig=kubeconfig, context=context, namespace=namespace)
        return cls(KubeWire(access), namespace=access.namespace)

    def close(self) -> None:
        self._wire.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def clock_difference(self) -> Difference | None:
        """The server's clock against ours, as bounds; None before anything was asked."""
        return self._wire.clock_difference

    def server_version(self) -> str:
        """Such as `v1.36.0`; empty where one may not know.

        Raises:
            OutsideFailed: there is no answer, or not one of an API server.
        """
        answer = self.get("/version")
        if not isinstance(answer, Refused):
            return str(answer.get("gitVersion", ""))
        if answer.forbidden:
            return ""
        raise OutsideFailed(
            f"{self.server} does not answer like a Kubernetes API server: {answer.words}",
            remedy="check the server of the context's cluster; `kubectl get pods` must work",
        )

    def path(
        self,
        resource: str,
        *,
        namespace: str | None = None,
        name: str | None = None,
        part: str | None = None,
    ) -> str:
        """Where a resource lies, in the version that this server serves."""
        group = group_of(resource)
        if group and group not in self._versions:
            answer = self.get(f"/apis/{group}")
            if not isinstance(answer, Refused):
                preferred = answer.get("preferredVersion") or {}
                self._versions[group] = str(preferred.get("version") or "v1")
        return path_of(resource, namespace=namespace, name=name, part=part, versions=self._versions)

    def get(self, path: str, params: Mapping[str, str] | None = None) -> Object | Refused:
        """One object.

        Raises:
            OutsideFailed: there is no answer.
        """
        return self._object(self._wire.read("GET", path, params))

    def items(self, path: str, params: Mapping[str, str] | None = None) -> Object | Refused:
        """
        All objects of a list, as one list; each says its kind, as in a list that kubectl prints.

        Raises:
            OutsideFailed: there is no answer.
        """
        whole = self._pages(path, {**(params or {}), "limit": str(_PAGE)})
        if isinstance(whole, Refused) and whole.expired:
            # The pages outlived the version they are of: in one piece there is no such race.
            whole = self._pages(path, params or {})
        if isinstance(whole, Refused):
            return whole
        kind = str(whole.get("kind", "")).removesuffix("List")
        for item in whole["items"]:
            item.setdefault("kind", kind)
            item.setdefault("apiVersion", whole.get("apiVersion"))
        return whole

    def watch(
        self,
        path: str,
        params: Mapping[str, str] | None = None,
        *,
        since_version: str | None = None,
        known: Iterable[Object] = (),
    ) -> Watching | Refused:
        """
        What happens to the objects of a list; those that are there come first, as ADDED.

        Args:
            path: of the list.
            params: selectors.
            since_version: go on after this version of the list instead of listing.
            known: the objects of that version.

        Raises:
            OutsideFailed: there is no answer.
        """
        first = None
        if since_version is None:
            listing = self.items(path, params)
            if isinstance(listing, Refused):
                return listing
            first, since_version = listing, str(listing["metadata"]["resourceVersion"])
        return Watching(
            self._wire,
            path=path,
            params=params or {},
            lists=lambda: self.items(path, params),
            first=first,
            since_version=since_version,
            known=known,
        )

    def log(
        self, namespace: str, pod: str, container: str, *, previous: bool = False
    ) -> LogLines | Refused:
        """A container's lines, each with the runtime's stamp in front.

        Raises:
            OutsideFailed: the server cannot be reached.
        """
        path = path_of("pods", namespace=namespace, name=pod, part="log")
        params = {"container": container, "timestamps": "true"}
        if previous:
            params["previous"] = "true"
        reply = ask_for_log(self._wire, path, params)
        if isinstance(reply, Refused):
            return reply
        return LogLines(self._wire, path=path, params=params, first=reply)

    def patch(self, path: str, body: object, *, kind: str = "merge") -> Object | Refused:
        """
        Change an object.

        Args:
            path: of the object.
            body: the patch.
            kind: `merge` or `json`.

        Raises:
            OutsideFailed: there is no answer.
        """
        return self._write("PATCH", path, body, content_type=_PATCHES[kind])

    def create(self, path: str, body: object) -> Object | Refused:
        """Add an object to a list.

        Raises:
            OutsideFailed: there is no answer.
        """
        return self._write("POST", path, body)

    def delete(self, path: str, *, uid: str | None = None) -> Object | Refused:
        """Delete an object; only that one, where its uid is given.

        Raises:
            OutsideFailed: there is no answer.
        """
        options: dict[str, object] = {"kind": "DeleteOptions", "apiVersion": "v1"}
        if uid is not None:
            options["preconditions"] = {"uid": uid}
        return self._write("DELETE", path, options)

    def through_pod(
        self, namespace: str, pod: str, port: int, path: str, **how: Unpack[How]
    ) -> AbstractContextManager[PodReply | Refused]:
        """Ask a server in a pod; needs the right to `get` or `create` `pods/proxy`.

        Raises:
            OutsideFailed: the API server cannot be reached.
        """
        return ask_pod(self._wire, namespace, pod, port, path, **how)

    def exec(
        self,
        namespace: str,
        pod: str,
        command: Sequence[str],
        *,
        container: str | None,
        timeout_ns: int,
        most_bytes: int,
    ) -> Ran | Refused:
        """Run a command in a container; needs the right to `get` and `create` `pods/exec`.

        Raises:
            OutsideFailed: it was not run, or not to its end.
        """
        return run_in_pod(
            self._wire,
            command,
            path=path_of("pods", namespace=namespace, name=pod, part="exec"),
            container=container,
            timeout_ns=timeout_ns,
            most_bytes=most_bytes,
        )

    def _write(
        self, method: str, path: str, body: object, *, content_type: str = "application/json"
    ) -> Object | Refused:
        data = json.dumps(body).encode()
        return self._object(self._wire.read(method, path, body=data, content_type=content_type))

    def _pages(self, path: str, params: Mapping[str, str]) -> Object | Refused:
        whole: Object | None = None
        page = dict(params)
        while True:
            answer = self.get(path, page)
            if isinstance(answer, Refused):
                return answer
            answer["items"] = answer.get("items") or []
            if whole is None:
                whole = answer
            else:
                whole["items"].extend(answer["items"])
            following = (answer.get("metadata") or {}).get("continue")
            if not following:
                whole.setdefault("metadata", {}).pop("continue", None)
                whole["metadata"].pop("remainingItemCount", None)
                return whole
            page["continue"] = following

    def _object(self, answer: bytes | Refused) -> Object | Refused:
        if isinstance(answer, Refused):
            return answer
        try:
            document = json.loads(answer)
        except (ValueError, RecursionError):
            document = None
        if not isinstance(document, dict):
            raise OutsideFailed(
                f"{self.server} answers with something that is no JSON object",
                remedy="check that the context names a Kubernetes API server, "
                "and that nothing stands in between",
            )
        return document

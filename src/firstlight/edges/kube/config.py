"""
Which cluster is meant, and as whom: what kubectl would use.

The kubeconfig is `--kubeconfig`, the files of `KUBECONFIG` (several are merged: what
the first says, stays), or `~/.kube/config`; where there is none, the service account
of the pod we run in. A context names a cluster, a user and a namespace. The client
library does the credentials (certificates, tokens, exec plugins); what kubectl
understands beyond it is added here: several files, the present version of the exec
interface, impersonation, and a server name of its own.
"""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from firstlight.core.errors import BadInput, OutsideFailed

if TYPE_CHECKING:
    from lightkube.config.kubeconfig import SingleConfig

_DEFAULT = Path("~/.kube/config")
_NAMED = ("clusters", "contexts", "users")
_PATHS = {
    "cluster": ("certificate-authority",),
    "user": ("client-certificate", "client-key", "tokenFile"),
}
_EXEC_NOW = "client.authentication.k8s.io/v1"
_EXEC_BEFORE = "client.authentication.k8s.io/v1beta1"
_INSTALL = "pip install 'firstlight[kubernetes]'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """One cluster, and how to speak to it."""

    config: "SingleConfig"
    """The client library's own: cluster and user of the context."""
    context: str
    server: str
    namespace: str
    proxy: str | None = None
    server_name: str | None = None
    """What the server's certificate is for, where that is not its host."""
    headers: tuple[tuple[str, str], ...] = field(default=())
    """Impersonation, where the user's entry asks for it."""


def find_access(*, kubeconfig: str | None, context: str | None, namespace: str | None) -> Access:
    """
    What kubectl would speak to with these options.

    Raises:
        BadInput: the client library is missing, the file cannot be read, or there is no
            such context.
        OutsideFailed: nothing says where a cluster is.
    """
    require_library()
    files = _files(kubeconfig)
    if not files:
        return _in_cluster(context, namespace)
    document = _merged(files)
    name = context or str(document.get("current-context") or "")
    contexts = {str(c.get("name")): c.get("context") or {} for c in document["contexts"]}
    if name not in contexts:
        raise _no_context(name, list(contexts), files)
    chosen = contexts[name]
    cluster = _entry(document, "clusters", chosen.get("cluster"), context=name)
    user = _entry(document, "users", chosen["user"], context=name) if chosen.get("user") else {}
    with readable_config(", ".join(map(str, files))):
        config = _library_config(name, chosen, cluster, user)
    return Access(
        config=config,
        context=name,
        server=config.cluster.server,
        namespace=namespace or config.namespace,
        proxy=cluster.get("proxy-url") or None,
        server_name=cluster.get("tls-server-name") or None,
        headers=tuple(_impersonation(user)),
    )


def require_library() -> None:
    """
    See that the client library is there.

    Raises:
        BadInput: it is not, and how to get it.
    """
    try:
        import httpx2  # noqa: F401, PLC0415
        import lightkube  # noqa: F401, PLC0415
    except ImportError as missing:
        raise BadInput(
            f"this needs the extra for Kubernetes ({missing.name} is not installed)",
            remedy=_INSTALL,
        ) from missing


def _files(kubeconfig: str | None) -> list[Path]:
    """The files to merge; a list that KUBECONFIG names may hold missing ones."""
    if kubeconfig:
        return [Path(kubeconfig).expanduser()]
    listed = [p for p in os.environ.get("KUBECONFIG", "").split(os.pathsep) if p]
    if len(listed) == 1:
        return [Path(listed[0]).expanduser()]
    wanted = [Path(p).expanduser() for p in listed] or [_DEFAULT.expanduser()]
    return [path for path in wanted if path.exists()]


def _merged(files: list[Path]) -> dict[str, Any]:
    """One document of several: what an earlier file says is not changed by a later one."""
    merged: dict[str, Any] = {part: [] for part in _NAMED}
    for path in files:
        document = _read(path)
        if not merged.get("current-context"):
            merged["current-context"] = document.get("current-context")
        for part in _NAMED:
            have = {entry.get("name") for entry in merged[part]}
            for entry in document.get(part) or []:
                if isinstance(entry, dict) and entry.get("name") not in have:
                    merged[part].append(_absolute(entry, path.absolute().parent))
    return merged


def _read(path: Path) -> dict[str, Any]:
    try:
        document = yaml.safe_load(path.read_text())
    except OSError as e:
        raise BadInput(
            f"the kubeconfig {path} cannot be read: {e.strerror}",
            remedy="give the right file as --kubeconfig, or in KUBECONFIG",
        ) from e
    except (yaml.YAMLError, UnicodeDecodeError) as e:
        raise BadInput(
            f"the kubeconfig {path} is no YAML", remedy="see `kubectl config view`"
        ) from e
    if not isinstance(document, dict):
        raise BadInput(
            f"the kubeconfig {path} names no cluster", remedy="see `kubectl config view`"
        )
    return document


def _absolute(entry: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Paths count from the file that names them."""
    for part, keys in _PATHS.items():
        inner = entry.get(part)
        if isinstance(inner, dict):
            for key in keys:
                if inner.get(key):
                    inner[key] = str(folder / str(inner[key]))
    return entry


def _entry(document: Mapping[str, Any], part: str, name: object, *, context: str) -> dict[str, Any]:
    found = next((e for e in document[part] if e.get("name") == name), None)
    if found is None:
        raise BadInput(
            f"the context {context} names {part[:-1]} {name}, which the kubeconfig does not have",
            remedy="see `kubectl config view`, or give another --context",
        )
    inner = found.get(part[:-1])
    return dict(inner) if isinstance(inner, dict) else {}


def _library_config(
    name: str, context: Mapping[str, Any], cluster: Mapping[str, Any], user: Mapping[str, Any]
) -> "SingleConfig":
    from lightkube.config.kubeconfig import KubeConfig  # noqa: PLC0415

    return KubeConfig.from_dict(
        {
            "current-context": name,
            "clusters": [{"name": "c", "cluster": cluster}],
            "users": [{"name": "u", "user": _with_exec(user)}],
            "contexts": [
                {
                    "name": name,
                    "context": {
                        "cluster": "c",
                        "user": "u",
                        "namespace": context.get("namespace") or None,
                    },
                }
            ],
        }
    ).get(name)  # type: ignore[return-value]


def _with_exec(user: Mapping[str, Any]) -> dict[str, Any]:
    """The user's entry, its exec plugin told what kubectl would tell it.

    The library knows the interface up to v1beta1, and a plugin's answer has the token in
    the same place in v1; which one the plugin shall answer in, it reads from its environment.
    """
    plugin = user.get("exec")
    if not isinstance(plugin, dict):
        return dict(user)
    version = plugin.get("apiVersion")
    told = {"apiVersion": version, "kind": "ExecCredential", "spec": {"interactive": False}}
    environment = [*(plugin.get("env") or [])]
    environment.append({"name": "KUBERNETES_EXEC_INFO", "value": json.dumps(told)})
    known = _EXEC_BEFORE if version == _EXEC_NOW else version
    return {**user, "exec": {**plugin, "env": environment, "apiVersion": known}}


def _impersonation(user: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if user.get("as"):
        yield "Impersonate-User", str(user["as"])
    for group in user.get("as-groups") or []:
        yield "Impersonate-Group", str(group)


def _in_cluster(context: str | None, namespace: str | None) -> Access:
    """The service account of the pod we run in."""
    from lightkube.config.kubeconfig import KubeConfig  # noqa: PLC0415
    from lightkube.core.exceptions import ConfigError  # noqa: PLC0415

    try:
        config = KubeConfig.from_service_account().get()
        if config is None:
            raise ConfigError("it names no context")  # noqa: TRY301
    except (ConfigError, KeyError, OSError) as e:
        raise OutsideFailed(
            "nothing says where a cluster is: there is no kubeconfig",
            remedy="give one as --kubeconfig or in KUBECONFIG; `kubectl get pods` must work",
        ) from e
    if context:
        raise BadInput(
            f"there is no context {context}: there is no kubeconfig",
            remedy="leave --context out to use this pod's service account",
        )
    return Access(
        config=config,
        context="in-cluster",
        server=config.cluster.server,
        namespace=namespace or config.namespace,
    )


def _no_context(name: str, contexts: list[str], files: list[Path]) -> BadInput:
    where = ", ".join(map(str, files))
    if not contexts:
        return BadInput(
            f"the kubeconfig {where} has no context", remedy="see `kubectl config get-contexts`"
        )
    near = get_close_matches(name, contexts, n=3, cutoff=0.5) or sorted(contexts)[:5]
    if not name:
        return BadInput(
            f"the kubeconfig {where} has no current context",
            remedy=f"give one as --context: {', '.join(near)}",
        )
    return BadInput(
        f"there is no context {name} in {where}",
        remedy=f"give one that is there: {', '.join(near)}",
    )


@contextmanager
def readable_config(where: str) -> Iterator[None]:
    """The client library's errors about a kubeconfig, in our words."""
    import msgspec  # noqa: PLC0415
    from lightkube.core.exceptions import ConfigError  # noqa: PLC0415

    try:
        yield
    except (ConfigError, msgspec.ValidationError, KeyError) as e:
        raise BadInput(
            f"the kubeconfig {where} cannot be used: {e}",
            remedy="see `kubectl config view`; `kubectl get pods` must work",
        ) from e

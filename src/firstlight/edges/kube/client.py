"""
The client library's client for a context, and what goes wrong while it gets its credentials.

Certificates, tokens and exec plugins are the library's. Two things are not as kubectl has
them: Python 3.13 asks of a certificate authority what many a cluster's does not have, and
kubectl does not ask; and what a plugin does wrong comes as whatever it comes as.
"""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from firstlight import __version__
from firstlight.core.errors import OutsideFailed
from firstlight.edges.kube.config import Access, readable_config

if TYPE_CHECKING:
    import httpx2


def client_of(access: Access) -> "httpx2.Client":
    """
    The client library's client, for a context.

    Raises:
        BadInput: what the kubeconfig says cannot be used.
    """
    import httpx2  # noqa: PLC0415
    from lightkube.config.client_adapter import user_auth, verify_cluster  # noqa: PLC0415
    from lightkube.config.models import User  # noqa: PLC0415

    config = access.config
    with readable_config(f"of context {access.context}"):
        tls = verify_cluster(config.cluster, config.user or User(), config.abs_file)
        tls.verify_flags &= ~ssl.VERIFY_X509_STRICT
        return httpx2.Client(
            base_url=access.server,
            auth=user_auth(config.user),
            verify=tls,
            proxy=access.proxy,
            headers=[*access.headers, ("User-Agent", f"firstlight/{__version__}")],
        )


@contextmanager
def credentials_in_our_words(context: str) -> Iterator[None]:
    """What goes wrong while credentials are fetched, in our words."""
    from lightkube.core.exceptions import ConfigError  # noqa: PLC0415

    try:
        yield
    except (ConfigError, FileNotFoundError, PermissionError, ValueError, KeyError) as e:
        what = f"no {e} in the plugin's answer" if isinstance(e, KeyError) else str(e)
        raise OutsideFailed(
            f"the credentials of context {context} cannot be had: {_first_line(what)}",
            remedy="log in again; `kubectl get pods` must work",
        ) from e


def _first_line(text: str) -> str:
    """As much of a foreign message as fits a sentence."""
    return (text.strip().splitlines() or [""])[0][:300]

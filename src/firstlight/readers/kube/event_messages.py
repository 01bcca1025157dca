"""
What the message of an event names.

A table without an OBJECT column still says which pod or container an event is about,
where the writer put the name into the sentence. Only fixed wordings count.
"""

import re
from dataclasses import dataclass

_CONTAINER = re.compile(
    r"(?:Created container:? |Started container |Stopping container )([a-z0-9][a-z0-9-]{0,62})\b"
    r"|Container ([a-z0-9][a-z0-9-]{0,62}) (?:failed (?:startup|liveness) probe|definition changed)"
    r"|(?:Back-off restarting failed container |failed to start container )"
    r'"?([a-z0-9][a-z0-9-]{0,62})\b'
)
_IN_POD = re.compile(
    r" in pod ([a-z0-9][a-z0-9.-]{0,252})_([a-z0-9][a-z0-9-]{0,62})\(([0-9a-f-]{1,64})\)"
)
_ASSIGNED = re.compile(
    r"Successfully assigned ([a-z0-9][a-z0-9-]{0,62})/([a-z0-9][a-z0-9.-]{0,252}) to "
)
_IMAGE = re.compile(r'(?:Pulling|Successfully pulled|Container|Failed to pull) image "([^"]+)"')


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """The names in a message; empty where there is none."""

    container: str = ""
    pod: str = ""
    namespace: str = ""
    uid: str = ""
    image: str = ""


def named_in(message: str) -> Named:
    """Read the names out of a message."""
    # A plain word is found much faster than a pattern that holds it.
    container = _CONTAINER.search(message) if "ontainer" in message else None
    image = _IMAGE.search(message) if "image" in message else None
    pod = namespace = uid = ""
    if found := _IN_POD.search(message) if " in pod " in message else None:
        pod, namespace, uid = found.groups()
    elif found := _ASSIGNED.match(message):
        namespace, pod = found.groups()
    return Named(
        container=next(filter(None, container.groups()), "") if container else "",
        pod=pod,
        namespace=namespace,
        uid=uid,
        image=image[1] if image else "",
    )

"""
References to images, as a container runtime reads them.

One image has many spellings. What a reference leaves out is implied: the registry docker.io,
its folder `library/`, the tag `latest`. `index.docker.io` is an older name of docker.io. A
digest says exactly which image is meant, so a tag beside one says nothing, and the kubelet
drops it. These are the rules of the distribution project's references, which Docker,
containerd and the kubelet share. Whether two spellings are one image is asked here, by whoever
lays a pull beside a pod.
"""

import re

_HOST = r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_PART = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
GRAMMAR = (
    rf"(?:{_HOST}(?:\.{_HOST})*(?::[0-9]+)?/)?{_PART}(?:/{_PART})*"
    r"(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?"
    r"(?:@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,})?"
)
"""Of a reference, as a regular expression for the whole of it."""
_REGISTRY = "docker.io"
_OLD_REGISTRY = "index.docker.io"
_OFFICIAL = "library/"
_TAG = "latest"


def full_name(reference: str) -> str:
    """A reference with what is implied, and without a tag that means nothing.

    `vllm/vllm-openai` is `docker.io/vllm/vllm-openai:latest`.
    """
    named, at, digest = reference.partition("@")
    path, tag = _parted(_with_registry(named))
    return f"{path}@{digest}" if at else f"{path}:{tag or _TAG}"


def is_reference(text: str) -> bool:
    """Whether a text is the reference of an image."""
    return re.fullmatch(GRAMMAR, text) is not None


def is_pinned(reference: str) -> bool:
    """Whether it is the same image tomorrow, as far as people keep to it: by a digest, or a tag."""
    return "@" in reference or _parted(reference)[1] not in {"", _TAG}


def repository(reference: str) -> str:
    """A full reference without its tag and digest."""
    return _parted(_with_registry(reference.partition("@")[0]))[0]


def registry(reference: str) -> str:
    """Where it is pulled from."""
    return repository(reference).partition("/")[0]


def are_one_image(one: str, other: str) -> bool | None:
    """
    Whether two references are spellings of one image.

    Returns:
        None where nobody can tell: one says a tag and the other a digest of one repository.
    """
    if full_name(one) == full_name(other):
        return True
    if repository(one) == repository(other) and ("@" in one) != ("@" in other):
        return None
    return False


def _with_registry(named: str) -> str:
    first, slash, rest = named.partition("/")
    if not slash or not _is_registry(first):
        first, rest = _REGISTRY, named
    if first == _OLD_REGISTRY:
        first = _REGISTRY
    if first == _REGISTRY and "/" not in rest:
        rest = _OFFICIAL + rest
    return f"{first}/{rest}"


def _is_registry(first: str) -> bool:
    """Whether what stands before the first slash is a host: a repository has small letters."""
    return "." in first or ":" in first or first == "localhost" or first != first.lower()


def _parted(named: str) -> tuple[str, str]:
    """The repository and the tag, which is empty where none is said: a port is no tag."""
    folder, slash, last = named.rpartition("/")
    name, _, tag = last.partition(":")
    return f"{folder}{slash}{name}", tag

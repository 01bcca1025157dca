"""
Whose word counts, and with whose name something is published.
"""

import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path

from firstlight.caches import variables
from firstlight.caches.signatures import KEY_BYTES, public_of
from firstlight.core.errors import BadInput
from firstlight.edges.cache_keys import (
    CacheKeys,
    private_from,
    public_words,
    read_private,
    read_public,
)


def signers(
    given: Path | None, environment: Mapping[str, str], *, sign: bool = True
) -> tuple[bytes, ...]:
    """
    The private keys to sign with.

    Args:
        given: the file of one; None for the one that the environment holds, else this user's own,
            which is made if there is none.
        environment: holds one, as a Secret gives it to a container, or says where keys lie.
        sign: whether to sign at all.

    Raises:
        BadInput: it is no key, or others may read it.
        OutsideFailed: a new one cannot be kept.
    """
    if not sign:
        return ()
    if given is not None:
        return (read_private(given),)
    if (words := environment.get(variables.KEY)) is not None:
        return (private_from(words, variables.KEY),)
    keys = _keys(environment, "--key FILE")
    own = keys.own()
    if own is None:
        # Any 32 bytes are a private key of Ed25519.
        own = secrets.token_bytes(KEY_BYTES)
        keys.keep(own, public_of(own))
    return (own,)


def believed(
    given: Sequence[str], environment: Mapping[str, str], *, anybody: bool = False
) -> tuple[bytes, ...] | None:
    """
    The public keys that are trusted; None for everybody.

    Args:
        given: words or files of keys; none for those that this user trusts.
        environment: says where keys lie.
        anybody: whether no signature is asked for.

    Raises:
        BadInput: one is no key, or there are none.
    """
    if anybody:
        return None
    found = tuple(map(read_public, given))
    if not found:
        found = _keys(environment, "--trust KEY").trusted()
    if not found:
        raise BadInput(
            "nobody is trusted here, so no cache can be taken",
            remedy="give the publisher's public key with --trust",
        )
    return found


def _keys(environment: Mapping[str, str], instead: str) -> CacheKeys:
    """The keys of this user, who has a home."""
    try:
        home = Path.home()
    except RuntimeError as nobody:
        # A container may run as a user that nobody knows.
        raise BadInput(
            "this user has no home folder, and so no keys", remedy=f"give one: {instead}"
        ) from nobody
    return CacheKeys(environment, home=home)


def own_public(environment: Mapping[str, str]) -> str:
    """
    The public key of this user in words; a pair is made if there is none.

    Raises:
        BadInput: what is there is no key.
        OutsideFailed: a new one cannot be kept.
    """
    (private_key,) = signers(None, environment)
    return public_words(public_of(private_key))

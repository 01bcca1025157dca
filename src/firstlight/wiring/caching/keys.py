"""
Whose word counts, and with whose name something is published.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from firstlight.caches.signatures import new_pair, public_of
from firstlight.core.errors import BadInput
from firstlight.edges.cache_keys import CacheKeys, public_words, read_private, read_public


def signers(
    given: Path | None, environment: Mapping[str, str], *, sign: bool = True
) -> tuple[bytes, ...]:
    """
    The private keys to sign with.

    Args:
        given: the file of one; None for this user's own, which is made if there is none.
        environment: says where keys lie.
        sign: whether to sign at all.

    Raises:
        BadInput: it is no key, or others may read it.
        OutsideFailed: a new one cannot be kept.
    """
    if not sign:
        return ()
    if given is not None:
        return (read_private(given),)
    keys = CacheKeys(environment, home=Path.home())
    own = keys.own()
    if own is None:
        own, public = new_pair()
        keys.keep(own, public)
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
        found = CacheKeys(environment, home=Path.home()).trusted()
    if not found:
        raise BadInput(
            "nobody is trusted here, so no cache can be taken",
            remedy="give the publisher's public key with --trust",
        )
    return found


def own_public(environment: Mapping[str, str]) -> str:
    """
    The public key of this user in words; a pair is made if there is none.

    Raises:
        BadInput: what is there is no key.
        OutsideFailed: a new one cannot be kept.
    """
    (private_key,) = signers(None, environment)
    return public_words(public_of(private_key))

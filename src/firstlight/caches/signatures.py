"""
Who published a manifest, and whether that is somebody who is believed.

What lies in a compile cache is run by the engine, so whoever writes one runs code in the pod.
A digest says that bytes arrived whole; a signature says whose they are. Ed25519: keys of 32
bytes, no choices to get wrong. What is signed begins with the schema, so a signature over
something else that happens to look the same is none.

The file on the store holds the manifest's bytes as a text, and signatures beside it: nothing
is taken apart and put together again between the signature and the reader.
"""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Annotated, Any

import msgspec

from firstlight.caches.layout import Place
from firstlight.caches.manifest import MOST_MANIFEST_BYTES, SCHEMA, Manifest, read_manifest
from firstlight.core.errors import BadInput

_P = 2**255 - 19
_EIGHTH = int("05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826", 16)
"""Of the points of order eight one coordinate; the others have its negative."""
SMALL_ORDER = frozenset(
    y.to_bytes(32, "little") for y in (0, 1, _P - 1, _P, _P + 1, _EIGHTH, _P - _EIGHTH)
)
"""Coordinates, without the sign of the other one."""
_CONTEXT = f"{SCHEMA}\0".encode()
_MOST_SIGNATURES = 16
UNSIGNED = "unsigned"
"""In the name of a manifest, where else the id of a key stands."""
KEY_BYTES = 32
"""Of a private key, and of a public one."""


class Signature(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One publisher's word."""

    key_id: str
    """Of the public key, as `key_id` makes it."""
    ed25519: Annotated[bytes, msgspec.Meta(min_length=64, max_length=64)]


class Envelope(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The file that lies on the store."""

    manifest: str
    """The canonical bytes, as a text."""
    signatures: Annotated[tuple[Signature, ...], msgspec.Meta(max_length=_MOST_SIGNATURES)]


def key_id(public_key: bytes) -> str:
    """The short name of a public key: the first 16 hexadecimal digits of its digest."""
    return sha256(public_key).hexdigest()[:16]


def is_weak(public_key: bytes) -> bool:
    """
    Whether anybody can sign for it: one of the points of small order.

    They are the neutral element and its seven companions, and the spellings of them that readers
    take though no writer makes them. All zeros, which somebody may write for want of a key, is one.
    """
    # The highest bit is the sign of the other coordinate.
    return public_key[:-1] + bytes([public_key[-1] & 0x7F]) in SMALL_ORDER


def public_of(private_key: bytes) -> bytes:
    """
    The public key of a private one.

    Raises:
        BadInput: it is none, or the extra is missing.
    """
    return bytes(_private(private_key).public_key().public_bytes_raw())


def signer_of(private_keys: Sequence[bytes]) -> str:
    """
    The name under which these sign: the id of the first; a word that is none for nobody.

    Raises:
        BadInput: it is no key, or the extra is missing.
    """
    return key_id(public_of(private_keys[0])) if private_keys else UNSIGNED


def sealed(manifest: bytes, private_keys: Iterable[bytes]) -> bytes:
    """
    A manifest with signatures, as it is stored.

    Args:
        manifest: canonical bytes.
        private_keys: of 32 bytes each; none for a manifest that nobody signs.

    Raises:
        BadInput: a key is none, or the extra is missing.
    """
    signatures = []
    for private_key in private_keys:
        signer = _private(private_key)
        public = signer.public_key().public_bytes_raw()
        signatures.append(
            Signature(key_id=key_id(public), ed25519=signer.sign(_CONTEXT + manifest))
        )
    return msgspec.json.encode(
        Envelope(manifest=manifest.decode(), signatures=tuple(signatures)), order="sorted"
    )


def opened(
    artefact: str,
    data: bytes,
    trusted: Iterable[bytes] | None,
    *,
    at: Place | None = None,
) -> tuple[Manifest, str | None]:
    """
    A manifest whose publisher is believed.

    Args:
        artefact: what to call it in an error.
        data: as it lay on the store.
        trusted: public keys of 32 bytes; None for whoever asked by name to believe anybody.
        at: where it lies, and so whose and of which key it must be; None for no such place.

    Returns:
        The manifest, and the id of the key that vouches for it; None where nobody was asked.

    Raises:
        BadInput: nobody who is trusted signed it, it lies in a place of somebody who did not or
            of another key, it is no manifest, or the extra is missing.
    """
    if len(data) > 2 * MOST_MANIFEST_BYTES:
        raise BadInput(
            f"{artefact} has {len(data)} bytes, and no manifest has so many",
            remedy="see who writes there",
        )
    try:
        envelope = msgspec.json.decode(data, type=Envelope)
        manifest = envelope.manifest.encode()
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError) as error:
        raise BadInput(
            f"{artefact} is no signed manifest of a cache ({error})",
            remedy="publish the cache anew with `firstlight cache push`",
        ) from error
    by = None if trusted is None else _voucher(artefact, envelope, manifest, trusted)
    signers = [signature.key_id for signature in envelope.signatures] or [UNSIGNED]
    if at is not None and at.signer not in signers:
        raise BadInput(
            f"{artefact} lies in the place of {at.signer}, and says that it is by "
            f"{', '.join(signers)}",
            remedy="see who writes there",
        )
    found = read_manifest(artefact, manifest)
    if at is not None and at.key != found.key:
        # Somebody who may write, and not sign, put it there.
        raise BadInput(f"{artefact} is the manifest of another key", remedy="see who writes there")
    return found, by


def _voucher(artefact: str, envelope: Envelope, manifest: bytes, trusted: Iterable[bytes]) -> str:
    by_id = {key_id(public): public for public in trusted}
    for signature in envelope.signatures:
        public = by_id.get(signature.key_id)
        if public is not None and _is_by(public, signature.ed25519, manifest):
            return signature.key_id
    if not envelope.signatures:
        raise BadInput(
            f"{artefact} is not signed, and what is in a compile cache is run by the engine",
            remedy="publish it with a key; or say --trust-unsigned if nobody else can write there",
        )
    signers = ", ".join(signature.key_id for signature in envelope.signatures)
    raise BadInput(
        f"{artefact} is not signed by anybody who is trusted here (it says: {signers})",
        remedy="if the publisher is yours, give the public key with --trust",
    )


def _is_by(public: bytes, signature: bytes, manifest: bytes) -> bool:
    module, invalid = _ed25519()
    try:
        module.Ed25519PublicKey.from_public_bytes(public).verify(signature, _CONTEXT + manifest)
    except invalid:
        return False
    return True


def _private(key: bytes) -> Any:
    if len(key) != KEY_BYTES:
        raise BadInput(
            f"the private key has {len(key)} bytes, and Ed25519's have {KEY_BYTES}",
            remedy="make one with `firstlight cache key --public`",
        )
    return _ed25519()[0].Ed25519PrivateKey.from_private_bytes(key)


def _ed25519() -> tuple[Any, type[Exception]]:
    # Most commands of firstlight neither sign nor check.
    try:
        from cryptography.exceptions import InvalidSignature  # noqa: PLC0415
        from cryptography.hazmat.primitives.asymmetric import ed25519  # noqa: PLC0415
    except ImportError as error:
        raise BadInput(
            "signatures need the extra for caches (cryptography is not installed)",
            remedy="pip install 'firstlight[caches]'",
        ) from error
    return ed25519, InvalidSignature

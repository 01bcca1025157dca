"""Whose a manifest is."""

from secrets import token_bytes

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from firstlight.caches.manifest import canonical
from firstlight.caches.signatures import SMALL_ORDER, is_weak, key_id, opened, sealed
from firstlight.core.errors import BadInput
from tests.caches.made import manifest

WHOLE = manifest("vllm/a")
PRIVATE, FOREIGN = token_bytes(32), token_bytes(32)


def public(private: bytes) -> bytes:
    """The other half of a key."""
    return Ed25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()


def test_a_trusted_key_vouches() -> None:
    """The manifest, and who vouched; whoever else signed beside it."""
    stored = sealed(canonical(WHOLE), [FOREIGN, PRIVATE])

    assert (WHOLE, key_id(public(PRIVATE))) == opened("m", stored, [public(PRIVATE)])


@pytest.mark.parametrize(
    ("signers", "why"), [([], "is not signed, and"), ([FOREIGN], "by anybody who is trusted here")]
)
def test_nobody_else_is_believed(signers: list[bytes], why: str) -> None:
    """Unless that was asked for by name."""
    stored = sealed(canonical(WHOLE), signers)

    with pytest.raises(BadInput, match=why):
        opened("m", stored, [public(PRIVATE)])
    with pytest.raises(BadInput, match=why):
        opened("m", stored, [])
    assert (WHOLE, None) == opened("m", stored, None)


def test_a_signature_is_of_one_manifest() -> None:
    """Another manifest with it is refused, and so is another key's name on it."""
    other = manifest("vllm/b")
    stored = msgspec.json.decode(sealed(canonical(WHOLE), [PRIVATE]))
    swapped = stored | {"manifest": canonical(other).decode()}
    renamed = msgspec.json.decode(sealed(canonical(WHOLE), [FOREIGN]))
    renamed["signatures"][0]["key_id"] = key_id(public(PRIVATE))

    for forged in (swapped, renamed):
        with pytest.raises(BadInput, match="trusted here"):
            opened("m", msgspec.json.encode(forged), [public(PRIVATE)])


def test_no_byte_can_be_another() -> None:
    """Each byte of the file, one at a time: refused, or the same manifest by the same key."""
    stored, trusted = sealed(canonical(WHOLE), [PRIVATE]), [public(PRIVATE)]
    accepted = 0
    for at in range(len(stored)):
        changed = stored[:at] + bytes([stored[at] ^ 1]) + stored[at + 1 :]
        try:
            found, by = opened("m", changed, trusted)
        except BadInput:
            continue
        accepted += 1
        assert (WHOLE, key_id(trusted[0])) == (found, by)
    assert 0 == accepted


def test_a_key_that_is_none_is_a_sentence() -> None:
    """With its length."""
    with pytest.raises(BadInput, match="has 5 bytes"):
        sealed(canonical(WHOLE), [b"short"])


P = 2**255 - 19


@pytest.mark.parametrize("sign", [0, 0x80])
@pytest.mark.parametrize("y", [0, 1, P - 1, P, P + 1])
def test_a_key_that_anybody_can_sign_for_is_weak(y: int, sign: int) -> None:
    """In every spelling; and a real one is not."""
    spelt = bytearray(y.to_bytes(32, "little"))
    spelt[31] |= sign

    assert is_weak(bytes(spelt))
    assert not is_weak(public(PRIVATE))


def test_the_weak_keys_are_the_points_of_small_order() -> None:
    """Worked out on the curve: eight times each is the neutral element."""
    d = -121665 * pow(121666, -1, P) % P

    def twice(point: tuple[int, int]) -> tuple[int, int]:
        x, y = point
        k = d * x * x * y * y % P
        return 2 * x * y * pow(1 + k, -1, P) % P, (y * y + x * x) * pow(1 - k, -1, P) % P

    for coordinate in SMALL_ORDER:
        y = int.from_bytes(coordinate, "little") % P
        square = (y * y - 1) * pow(d * y * y + 1, -1, P) % P
        x = pow(square, (P + 3) // 8, P)
        x = x if x * x % P == square else x * pow(2, (P - 1) // 4, P) % P
        assert x * x % P == square
        assert (0, 1) == twice(twice(twice((x, y))))
    assert 7 == len(SMALL_ORDER)

"""Logs of any size: secrets go, every other byte stays."""

import tracemalloc
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.capture.log_redaction import LogRedaction, in_blocks
from firstlight.core.secrets import NOTHING_KNOWN, Known
from tests.capture.planted import INNOCENT, KEY_LINES, PEM, TEXTS

STAMP = b"2026-11-29T20:00:00.%09dZ "


def stamped(texts: list[str]) -> list[bytes]:
    """Lines as `kubectl logs --timestamps` gives them."""
    lines = [line for text in texts for line in text.split("\n")]
    return [
        STAMP % n + line.encode(errors="surrogateescape") + b"\n" for n, line in enumerate(lines)
    ]


def cleaned(lines: list[bytes], known: Known = NOTHING_KNOWN) -> tuple[list[bytes], LogRedaction]:
    redaction = LogRedaction(known)
    return b"".join(redaction.clean(in_blocks(lines))).splitlines(keepends=True), redaction


@pytest.mark.parametrize("kind", TEXTS)
def test_a_secret_of_each_kind_goes_from_a_log(kind: str) -> None:
    """A line alone: nothing else draws attention to it."""
    text, secrets = TEXTS[kind]

    clean, redaction = cleaned(stamped([text]))

    assert [] == [secret for secret in secrets if secret.encode() in b"".join(clean)]
    assert redaction.removed.total() > 0


@given(
    texts=st.lists(
        st.sampled_from([*INNOCENT, *(text for text, _ in TEXTS.values()), "\udc80 no UTF-8"]),
        max_size=12,
    )
)
def test_no_planted_secret_survives_and_no_line_is_lost(texts: list[str]) -> None:
    """In any order; every line keeps its stamp."""
    lines = stamped(texts)
    secrets = [s for text, secrets in TEXTS.values() if text in texts for s in secrets]

    clean, _ = cleaned(lines)

    assert len(lines) == len(clean)
    assert [line[:31] for line in lines] == [line[:31] for line in clean]
    assert [] == [secret for secret in secrets if secret.encode() in b"".join(clean)]


@given(texts=st.lists(st.sampled_from(INNOCENT), max_size=12), junk=st.binary(max_size=40))
def test_innocent_bytes_pass_through(texts: list[str], junk: bytes) -> None:
    """Byte for byte, valid UTF-8 or not."""
    lines = [*stamped(texts), b"junk " + junk.replace(b"\n", b"").hex().encode() + b"\xff\xfe\n"]

    assert lines == cleaned(lines)[0]


def test_a_private_key_goes_over_several_lines() -> None:
    """From its first line to its last, stamps kept, and the lines after it stay."""
    lines = stamped(["before", PEM, "after"])

    clean, redaction = cleaned(lines)

    assert 1 == redaction.removed["private key"]
    assert (lines[0], lines[-1]) == (clean[0], clean[-1])
    assert [] == [key for key in KEY_LINES if key.encode() in b"".join(clean)]
    assert all(b"***" in line for line in clean[1:-1])


def test_a_key_that_never_ends_does_not_swallow_the_log() -> None:
    """Somebody printed only the first line of one."""
    lines = stamped(["-----BEGIN PRIVATE KEY-----", *["Loading weights"] * 400])

    clean, _ = cleaned(lines)

    assert lines[-1] == clean[-1]


def test_known_secrets_go() -> None:
    """Found in the pod's spec, printed by the engine."""
    clean, redaction = cleaned(stamped(["key is plum-pudding"]), Known(values=("plum-pudding",)))

    assert b"key is ***\n" == clean[0][31:]
    assert {"known secret": 1} == dict(redaction.removed)


@pytest.mark.timeout(30)
def test_a_large_log_passes_through_in_little_memory() -> None:
    """Twenty megabytes; what is held is a few blocks."""
    line = STAMP % 1 + b"INFO Engine 000: Avg prompt throughput: 10.0 tokens/s, Running: 1 reqs\n"

    many = 20_000_000 // len(line)

    def lines() -> Iterator[bytes]:
        for _ in range(many):
            yield line

    redaction = LogRedaction(Known(values=("plum-pudding",)))
    tracemalloc.start()
    size = sum(map(len, redaction.clean(in_blocks(lines()))))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert len(line) * many == size
    assert most < 8_000_000

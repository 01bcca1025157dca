"""A store that is not well: tried again where that may help, then one line and no cache."""

import re
import time
from pathlib import Path

import pytest

from firstlight.core.errors import FirstlightError, OutsideFailed
from tests.caching.faulty import Spoils, answers, cuts, faulty, says_nothing
from tests.caching.small import FILES, pulled, pushed, read, write
from tests.fakes.canned_server import canned, reply
from tests.fakes.processes import free_port

pytestmark = pytest.mark.timeout(90)


@pytest.mark.parametrize(
    "spoils",
    [
        answers(503, "SlowDown", times=2),
        answers(500, "InternalError", times=2),
        cuts(times=1),
    ],
    ids=["503", "500", "cut"],
)
def test_what_passes_is_tried_again(
    bucket: str, endpoint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoils: Spoils
) -> None:
    """With a pause between."""
    pushed(bucket, write(tmp_path / "root"))
    with faulty(endpoint, spoils) as before:
        monkeypatch.setenv("AWS_ENDPOINT_URL", before)
        pulled(bucket, tmp_path / "into" / "engine")

    assert FILES == read(tmp_path / "into" / "engine")


@pytest.mark.parametrize(
    ("spoils", "words"),
    [
        (answers(403, "AccessDenied"), "AccessDenied"),
        (answers(500, "InternalError"), "InternalError"),
        (cuts(), "cannot be read"),
        (says_nothing(30), "time"),
    ],
    ids=["403", "500", "cut", "silent"],
)
def test_what_stays_is_said_in_time(
    bucket: str, endpoint: str, tmp_path: Path, *, spoils: Spoils, words: str
) -> None:
    """Nothing is left at the target, and nobody waits longer than was allowed."""
    pushed(bucket, write(tmp_path / "root"))
    with faulty(endpoint, spoils) as before, pytest.MonkeyPatch.context() as patched:
        patched.setenv("AWS_ENDPOINT_URL", before)
        began_s = time.monotonic()
        with pytest.raises(OutsideFailed, match=words):
            pulled(bucket, tmp_path / "into" / "engine", timeout_s=4)
        took_s = time.monotonic() - began_s

    assert took_s < 8
    assert not (tmp_path / "into" / "engine").exists()


def test_no_store_is_said(bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With where it was looked for."""
    nobody = f"http://127.0.0.1:{free_port()}"
    monkeypatch.setenv("AWS_ENDPOINT_URL", nobody)

    expected = f"cannot be listed: no connection to {nobody} (Connection refused)"
    with pytest.raises(OutsideFailed, match=re.escape(expected)):
        pulled(bucket, tmp_path / "into" / "engine", timeout_s=2)


def test_no_credentials_are_said(
    bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not the rights that whoever has none would need as well."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    with canned(reply(403, b"nobody has a role here")) as asked_for_keys:
        monkeypatch.setenv("AWS_METADATA_ENDPOINT", asked_for_keys.url)
        for ask in (
            lambda: pulled(bucket, tmp_path / "into" / "engine", timeout_s=2),
            lambda: pushed(bucket, write(tmp_path / "root")),
        ):
            with pytest.raises(OutsideFailed, match="there are no credentials") as refused:
                ask()
            assert "AWS_ACCESS_KEY_ID" in refused.value.remedy


def test_no_bucket_is_said(bucket: str, tmp_path: Path) -> None:
    """By push and by pull."""
    nowhere = bucket.replace("caches", "nowhere")

    for ask in (
        lambda: pulled(nowhere, tmp_path / "into" / "engine"),
        lambda: pushed(nowhere, write(tmp_path / "root")),
    ):
        with pytest.raises(FirstlightError, match="NoSuchBucket"):
            ask()

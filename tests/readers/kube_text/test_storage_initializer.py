"""KServe's storage initializer."""

import pytest

from firstlight.readers.kube.storage_initializer import StorageLine, storage_download
from tests.readers.kube_text.reading import whole

HEAD = "2025-06-10 10:00:00.250 1 kserve INFO [storage.py:download():64] "
AT = whole("2025-06-10T10:00:00") + 250_000_000


def line(**said: object) -> StorageLine:
    return StorageLine(at_ns=AT, resolution_ns=1_000_000, **said)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("Copying contents of s3://b/m to local", {"begins": True, "source": "s3://b/m"}),
        ("Successfully copied hf://o/m to /mnt/models", {"ends": True, "source": "hf://o/m"}),
        (
            "Model downloaded in 1.1125189810009033 seconds.",
            {"ends": True, "seconds": "1.1125189810009033"},
        ),
    ],
)
def test_its_lines(words: str, said: dict[str, object]) -> None:
    """Where it begins, where it ends, how long it says it took; with milliseconds."""
    assert line(**said) == storage_download(HEAD + words)


def test_an_older_stamp_is_no_moment() -> None:
    """The words count, the stamp is not read."""
    expected = StorageLine(begins=True, source="s3://b/m")

    assert expected == storage_download(
        "[I 250610 10:00:00 storage:35] Copying contents of s3://b/m to local"
    )


@pytest.mark.parametrize(
    "words", ["", "Downloaded object a to b", "Copying contents of", "Model downloaded in seconds"]
)
def test_other_lines(words: str) -> None:
    """Its own chatter too."""
    assert None is storage_download(HEAD + words)

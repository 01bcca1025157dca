"""The cause, out of all that a store's library says."""

import pytest

from firstlight.readers.store_refusal import (
    cause,
    lacks_credentials,
    lacks_permission,
    lacks_right,
)

_WAY = "Generic S3 error: Error performing PUT http://127.0.0.1:9000/b/k in 2.1s"
_NOBODY = (
    f"{_WAY} - HTTP error: error sending request\n\nDebug source:\nGeneric {{ uri: Some(\n"
    'http://127.0.0.1:9000/b/k), source: ConnectError("tcp connect error", Os { code: 111, '
    'message: "Connection refused" }) }'
)
_KEYS = "Error performing PUT http://169.254.169.254/latest/api/token in 1s - HTTP error"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (f"{_WAY}: <Error><Code>SlowDown</Code>\n<Message>later</Message>", "SlowDown: later"),
        (f"{_WAY}: <Error><Code>AccessDenied</Code></Error>", "AccessDenied"),
        (f"{_WAY}\n\nDebug source:\nReqwest {{ TimedOut }}", "no answer in time"),
        (_NOBODY, "no connection to http://127.0.0.1:9000 (Connection refused)"),
        ("Not a\n directory", "Not a directory"),
        (_KEYS, f"there are no credentials for it here: {_KEYS}"),
    ],
)
def test_the_cause_is_one_line(words: str, expected: str) -> None:
    """Of the store where it said something, else of the way there."""
    assert expected == cause(words)
    assert (words is _KEYS) == lacks_credentials(words)


def test_who_is_denied_is_told_apart_from_who_finds_nothing() -> None:
    """A bucket answers 401 or 403; a folder has the system's own words, and no kind of its own."""
    folder = "Unable to open file /caches/manifests/a.json: Permission denied (os error 13)"
    gone = "Object at location /caches/a not found: No such file or directory (os error 2)"

    assert [True, False, False] == [lacks_permission(words) for words in (folder, gone, _NOBODY)]
    refused = [f"{_WAY}: Server returned non-2xx status code: {n}" for n in (401, 403, 404)]
    assert [True, True, False] == [lacks_right(words) for words in refused]

"""The cause, out of all that a store's library says."""

import pytest

from firstlight.readers.store_refusal import cause, lacks_credentials

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

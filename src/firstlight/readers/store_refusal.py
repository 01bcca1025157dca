"""
Why a store of objects refused, out of what its library says.

The library tells a request's whole way, its retries and a debug dump; the cause is a part of it:
what the store itself answered, or why nobody was reached.
"""

import re

_TIMED_OUT = "TimedOut"
_LOOKS_FOR_KEYS = re.compile(
    r"Error performing \w+ \S+(?:/latest/(?:api/token|meta-data)|/v1/credentials|AssumeRole)"
)
"""A request for credentials, made where nothing else gives any."""
_UNREACHED = re.compile(
    r"uri: Some\(\s*(?P<place>\w+://[^/\s]+).*?"
    r'ConnectError\(.*?(?:message|error): "(?P<why>[^"]*)"',
    re.DOTALL,
)
_REFUSED = ("status code: 401", "status code: 403")
_MAY_NOT = "(os error 13)"
_SAID = re.compile(r"<Code>(?P<code>[^<]*)</Code>(?:\s*<Message>(?P<message>[^<]*)</Message>)?")


def cause(words: str) -> str:
    """What the store itself says, where it says something, else the library; in one line."""
    said, _, source = words.partition("\n\nDebug source:")
    if store := _SAID.search(said):
        why = ": ".join(part for part in (store["code"], store["message"]) if part)
    elif _TIMED_OUT in source:
        why = "no answer in time"
    elif nobody := _UNREACHED.search(source):
        why = f"no connection to {nobody['place']} ({nobody['why']})"
    else:
        why = " ".join(said.split())
    return f"there are no credentials for it here: {why}" if _LOOKS_FOR_KEYS.search(said) else why


def lacks_credentials(words: str) -> bool:
    """Whether it was refused while it looked for credentials."""
    return bool(_LOOKS_FOR_KEYS.search(words))


def lacks_right(words: str) -> bool:
    """Whether the store answered that this identity may not; of a listing only words tell that."""
    return any(status in words for status in _REFUSED)


def lacks_permission(words: str) -> bool:
    """Whether a folder's file system answered that this user may not."""
    return _MAY_NOT in words

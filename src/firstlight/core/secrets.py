"""
What must never be written down.

A command and its environment are recorded so that a round can be judged and
repeated, and both may hold keys. Whatever has the name of a secret loses its
value, wherever it stands: an option, an assignment, JSON, a header, a URL. The
values found that way are also looked for in what the engine prints.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

HIDDEN = "***"
_SHORTEST = 6
"""A shorter value would black out innocent words all over a log."""

_ALWAYS = frozenset(
    {
        *("secret", "secrets", "password", "passwd", "passphrase", "pass", "pwd", "pgpassword"),
        *("credential", "credentials", "apikey", "apikeys", "pat", "auth"),
    }
)
_KEYS = frozenset({"api", "access", "private", "auth", "encryption"})
_PLAIN_TOKENS = frozenset({"bos", "eos", "pad", "mask", "stop", "special", "image", "max", "per"})
_OPTION = re.compile(r"--?[A-Za-z][\w.-]*")
_NAMED = re.compile(r"(-{0,2}[A-Za-z_][\w.-]*)([\"']?\s*[=:]\s*[\"']?|\s+[\"']?)(?=[^\s\"',;}])")
_ONE_WORD = re.compile(r"(-{0,2}[A-Za-z_][\w.-]*=)(\S+)")
_VALUE = re.compile(r"[^\s\"',;}]+")
_KNOWN_SHAPES = re.compile(
    r"\bhf_[A-Za-z0-9]{16,}|\bsk-[A-Za-z0-9_-]{16,}|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"
    r"|(?<=Bearer )[^\s\"']+|(?<=://)[^/\s@]+(?=@)"
)


def is_secret(name: str) -> bool:
    """Whether an option or a variable of this name holds a secret."""
    words = re.split(r"[-_.]+", name.strip("-").lower())
    if _ALWAYS.intersection(words):
        return True
    if words[-1] == "id":
        words.pop()
    before = words[-2] if len(words) > 1 else ""
    if words[-1:] == ["token"]:
        return before not in _PLAIN_TOKENS
    return words[-1:] in (["key"], ["keys"]) and before in _KEYS


def redacted_command(command: Sequence[str]) -> tuple[str, ...]:
    """The command with every secret blacked out; as many words as before."""
    return tuple(hidden for hidden, _ in _scanned(command))


def redacted_values(values: Mapping[str, str]) -> dict[str, str]:
    """Variables with the values of secret ones blacked out."""
    return {
        name: HIDDEN if value and is_secret(name) else _redacted(value)[0]
        for name, value in values.items()
    }


def without(text: str, secrets: Sequence[str]) -> str:
    """A text with these secrets blacked out."""
    for secret in secrets:
        text = text.replace(secret, HIDDEN)
    return text


def cleaned(value: Mapping[str, object], secrets: Sequence[str]) -> dict[str, object]:
    """What becomes JSON, with these secrets blacked out in every text of it."""
    return {name: _cleaned(inner, secrets) for name, inner in value.items()}


def secret_values(command: Sequence[str], environment: Mapping[str, str]) -> tuple[str, ...]:
    """The secrets themselves, longest first, for taking them out of what is printed."""
    found = {value for name, value in environment.items() if is_secret(name)}
    found.update(v for value in environment.values() for v in _redacted(value)[1])
    found.update(value for _, values in _scanned(command) for value in values)
    return tuple(sorted((v for v in found if len(v) >= _SHORTEST), key=lambda v: (-len(v), v)))


def _scanned(command: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Each word without its secrets, and those secrets."""
    value_follows = many = False
    for word in command:
        if _OPTION.match(word):
            value_follows = bool(_OPTION.fullmatch(word)) and is_secret(word)
            # vLLM takes any number of keys after --api-key, but one token after --hf-token.
            many = "key" in word
            yield _redacted(word)
        elif value_follows:
            value_follows = many
            yield HIDDEN, [word]
        else:
            yield _redacted(word)


def _redacted(word: str) -> tuple[str, list[str]]:
    """A text without its secrets, and those secrets."""
    alone = _ONE_WORD.fullmatch(word)
    if alone and is_secret(alone[1].rstrip("=")):
        return alone[1] + HIDDEN, [alone[2]]
    secrets: list[str] = []
    for named in _NAMED.finditer(word):
        # "token abc" in prose is no assignment, "--hf-token abc" in a script is one.
        if named[2].isspace() and not named[1].startswith("-"):
            continue
        value = _VALUE.match(word, named.end())
        if is_secret(named[1]) and value:
            secrets.append(value[0])
    secrets.extend(_KNOWN_SHAPES.findall(word))
    for secret in sorted(secrets, key=len, reverse=True):
        word = word.replace(secret, HIDDEN)
    return word, secrets


def _cleaned(value: object, secrets: Sequence[str]) -> object:
    match value:
        case str():
            return without(value, secrets)
        case dict():
            return cleaned(value, secrets)
        case list() | tuple():
            return [_cleaned(inner, secrets) for inner in value]
        case _:
            return value

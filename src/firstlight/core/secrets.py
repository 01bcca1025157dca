"""
What must never be written down.

A command and its environment are recorded so that a round can be judged and
repeated, and both may hold keys. Whatever has the name of a secret loses its
value, wherever it stands: an option, an assignment, JSON, a header, a URL. The
values found that way are also looked for in what the engine prints. What looks like a
secret by itself (`secret_shapes`) goes too.

A name that stands for a value (`$HF_TOKEN`) is none: it says where the secret comes from.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from firstlight.core.secret_shapes import SHAPES, shaped

HIDDEN = "***"
_SHORTEST = 6
"""A shorter value would black out innocent words all over a log."""

_ALWAYS = frozenset(
    {
        *("secret", "secrets", "password", "passwd", "passphrase", "pwd", "pgpassword"),
        *("credential", "credentials", "apikey", "apikeys", "pat", "auth"),
    }
)
_KEYS = frozenset({"api", "access", "private", "auth", "encryption"})
_PLAIN_TOKENS = frozenset({"bos", "eos", "pad", "mask", "stop", "special", "image", "max", "per"})
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_OPTION = re.compile(r"--?[A-Za-z][\w.-]*")
_NAMED = re.compile(
    r"(?<![\w.-])(-{0,2}[A-Za-z_][\w.-]*)"
    r"(\\?[\"']?\s{0,8}[=:]\s{0,8}(?P<quote>\\?[\"'])?|\s{1,8}(?P<quoted>[\"'])?)(?=[^\s,;}])"
)
_ONE_WORD = re.compile(r"(-{0,2}[A-Za-z_][\w.-]*=)(\S+)")
_VALUE = re.compile(r"[^\s\"',;}]+")
_LIST = re.compile(r"\\?[\"']([^\"'\]]*?)\\?[\"']|([^\s\"',\]]+)")
_SEVERAL = re.compile(r"\[|(?:[A-Za-z_][\w.]*)?\(")
"""A list, or a value that shows its type: `SecretStr('...')`."""
_LONGEST_LIST = 8192
_REFERENCE = re.compile(r"\$\(\w+\)?|\$\{?\w+\}?")
_NOTHING = frozenset({"none", "null", "true", "false", "nil", "", HIDDEN})
_NUMBERED = frozenset({"token", "tokens"})

SECRET_WORDS = ("token", "secret", "pass", "pwd", "credential", "key", "auth", "pat", "cookie")
"""One of these is in every name that `is_secret` knows, in lower case."""
LITERALS = tuple(sorted({literal for shape in SHAPES for literal in shape.literals}))
"""One of these is in every text that holds a secret by shape, in lower case."""


def is_secret(name: str) -> bool:
    """Whether an option or a variable of this name holds a secret."""
    words = re.split(r"[-_.]+", _HUMP.sub("_", name.strip("-")).lower())
    # A compiler's `pass_config` holds passes.
    if _ALWAYS.intersection(words) or words[-1] == "pass":
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


def scrubbed(text: str, known: Iterable[str] = ()) -> tuple[str, Counter[str]]:
    """
    A text of somebody else's without the secrets in it, and how many of which kind went.

    Args:
        text: a log line, a message, anything.
        known: secrets that were found elsewhere; the longest first.
    """
    removed: Counter[str] = Counter()
    for secret in known:
        if secret in text:
            removed["known secret"] += text.count(secret)
            text = text.replace(secret, HIDDEN)
    spans = list(_spans(text))
    for _, kind in (merged := _merged(spans)):
        removed[kind] += 1
    return _cut(text, [span for span, _ in merged]), removed


def secrets_in(text: str) -> tuple[str, ...]:
    """The secrets of a text, longest first, for looking for them elsewhere."""
    return _longest_first(text[begin:end] for begin, end, _ in _spans(text))


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
    found = {v for name, v in environment.items() if is_secret(name) and not _says_nothing(v)}
    found.update(v for value in environment.values() for v in _redacted(value)[1])
    found.update(value for _, values in _scanned(command) for value in values)
    return _longest_first(found)


def _scanned(command: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Each word without its secrets, and those secrets."""
    value_follows = many = False
    for word in command:
        if _OPTION.match(word):
            value_follows = bool(_OPTION.fullmatch(word)) and is_secret(word)
            # vLLM takes any number of keys after --api-key, but one token after --hf-token.
            many = "key" in word
            yield _redacted(word)
        elif value_follows and not _says_nothing(word):
            value_follows = many
            yield HIDDEN, [word]
        else:
            yield _redacted(word)


def _redacted(word: str) -> tuple[str, list[str]]:
    """A text without its secrets, and those secrets."""
    alone = _ONE_WORD.fullmatch(word)
    if alone and is_secret(alone[1].rstrip("=")) and not _says_nothing(alone[2]):
        return alone[1] + HIDDEN, [alone[2]]
    merged = [span for span, _ in _merged(list(_spans(word)))]
    secrets = [word[begin:end] for begin, end in merged]
    # Once found, it is blacked out wherever else it stands.
    return without(_cut(word, merged), [s for s in secrets if len(s) >= _SHORTEST]), secrets


def _spans(text: str) -> Iterator[tuple[int, int, str]]:
    yield from shaped(text)
    covered = 0
    for named in _NAMED.finditer(text):
        if named.start() < covered:
            continue
        # "token abc" in prose is no assignment, "--hf-token abc" in a script is one.
        if named[2].isspace() and not named[1].startswith("-"):
            continue
        if is_secret(named[1]):
            for begin, end in _value(text, named.end(), named["quote"] or named["quoted"] or ""):
                value = text[begin:end]
                counts = named[1].lower() in _NUMBERED and value.isdecimal()
                if not counts and not _says_nothing(value):
                    covered = end
                    yield begin, end, "named secret"


def _value(text: str, at: int, quote: str) -> Iterator[tuple[int, int]]:
    """Where the value, or each of several, stands that follows a name."""
    if quote:
        end = text.find(quote, at)
        while end > at and len(quote) == 1 and text[end - 1] == "\\":
            end = text.find(quote, end + 1)
        yield at, len(text) if end < 0 else end
    elif several := _SEVERAL.match(text, at):
        last = min(len(text), at + _LONGEST_LIST)
        close = text.find("]" if several[0] == "[" else ")", at, last)
        for one in _LIST.finditer(text, several.end(), last if close < 0 else close):
            yield one.span(one.lastindex or 0)
    elif value := _VALUE.match(text, at):
        yield value.span()


def _says_nothing(value: str) -> bool:
    """Whether it is no value but the absence of one, or stands for one that is elsewhere."""
    plain = value.rstrip(")]")
    if len(plain) > 1 and plain[0] == plain[-1] and plain[0] in "\"'":
        plain = plain[1:-1]
    return plain.lower() in _NOTHING or bool(_REFERENCE.fullmatch(plain or value))


def _merged(spans: list[tuple[int, int, str]]) -> list[tuple[tuple[int, int], str]]:
    """Spans in order, those that overlap as one, of the kind that was found first."""
    merged: list[tuple[tuple[int, int], str]] = []
    for begin, end, kind in sorted(spans, key=lambda span: (span[0], -span[1])):
        if merged and begin < merged[-1][0][1]:
            (first, last), before = merged[-1]
            merged[-1] = ((first, max(last, end)), before)
        elif end > begin:
            merged.append(((begin, end), kind))
    return merged


def _cut(text: str, spans: Sequence[tuple[int, int]]) -> str:
    pieces, at = [], 0
    for begin, end in spans:
        pieces += [text[at:begin], HIDDEN]
        at = end
    return "".join([*pieces, text[at:]])


def _longest_first(found: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({v for v in found if len(v) >= _SHORTEST}, key=lambda v: (-len(v), v)))


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

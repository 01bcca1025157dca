"""
What must never be written down.

A command and its environment are recorded so that a round can be judged and
repeated, and both may hold keys. Whatever has the name of a secret (`secret_names`)
loses its value, wherever it stands (`named_secrets`): an option, an assignment, JSON, a
header, a URL. The values found that way are also looked for in what the engine prints.
What looks like a secret by itself (`secret_shapes`) goes too. All of it is looked for in
the plain text (`plain_text`), and taken out of the text as it came.

A name that stands for a value (`$HF_TOKEN`) is none: it says where the secret comes from.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from firstlight.core.named_secrets import HIDDEN, named, says_nothing
from firstlight.core.plain_text import plain_text
from firstlight.core.secret_names import is_secret
from firstlight.core.secret_shapes import shaped

SHORTEST = 6
"""A shorter value would black out innocent words all over a log."""
_SHORTEST_WORD = 8
"""A word of fewer letters and nothing else, `engine`, would do so too."""
_PLACE = re.compile(
    r"/(?:bin|boot|dev|etc|home|lib|lib64|media|mnt|nix|opt|proc|root|run|sbin|srv|sys|tmp|usr"
    r"|var|Users|Volumes|private|workspaces?|app|data|models)(?:/[\w.@+~-]+)*/?"
)
"""A path, where file systems have one; a key may begin with a slash by chance, but not so."""

_OPTION = re.compile(r"--?[A-Za-z][\w.-]*")
_ONE_WORD = re.compile(r"(-{0,2}[A-Za-z_][\w.-]*=)(\S+)")

Span = tuple[int, int, str]
"""Where a secret begins and ends, and of which kind it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """Secrets that were found elsewhere."""

    values: tuple[str, ...] = ()
    """Longest first; they go wherever they stand."""
    names: frozenset[str] = frozenset()
    """Variables with values too short for that: they go where they stand by their names."""


NOTHING_KNOWN = Known()


def redacted_command(command: Sequence[str]) -> tuple[str, ...]:
    """The command with every secret blacked out; as many words as before."""
    return tuple(hidden for hidden, _ in _scanned(command))


def redacted_values(values: Mapping[str, str]) -> dict[str, str]:
    """Variables with the values of secret ones blacked out."""
    return {
        name: HIDDEN if value and is_secret(name) else _redacted(value)[0]
        for name, value in values.items()
    }


def scrubbed(text: str, known: Known = NOTHING_KNOWN) -> tuple[str, Counter[str]]:
    """
    A text of somebody else's without the secrets in it, and how many of which kind went.

    Args:
        text: a log line, a message, anything.
        known: what was found elsewhere.
    """
    merged = _merged(_spans(text, known))
    removed = Counter(kind for _, kind in merged)
    return _cut(text, [span for span, _ in merged]), removed


def without_known(text: str, known: Known) -> tuple[str, Counter[str]]:
    """A text without the secrets that were found elsewhere; what looks like one stays."""
    merged = _merged(_known_spans(text, known.values))
    return _cut(text, [span for span, _ in merged]), Counter(kind for _, kind in merged)


def secrets_in(text: str) -> tuple[str, ...]:
    """The secrets of a text, longest first, for looking for them elsewhere."""
    found = {text[begin:end] for begin, end, _ in _spans(text)}
    found.update(value.rstrip(")]>") for value in tuple(found))
    return longest_first(found)


def without(text: str, secrets: Sequence[str]) -> str:
    """A text with these secrets blacked out."""
    for secret in secrets:
        text = text.replace(secret, HIDDEN)
    return text


def cleaned(value: Mapping[str, object], secrets: Sequence[str]) -> dict[str, object]:
    """What becomes JSON, with these secrets blacked out in every text of it."""
    return {name: _cleaned(inner, secrets) for name, inner in value.items()}


def secret_values(command: Sequence[str], environment: Mapping[str, str]) -> tuple[str, ...]:
    """
    The secrets themselves, longest first, for taking them out of what is printed.

    Not a path, nor a short word: they would go wherever somebody says them, and what is left
    could not be read. Where they stand by their names they are blacked out all the same.
    """
    found = {v for name, v in environment.items() if is_secret(name) and not says_nothing(v)}
    found.update(v for value in environment.values() for v in _redacted(value)[1])
    found.update(value for _, values in _scanned(command) for value in values)
    return longest_first(v for v in found if not _is_a_short_word(v))


def longest_first(found: Iterable[str]) -> tuple[str, ...]:
    """What may be looked for in other texts, one that holds another before it."""
    wanted = {v for v in found if len(v) >= SHORTEST and not _PLACE.fullmatch(v)}
    return tuple(sorted(wanted, key=lambda v: (-len(v), v)))


def _is_a_short_word(value: str) -> bool:
    return len(value) < _SHORTEST_WORD and value.isalpha()


def _scanned(command: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Each word without its secrets, and those secrets."""
    # Whose password `-u` or `-p` announces is said by another word.
    line = " ".join(command)
    together = list(shaped(line))
    value_follows = many = False
    at = 0
    for word in command:
        spans = [
            (max(begin - at, 0), min(end - at, len(word)), kind)
            for begin, end, kind in together
            if begin < at + len(word) and end > at
        ]
        at += len(word) + 1
        if _OPTION.match(word):
            value_follows = bool(_OPTION.fullmatch(word)) and is_secret(word)
            # vLLM takes any number of keys after --api-key, but one token after --hf-token.
            many = "key" in word
            yield _redacted(word, spans)
        elif value_follows and not says_nothing(word):
            value_follows = many
            yield HIDDEN, [word]
        else:
            yield _redacted(word, spans)


def _redacted(word: str, more: Iterable[Span] = ()) -> tuple[str, list[str]]:
    """A text without its secrets, and those secrets."""
    alone = _ONE_WORD.fullmatch(word)
    if alone and is_secret(alone[1].rstrip("=")) and not says_nothing(alone[2]):
        return alone[1] + HIDDEN, [alone[2]]
    merged = [span for span, _ in _merged([*_spans(word), *more])]
    secrets = [word[begin:end] for begin, end in merged]
    # Once found, it is blacked out wherever else it stands.
    return without(_cut(word, merged), [s for s in secrets if len(s) >= SHORTEST]), secrets


def _spans(text: str, known: Known = NOTHING_KNOWN) -> Iterator[Span]:
    yield from _known_spans(text, known.values)
    plain = plain_text(text)
    if plain is None:
        yield from _looked_for(text, known.names)
        return
    for begin, end, kind in _known_spans(plain.text, known.values):
        yield *plain.place(begin, end), kind
    for begin, end, kind in _looked_for(plain.text, known.names):
        yield *plain.place(begin, end), kind


def _known_spans(text: str, values: Iterable[str]) -> Iterator[Span]:
    for value in values:
        begin = text.find(value)
        while begin >= 0:
            end = begin + len(value)
            # A number inside a longer one is part of a stamp or a size.
            around = text[max(0, begin - 1) : begin] + text[end : end + 1]
            if not (value.isdecimal() and any(map(str.isdecimal, around))):
                yield begin, end, "known secret"
            begin = text.find(value, end)


def _looked_for(text: str, names: Collection[str]) -> Iterator[Span]:
    yield from shaped(text)
    for begin, end in named(text, names):
        yield begin, end, "named secret"


def _merged(spans: Iterable[Span]) -> list[tuple[tuple[int, int], str]]:
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

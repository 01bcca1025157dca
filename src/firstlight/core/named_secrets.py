"""
Where the values stand that a name calls secret.

A name and its value meet in many ways: an assignment in a dozen languages, an option and
its words, a pair in brackets, a cell of a table, a name in one field and the value in the
next. The value may be quoted, typed, a list, or several words.

Where it is unclear how far a value goes, it goes further.
"""

import re
from collections.abc import Collection, Iterator
from functools import lru_cache

from firstlight.core.secret_names import is_secret

HIDDEN = "***"

_Q = r"\\{0,7}[\"']"
_NAMED = re.compile(
    r"(?<![\w.-])(?P<name>-{0,2}[A-Za-z_][\w.-]*)"
    rf"(?:(?P<sign>(?:{_Q})?\]?(?:\[\w{{0,20}}\])?(?:\s?\(\w{{1,20}}\))?\s{{0,40}}"
    r"(?::=|=>|->|[\\+?]?={1,3}|:(?!:)|[\uff1d\uff1a|\u2502\u2503\u2192])\s{0,40})"
    rf"|(?P<pair>{_Q}\s{{0,8}},\s{{0,40}})"
    r"|(?P<item>\s{0,40}\n\s{0,40}-\s{1,8})|(?P<gap>(?:\s|\\\n){1,40})|(?P<tag>>))"
)
_APART = re.compile(
    rf"(?i)(?<!\w)(?:name|key|header)(?:{_Q})?\s{{0,8}}[=:]\s{{0,8}}(?:{_Q})?"
    rf"(?P<name>[A-Za-z_][\w.-]*)(?:{_Q})?[\s,;]{{1,40}}(?:{_Q})?val(?:ue)?(?:{_Q})?\s{{0,8}}"
    r"[=:]\s{0,40}"
)
_SPOKEN = re.compile(
    r"(?i)\b(?:access|account|admin|api|encryption|license|master|private|secret|signing) keys?"
    rf"(?:{_Q})?\s{{0,40}}[=:]\s{{0,40}}"
)
_SETS = re.compile(r"\b(?:setenv|ENV|config(?:ure)? set)\s{1,8}\Z")
_COLUMN = re.compile(r"\t|[ \t]{2}")
_OPENS_PAIR = re.compile(rf"[(\[{{]\s{{0,8}}[bru]?{_Q}\Z")
_TYPE = (
    r"(?:[a-z]\w{0,20}\.)?(?:Optional|Union|Annotated|Final|ClassVar|[Ll]ist|Sequence|str|bytes"
    r"|Secret(?:Str|Bytes|String)?|Any|[Ss]tring|None)"
    r"(?:\[[\w\s.,|\[\]]{0,80}\])?"
)
_ANNOTATION = re.compile(
    rf"(?P<quote>[\"'])?{_TYPE}(?:\s?\|\s?{_TYPE}){{0,4}}(?(quote)(?P=quote))\s{{0,8}}=\s{{0,8}}"
)
_OPENS = re.compile(rf"[bBrRuUfF]{{0,2}}(?P<quote>\"\"\"|'''|{_Q})")
_SCHEME = re.compile(r"(?i)(?:bearer|basic|digest|apikey|token)\s{1,8}(?=[^\s\"'])")
"""Of an Authorization header; it says how, not what."""
_SEVERAL = re.compile(r"(?:&?[A-Za-z_][\w.]*)?[\[({]")
_IN_SEVERAL = re.compile(
    r"(?P<quote>\\{0,7}[\"'])(?P<quoted>(?:(?!(?P=quote)).)*)(?P=quote)"
    r"|(?P<open>[\[({])|(?P<close>[\])}])|(?P<bare>[^\s\"',:\[\](){}=]+)",
    re.DOTALL,
)
_IS_NAME = re.compile(r"\s{0,8}[:=(]")
_BARE = re.compile(
    r"(?:[^\s\"',;}\\]|\\(?![\"'])|,(?![\s\"']|[\w.-]{1,64}[\"'\]]{0,2}[=:]|\Z)|[\"'}](?=\w))+"
)
_NEXT_WORD = re.compile(
    rf"(?:(?:{_Q})?,?(?:[^\S\n]|\\\n){{1,40}}|(?:{_Q})?,(?={_Q})|\s{{0,40}}\n\s{{0,40}}-\s{{1,8}})"
    r"(?=(?:[bru]?\\{0,7}[\"'])?[^-\s|;&<>#)\]\"'])"
)
_WORD = re.compile(r"\w*")
_LONGEST_LIST = 8192
_REFERENCE = re.compile(r"\$\(\w+\)?|\$\{?\w+\}?")
_NOTHING = frozenset({"none", "null", "true", "false", "nil", "", HIDDEN})
_PROSE = frozenset(
    {
        *("or", "and", "is", "to", "option", "options", "flag", "must", "argument", "if", "for"),
        *("was", "not", "when", "with", "has", "are", "in", "on", "cannot", "should", "may"),
    }
)
_NUMBERED = frozenset({"token", "tokens"})


def named(text: str, names: Collection[str] = ()) -> Iterator[tuple[int, int]]:
    """
    Where values stand that are secret by their name.

    Args:
        text: any text.
        names: more names whose values are secret.
    """
    apart = sorted(
        [*_APART.finditer(text), *_SPOKEN.finditer(text)], key=lambda match: match.start()
    )
    covered = 0
    for one in apart:
        name = one.groupdict().get("name", "api_key")
        if one.end() >= covered and (is_secret(name) or name in names):
            for begin, end in _values(text, one.end()):
                covered = max(covered, end)
                if not says_nothing(text[begin:end]):
                    yield begin, end
    covered = 0
    for found in _NAMED.finditer(text):
        name = found["name"]
        if found.end() < covered or not _assigns(text, found):
            continue
        if not is_secret(name) and name not in names:
            continue
        for begin, end in _values(text, found.end(), several=_takes_several(found)):
            covered = max(covered, end)
            value = text[begin:end]
            counts = name.lower() in _NUMBERED and value.isdecimal()
            if not counts and not says_nothing(value):
                yield begin, end


def says_nothing(value: str) -> bool:
    """Whether it is no value but the absence of one, or stands for one that is elsewhere."""
    plain = value.rstrip(")]")
    if len(plain) > 1 and plain[0] == plain[-1] and plain[0] in "\"'":
        plain = plain[1:-1]
    return plain.lower() in _NOTHING or bool(_REFERENCE.fullmatch(plain or value))


def _assigns(text: str, found: re.Match[str]) -> bool:
    """Whether the name has the value that follows; "token abc" in prose has none."""
    option = found["name"].startswith("-")
    if found["sign"] is not None:
        return True
    if found["pair"] is not None:
        return option or bool(_OPENS_PAIR.search(text, max(0, found.start() - 20), found.start()))
    if found["tag"] is not None:
        return text[max(0, found.start() - 1) : found.start()] == "<"
    if option:
        following = _WORD.match(text, found.end())
        return following is None or following[0] not in _PROSE
    if found["name"].isupper() and _COLUMN.search(found["gap"] or ""):
        return True
    return bool(_SETS.search(text, max(0, found.start() - 24), found.start()))


def _takes_several(found: re.Match[str]) -> bool:
    """`--api-key` of vLLM takes any number of keys, `--hf-token` one token."""
    option = found["name"].startswith("-") and "key" in found["name"].lower()
    return option and found["sign"] is None


def _values(text: str, at: int, *, several: bool = False) -> Iterator[tuple[int, int]]:
    """Where the value, or each of several, stands."""
    following: re.Match[str] | None
    while True:
        if annotation := _ANNOTATION.match(text, at):
            at = annotation.end()
        if opens := _OPENS.match(text, at):
            end = _end_of_quoted(text, opens.end(), opens["quote"])
            yield _after_scheme(text, opens.end()), end
            end = min(len(text), end + len(opens["quote"]))
        elif _SEVERAL.match(text, at):
            yield from _inside(text, at)
            return
        elif bare := _BARE.match(text, at := _after_scheme(text, at)):
            end = bare.end()
            yield at, end
        else:
            return
        following = _NEXT_WORD.match(text, end)
        if not several or not following:
            return
        at = following.end()


def _after_scheme(text: str, at: int) -> int:
    scheme = _SCHEME.match(text, at)
    return scheme.end() if scheme else at


def _end_of_quoted(text: str, at: int, quote: str) -> int:
    """Where a quote is that nothing of the value follows."""
    found = _closing(quote).search(text, at)
    return found.start() if found else len(text)


@lru_cache(maxsize=64)
def _closing(quote: str) -> re.Pattern[str]:
    other = "'" if quote.endswith('"') else '"'
    return re.compile(rf"(?<!\\){re.escape(quote)}(?=[\s,;:)}}\]>&|\\<]|\.(?:\s|\Z)|\Z|{other})")


def _inside(text: str, at: int) -> Iterator[tuple[int, int]]:
    """Each value of a list, a call or a dictionary, but the names in it."""
    last = min(len(text), at + _LONGEST_LIST)
    depth = 0
    for part in _IN_SEVERAL.finditer(text, at, last):
        if part["open"]:
            depth += 1
        elif part["close"]:
            depth -= 1
            if depth <= 0:
                return
        elif depth and not _IS_NAME.match(text, part.end()):
            yield part.span("bare" if part["quoted"] is None else "quoted")

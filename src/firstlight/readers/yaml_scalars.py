"""
What an unquoted word of YAML is to Kubernetes.

kubectl turns YAML into JSON by a library that keeps to YAML 1.1 where a word could be a
boolean or a number, and to neither version in small things: `yes` is true, `0777` is 511 and
`1:30` is a text. Whoever checks or changes a manifest must see the value that the API server
will see, so these rules are that library's, and a test holds them against a real kubectl.

`plain_value` reads such a word; `is_plain_text` tells a writer which words need no quotes.
"""

import re

_TRUE = frozenset({"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"})
_FALSE = frozenset({"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"})
_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_NO_NUMBER = frozenset(
    {".nan", ".NaN", ".NAN", *(s + w for s in ("", "+", "-") for w in (".inf", ".Inf", ".INF"))}
)
"""Numbers of YAML that JSON has no word for; kubectl refuses them."""
_BASES = ((2, "0b"), (8, "0o"), (16, "0x"), (8, "0"))
_INTEGER = re.compile(r"[-+]?(?:0[bB][01]+|0[oO][0-7]+|0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_MAY_BE_A_NUMBER = frozenset("+-.0123456789")
_LARGEST_SIGNED = 2**63
"""From there on an integer is a float to Kubernetes, with the digits that are left of it."""
_MOST_DIGITS = 100
"""Of an integer that may be below that, in any base; Python reads no more than some thousands."""
_PLAIN = re.compile(r"[\w/.+-][\w/.+@=%~^(){}\[\],;<>*!?&|$\\'\"` :#-]*", re.ASCII)
_OTHER_TYPE = re.compile(
    r"[-+]?[0-9.][0-9_.:eEtTzZ +-]*|[-+]?0[xob][0-9a-f_]+|[-+]?\.(?:inf|nan)"
    r"|~|=|<<|[yn]|null|true|false|yes|no|on|off",
    re.IGNORECASE,
)
"""What any version of YAML, or any of its libraries, may take for something else than text."""

Scalar = str | int | float | bool | None


class NoJsonNumber(ValueError):
    """A number that JSON cannot say."""


def plain_value(word: str) -> Scalar:
    """
    The value of a word that stands without quotes.

    Raises:
        NoJsonNumber: it is an infinity or no number at all.
    """
    if word in _NULL:
        return None
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    if word[0] not in _MAY_BE_A_NUMBER:
        return word
    if word in _NO_NUMBER:
        raise NoJsonNumber(word)
    return _number(word.replace("_", ""), word)


def is_plain_text(text: str) -> bool:
    """Whether a text can stand without quotes and is the same text to every reader of YAML."""
    return (
        bool(_PLAIN.fullmatch(text))
        and not _OTHER_TYPE.fullmatch(text)
        and not text.startswith(("- ", "---", "..."))
        and text != "-"
        and ": " not in text
        and " #" not in text
        and not text.endswith((":", " "))
    )


def _number(digits: str, word: str) -> Scalar:
    if len(digits) <= _MOST_DIGITS and _INTEGER.fullmatch(digits):
        value = _integer(digits)
        if -_LARGEST_SIGNED <= value < _LARGEST_SIGNED:
            return value
    if _FLOAT.fullmatch(digits):
        number = float(digits)
        if number in (float("inf"), float("-inf")):
            return word
        return int(number) if _is_whole(number) else number
    return word


def _integer(digits: str) -> int:
    sign, bare = (-1 if digits[0] == "-" else 1), digits.lstrip("+-").lower()
    for base, prefix in _BASES:
        if bare.startswith(prefix) and bare != prefix:
            return sign * int(bare.removeprefix(prefix), base)
    return sign * int(bare)


def _is_whole(number: float) -> bool:
    return number.is_integer() and abs(number) < _LARGEST_SIGNED

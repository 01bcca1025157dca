"""
What a parameter of a card may be.

Parameters end up in a script that runs as root on a node, in a command line that is printed
to be pasted, in a path that is made. So each says its kind, and a kind is a grammar that is
narrower than what would be accepted there: no quotes, no blanks, no way out of a folder.
Whoever needs more writes it into the manifest by hand.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from firstlight.core.image_reference import GRAMMAR
from firstlight.techniques.parameters import ParameterWanted


class Kind(StrEnum):
    """One for each grammar."""

    TEXT = "text"
    URI = "uri"
    S3_URI = "s3-uri"
    PATH = "path"
    IMAGE = "image"
    BUCKET = "bucket"
    PREFIX = "prefix"
    REGION = "region"
    NAME = "name"
    PORT = "port"
    NUMBER = "number"
    QUANTITY = "quantity"
    DURATION = "duration"
    SNAPSHOT = "snapshot"
    ARCHITECTURES = "architectures"
    PUBLIC_KEY = "public-key"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Grammar:
    says: str
    """What a value is, for a sentence."""
    pattern: str
    besides: Callable[[str], bool] = lambda _: True
    """What the pattern cannot say."""


_STEP = r"[A-Za-z0-9_.=+@,-]+"
"""Of a path or a key: narrower than any file system or store."""
_LONGEST_SHOWN = 80
_HIGHEST_PORT = 65535
_BUCKET = r"[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]"


def _stays_below(value: str) -> bool:
    """No step of it is empty, or goes up."""
    key = value.partition("://")[2] or value
    return not any(step in {"", ".", ".."} for step in key.strip("/").split("/"))


_GRAMMARS: Mapping[Kind, _Grammar] = {
    Kind.TEXT: _Grammar(says="one line of text", pattern=r"[^\x00-\x1f\x7f-\x9f\u2028\u2029]+"),
    Kind.URI: _Grammar(
        says="s3://BUCKET/PREFIX (or gs://, az://), the bucket of three letters or more, and "
        "no blanks",
        pattern=rf"(?:s3|gs|az)://{_BUCKET}(?:/{_STEP})*/?",
        besides=_stays_below,
    ),
    Kind.S3_URI: _Grammar(
        says="s3://BUCKET/PREFIX, the bucket of three letters or more, and no blanks",
        pattern=rf"s3://{_BUCKET}(?:/{_STEP})*/?",
        besides=_stays_below,
    ),
    Kind.PATH: _Grammar(
        says="an absolute path such as /var/cache/firstlight, without blanks, colons or ..",
        pattern=rf"(?:/{_STEP})+",
        besides=_stays_below,
    ),
    Kind.IMAGE: _Grammar(
        says="the reference of an image, NAME:TAG or NAME@sha256:...", pattern=GRAMMAR
    ),
    Kind.BUCKET: _Grammar(says="the name of a bucket, of three letters or more", pattern=_BUCKET),
    Kind.PREFIX: _Grammar(
        says="a prefix such as models/gemma, without slashes at its ends",
        pattern=rf"{_STEP}(?:/{_STEP})*",
        besides=_stays_below,
    ),
    Kind.REGION: _Grammar(says="a region such as us-east-1", pattern=r"[a-z]{2,4}(?:-[a-z]+)+-\d+"),
    Kind.NAME: _Grammar(
        says="the name of an object, in small letters, digits and dashes",
        pattern=r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?",
    ),
    Kind.PORT: _Grammar(
        says="a port, from 1 to 65535",
        pattern=r"[1-9]\d{0,4}",
        besides=lambda value: int(value) <= _HIGHEST_PORT,
    ),
    Kind.NUMBER: _Grammar(says="a whole number above 0", pattern=r"[1-9]\d{0,8}"),
    Kind.QUANTITY: _Grammar(
        says="a quantity of Kubernetes' such as 8, 500m or 96Gi",
        pattern=r"(?=.*[1-9])\d{1,15}(?:\.\d{1,9})?(?:m|[kMGTPE]|[KMGTPE]i)?",
    ),
    Kind.DURATION: _Grammar(
        says="a duration such as 10m or 1h30m, or Never", pattern=r"(?:[0-9]{1,9}[smh])+|Never"
    ),
    Kind.SNAPSHOT: _Grammar(says="the id of a snapshot, snap-...", pattern=r"snap-[0-9a-f]{8,17}"),
    Kind.ARCHITECTURES: _Grammar(
        says="compute capabilities such as 9.0a, with blanks between them",
        pattern=r"[1-9]\d?\.\d[af]?(?: [1-9]\d?\.\d[af]?)*",
    ),
    Kind.PUBLIC_KEY: _Grammar(
        says="a public key, ed25519: and 44 letters, as `firstlight cache key --public` prints it",
        pattern=r"ed25519:[A-Za-z0-9+/]{43}=",
        # For want of a key somebody writes none, and everybody can sign for that.
        besides=lambda value: value.strip("A=") != "ed25519:",
    ),
}


def is_kind(value: object, kind: Kind) -> bool:
    """Whether a value is of the kind; a number is looked at as its text."""
    text, grammar = str(value), _GRAMMARS[kind]
    return re.fullmatch(grammar.pattern, text) is not None and grammar.besides(text)


def check_kind(name: str, value: object, kind: Kind) -> None:
    """
    Refuse a value that is not of its parameter's kind.

    Raises:
        ParameterWanted: with the name and what the value should be.
    """
    if not is_kind(value, kind):
        raise ParameterWanted(
            f"{name} is {_shown(value, kind)}, and has to be {_GRAMMARS[kind].says}",
            remedy=f"give it as --set {name}=VALUE",
            name=name,
        )


def _shown(value: object, kind: Kind) -> str:
    text = str(value)
    if kind is Kind.PUBLIC_KEY and "private" in text:
        return "a private key, which is not shown here"
    return repr(text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}...")

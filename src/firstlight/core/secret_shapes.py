"""
Secrets that look like secrets, whatever stands around them.

Providers give their keys a prefix; tokens, headers, key files and signed URLs have a
shape. Each shape names the literals one of which is always there, in lower case, so
that a hundred megabytes of innocent lines are searched for words and not for patterns.

Patterns begin where a word begins and repeat nothing that may repeat itself: foreign
text must not make them slow.
"""

import base64
import binascii
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """One kind of secret."""

    kind: str
    literals: tuple[str, ...]
    pattern: re.Pattern[str]
    """Its group `secret`, where it has one, is what must go; else all of it."""
    proof: Callable[[str], bool] | None = None
    """What the secret must fulfil beyond the pattern."""


def _is_user_and_password(word: str) -> bool:
    """Prose has the word "basic" too; credentials of that scheme decode to `user:password`."""
    try:
        decoded = base64.b64decode(word + "=" * (-len(word) % 4), validate=True)
    except (binascii.Error, ValueError):
        return False
    return b":" in decoded and decoded.decode("latin-1").isprintable()


def _is_no_number_and_number(words: str) -> bool:
    """`-u 1000:1000` is somebody, and no password."""
    return ":" not in words or not words.replace(":", "").isdecimal()


_SPACE = r"(?:[\"']?,?\s{1,8})"
_WORD = r"(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s\"',]+)"
_ON_A_COMMAND_LINE = re.compile(
    rf"(?<![\w-])(?:-[a-zA-Z]{{0,4}}[uU]{_SPACE}?|--(?:proxy-)?user(?:=|{_SPACE}))"
    r"[\"']?(?P<user>[^\s\"':/=]{1,256}:(?!//)[^\s\"']{1,512})"
    rf"|--from-literal(?:=|{_SPACE})[\"']?[\w.-]{{1,256}}=(?P<literal>{_WORD})"
    rf"|\bsshpass{_SPACE}[\"']?-p{_SPACE}?(?P<ssh>{_WORD})"
    rf"|\bredis-cli\b[^\n|;&]{{0,200}}?\s[\"']?-a{_SPACE}(?P<redis>{_WORD})"
    rf"|\bmysql\w{{0,8}}\b[^\n|;&]{{0,200}}?\s[\"']?-p(?P<mysql>{_WORD})"
    rf"|\blogin\b[^\n|;&]{{0,200}}?\s[\"']?-p(?:=|{_SPACE})(?P<login>{_WORD})"
    rf"|\bpass:(?P<openssl>{_WORD})|\bidentified by\s{{1,8}}(?P<sql>{_WORD})"
    rf"|\blogin\s{{1,8}}\S{{1,64}}\s{{1,8}}password\s{{1,8}}(?P<netrc>{_WORD})"
)
_URL = r"[^\s\"'<>`]"
_SIGNED = (
    r"x-amz-signature|x-amz-credential|x-amz-security-token|x-goog-signature|x-goog-credential"
    r"|awsaccesskeyid|googleaccessid|signature|sig"
)

SHAPES = (
    Shape(
        kind="private key",
        literals=("private key",),
        pattern=re.compile(
            r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?P<secret>.+?)"
            r"(?=-----END |\Z)",
            re.DOTALL,
        ),
    ),
    Shape(
        kind="Hugging Face token",
        literals=("hf_", "api_org_"),
        pattern=re.compile(r"(?<![A-Za-z0-9])(?:hf|api_org)_[A-Za-z0-9]{16,}"),
    ),
    Shape(
        kind="API key",
        literals=("sk-", "nvapi-", "aiza", "gsk_", "r8_", "pplx-", "xai-", "_live_", "sg."),
        pattern=re.compile(
            r"\bsk-[A-Za-z0-9_-]{16,}|\b(?:nvapi|pplx|xai)-[A-Za-z0-9_-]{16,}"
            r"|\bAIza[A-Za-z0-9_-]{30,}|\b(?:gsk|r8)_[A-Za-z0-9]{16,}"
            r"|\b[prs]k_live_[A-Za-z0-9]{12,}|\bSG\.[\w-]{16,}\.[\w-]{16,}"
        ),
    ),
    Shape(
        kind="access token",
        literals=(
            *("ghp_", "gho_", "ghs_", "ghu_", "ghr_", "github_pat_", "glpat-", "xox", "xapp-"),
            *("npm_", "dckr_", "pypi-", "ya29.", "gocspx-", "hvs.", "glsa_", "shpat_", "dop_v1_"),
        ),
        pattern=re.compile(
            r"\b(?:gh[posur]_|github_pat_)[A-Za-z0-9_]{20,}|\bglpat-[A-Za-z0-9_-]{16,}"
            r"|\bxox[abceoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,}|\bxapp-[A-Za-z0-9-]{10,}"
            r"|\bnpm_[A-Za-z0-9]{20,}|\bdckr_[a-z]{3}_[A-Za-z0-9_-]{16,}"
            r"|\bpypi-(?=[\w-]{0,64}[A-Z])[A-Za-z0-9_-]{16,}|\bya29\.[A-Za-z0-9_.-]{16,}"
            r"|\bGOCSPX-[\w-]{16,}|\bhvs\.[\w-]{20,}|\b(?:glsa|shpat|dop_v1)_[A-Za-z0-9_]{20,}"
        ),
    ),
    Shape(
        kind="webhook",
        literals=("hooks.slack", "/webhooks/", "webhook.office", "/bot"),
        pattern=re.compile(
            r"(?i)\bhooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/(?P<slack>[^\s\"'<>]+)"
            r"|\bdiscord(?:app)?\.com/api/(?:v\d+/)?webhooks/(?P<discord>[^\s\"'<>]+)"
            r"|\bwebhook\.office\.com/(?P<teams>[^\s\"'<>]+)"
            r"|\bapi\.telegram\.org/bot(?P<telegram>[^\s/\"'<>]+)"
        ),
    ),
    Shape(
        kind="shared access signature",
        literals=("signature", "sig="),
        pattern=re.compile(
            r"(?i)\bSharedAccessSignature[\"']?\s{0,8}[=:\s]\s{0,8}[\"']?(?P<whole>[^\s\"';]+)"
            r"|(?:[&;]|%26)sig=(?P<alone>[^\s\"'&;<>]{6,})"
            r"|\bx-(?:amz|goog)-signature[\"']?[=:]\s{0,4}[\"']?(?P<signed>[^\s\"'&;<>]+)"
        ),
    ),
    Shape(
        kind="credentials of a command",
        literals=(
            "curl",
            "--from-literal",
            "sshpass",
            "redis-cli",
            "mysql",
            "login",
            "pass:",
            "identified by",
        ),
        pattern=_ON_A_COMMAND_LINE,
        proof=_is_no_number_and_number,
    ),
    Shape(
        kind="AWS access key",
        literals=("akia", "asia"),
        pattern=re.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
    ),
    Shape(
        kind="authorization header",
        literals=("authorization", "cookie"),
        pattern=re.compile(
            r"(?i)\b(?:authorization|cookie)\\?[\"']?\s{0,4}[:=]\s{0,4}\\?[\"']?"
            r"(?:(?:bearer|basic|token|digest|apikey)\s+(?P<secret>[^\s\"'\\]+)"
            r"|(?P<rest>[^\"'\r\n\\]+))"
        ),
    ),
    Shape(
        kind="authorization header",
        literals=("bearer",),
        pattern=re.compile(
            r"(?i)\bbearer[\s:=]{1,4}[\"']?"
            r"(?!(?:tokens?|auth\w*|scheme|header|credentials?|realm)\b)(?P<secret>[^\s\"'\\]{6,})"
        ),
    ),
    Shape(
        kind="authorization header",
        literals=("basic",),
        pattern=re.compile(r"(?i)\bbasic\s{1,4}(?P<secret>[A-Za-z0-9+/]{6,}={0,2})"),
        proof=_is_user_and_password,
    ),
    Shape(
        kind="JSON web token",
        literals=("eyj",),
        pattern=re.compile(
            r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*){0,3}"
        ),
    ),
    Shape(
        kind="URL with a password",
        literals=("://", "@tcp(", "@unix("),
        pattern=re.compile(
            r"(?<![\w.-])[\w.-]{1,64}:(?P<dsn>[^\s@\"']{1,256})@(?:tcp|unix)\("
            r"|(?<=://)(?P<secret>[^/\s?#\"'<>]{1,512}"
            r"|[^/\s:@\"'<>]{1,256}:(?!\d+/)[^\s@\"'<>]{1,512})@(?!sha256:)"
        ),
    ),
    Shape(
        kind="signed URL",
        literals=("signature", "credential", "security-token", "accesskeyid", "accessid", "sig="),
        pattern=re.compile(
            rf"(?i)(?<=\?)(?P<secret>(?:{_URL[:-1]}?]*?(?:[&;]|u0026|%26))??(?:{_SIGNED})"
            rf"(?:=|%3d){_URL}*)"
        ),
    ),
)

LITERALS = tuple(sorted({literal for shape in SHAPES for literal in shape.literals}))
"""One of these is in every text that holds a secret by shape, in lower case."""


def shaped(text: str) -> Iterator[tuple[int, int, str]]:
    """Where secrets stand in a text by their shape alone: begin, end, kind."""
    low = text.lower()
    for shape in SHAPES:
        if any(literal in low for literal in shape.literals):
            for found in shape.pattern.finditer(text):
                part = found.lastgroup or 0
                if shape.proof is None or shape.proof(found[part]):
                    yield *found.span(part), shape.kind

"""
Names that say that what they name is secret.

There is no list of such names: everybody makes their own. What there is are words. Some
say it by themselves (password); some say it unless the word before them says otherwise:
an admin key opens something, a cache key finds something, and a stop token is a number.

Some names only sound so. A shell calls the folder it is in PWD, an agent's socket is
SSH_AUTH_SOCK, and a Service called auth gives every pod of its namespace AUTH_SERVICE_HOST.
What they hold stands all over a log, and a log without it explains nothing.
"""

import re
from functools import lru_cache

_ALWAYS = frozenset(
    {
        *("secret", "password", "passwd", "passphrase", "passcode", "pwd", "pw", "pgpassword"),
        *("credential", "cred", "apikey", "pat", "auth", "authorization", "cookie", "jwt"),
    }
)
_GLUED = re.compile(
    r"(?:password|passwd|passphrase|secret|credentials?"
    r"|(?:api|access|account|admin|auth|encryption|master|private|secret|shared|signing|ssh)keys?"
    r"|(?:access|api|auth|bearer|bot|csrf|hf|hub|identity|refresh|session|xsrf)tokens?"
    r"|(?:admin|db|my|pg|redis|root|ssh|user)pass)\d*$"
)
_COOKIES = frozenset(
    {
        *("sid", "connect.sid", "sessid", "sessionid", "jsessionid", "phpsessid"),
        "asp.net_sessionid",
    }
)
_PLAIN_TOKENS = frozenset(
    {
        *("bos", "eos", "pad", "mask", "stop", "special", "image", "max", "per", "unk", "sep"),
        *("cls", "video", "audio", "vision", "placeholder", "prompt", "input", "output", "next"),
        *("first", "last", "start", "end", "begin", "decoder", "draft", "bonus", "sampled"),
        *("think", "added", "num", "min", "img", "boi", "eoi"),
    }
)
_SECRET_TOKENS = frozenset(
    {
        *("access", "admin", "api", "app", "auth", "bearer", "bot", "client", "github", "gitlab"),
        *("hf", "hub", "refresh", "service", "session", "slack", "user"),
    }
)
"""Tokens in the plural are numbers, but for these."""
_PLAIN_KEYS = frozenset(
    {
        *("cache", "compile", "query", "quant", "sort", "batch", "device", "group", "metadata"),
        *("label", "topology", "partition", "primary", "foreign", "public", "host", "hash"),
        *("lookup", "extra", "num", "failed", "ready", "missing", "unexpected", "unused", "state"),
        *("dict", "config", "weight", "param", "parameter", "tensor", "layer", "name", "map"),
        *("index", "row", "column", "json", "object", "obj", "block", "prefix", "routing"),
        *("shard", "idempotency", "plan", "pool", "tag", "event", "expected", "allowed", "known"),
        *("all", "max", "min", "offload", "hit", "loaded", "skipped", "ignored", "required"),
        *("valid", "invalid", "available", "attention", "q", "k", "kv", "head", "past", "gpu"),
        *("worker", "engine", "request", "unknown", "lora", "adapter", "graph", "kernel", "op"),
        *("autotune", "tuning", "function", "registry", "mm", "modality", "input", "output"),
        *("metric", "metrics", "stat", "stats", "sample", "dataset", "feature", "axis", "dedupe"),
    }
)
"""Keys that find something. Any other opens something."""
_PLAIN_PASSES = frozenset(
    {
        *("post", "pre", "forward", "backward", "grad", "custom", "fusion", "compiler", "single"),
        *("inductor", "one", "two", "first", "second", "multi", "optimization", "noop"),
    }
)
_POINTS_ELSEWHERE = frozenset(
    {
        *("name", "names", "ref", "refs", "class", "namespace", "path", "paths", "file", "dir"),
        *("sock", "socket", "host", "port", "addr", "proto", "endpoint", "domain"),
        *("type", "method", "mode", "enabled", "required", "secure", "algorithm", "length"),
        *("issuer", "audience", "backend", "store", "helper", "expiration"),
    }
)
"""The name, the place or the kind of a secret is none."""
_FOLDERS = frozenset({"PWD", "OLDPWD", "ORIGINAL_PWD", "INITIAL_PWD"})
"""Of a shell, in capitals only: `pwd` in other places is short for password, as in DB_PWD."""
_SERVICE_LINK = re.compile(
    r"[A-Z][A-Z0-9_]*_(?:SERVICE_(?:HOST|PORT(?:_(?P<port>[A-Z0-9_]+))?)"
    r"|PORT_[0-9]+_(?:TCP|UDP|SCTP)(?:_(?:ADDR|PORT|PROTO))?)"
)
"""What Kubernetes puts into a pod for each Service of its namespace, whatever it is called."""
_ENDINGS = frozenset(
    {
        *("value", "old", "new", "prod", "dev", "test", "staging", "backup", "primary"),
        *("secondary", "b64", "base64", "current", "previous"),
    }
)
_NUMBERS = frozenset({"id", "ids"})
"""A key's is half of it (AWS); a token's is its place in the vocabulary."""
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_BETWEEN = re.compile(r"[-_.]+")

SECRET_WORDS = (
    *("token", "secret", "pass", "pw", "cred", "key", "auth", "pat", "cookie", "jwt"),
    *("sid", "sessionid"),
)
"""One of these is in every name that `is_secret` knows, in lower case."""


@lru_cache(maxsize=4096)
def is_secret(name: str) -> bool:
    """Whether an option, a variable or a field of this name holds a secret."""
    if name.lower() in _COOKIES:
        return True
    if name in _FOLDERS:
        return False
    if link := _SERVICE_LINK.fullmatch(name):
        return bool(link["port"]) and is_secret(link["port"])
    words = _BETWEEN.split(_HUMP.sub("_", name.strip("-_.")).lower())
    if words[-1] in _POINTS_ELSEWHERE or "disable" in words:
        return False
    if any(word in _ALWAYS or word.removesuffix("s") in _ALWAYS for word in words):
        return True
    numbered = words[-1] in _NUMBERS
    while len(words) > 1 and (words[-1] in _ENDINGS | _NUMBERS or words[-1].isdigit()):
        words.pop()
    last = words[-1].rstrip("0123456789")
    before = words[-2] if len(words) > 1 else ""
    if _GLUED.search(last):
        return True
    match last:
        case "token":
            return not numbered and before not in _PLAIN_TOKENS
        case "tokens":
            return before in _SECRET_TOKENS
        case "key" | "keys":
            return before != "" and before.removesuffix("s") not in _PLAIN_KEYS
        case "pass":
            return before not in _PLAIN_PASSES
        case _:
            return False

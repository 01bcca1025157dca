"""
What a command line says about the server it will start.

The user's command is run as it is; it is only read here, the way vLLM's own
parser reads it: `--port 8001` or `--port=8001`, the last one counts, underscores
are dashes. What cannot be known from the words (a port in a script or in a
config file) is not guessed: the engine will say where it listens.
"""

import ipaddress
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from urllib.parse import urlsplit

from firstlight.core.errors import BadInput
from firstlight.readers.engine_program import DEFAULT_PORT

_HIGHEST_PORT = 65535
_SERVERS = frozenset({"serve", "vllm.entrypoints.openai.api_server"})
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerAddress:
    """Where to ask, and how sure that is."""

    url: str
    given: bool
    """The user named the URL: the engine must be there."""
    port_named: bool
    """The command names the port; if nobody does, whatever the engine opens is the one."""


def server_address(command: Sequence[str], *, url: str | None) -> ServerAddress:
    """
    The address to poll: the one given, else the one that the command will listen on.

    Raises:
        BadInput: the URL is none, or the server will be on a Unix socket.
    """
    if url is not None:
        return ServerAddress(url=_checked(url), given=True, port_named=True)
    if option(command, "uds") is not None:
        raise BadInput(
            "the command's --uds makes the server listen on a Unix socket, which is not polled",
            remedy="measure it with --host and --port instead",
        )
    port = option(command, "port") or ""
    named = port.isdigit() and 0 < int(port) <= _HIGHEST_PORT
    scheme = "https" if option(command, "ssl-certfile") else "http"
    host = reachable(option(command, "host") or "")
    return ServerAddress(
        url=f"{scheme}://{host}:{int(port) if named else DEFAULT_PORT}",
        given=False,
        port_named=named,
    )


def reachable(host: str) -> str:
    """A host to listen on as one to connect to: a wildcard becomes loopback."""
    bare = host.strip("[]")
    try:
        address = ipaddress.ip_address(bare)
    except ValueError:
        return bare or "127.0.0.1"
    if address.version == 4:  # noqa: PLR2004 - as in IPv4
        return "127.0.0.1" if address.is_unspecified else bare
    return "[::1]" if address.is_unspecified else f"[{bare}]"


def model_named(command: Sequence[str]) -> str | None:
    """The name that requests must use; None where the words do not say."""
    if name := option(command, "served-model-name") or option(command, "model"):
        return name
    for before, word in pairwise(command):
        if before in _SERVERS and not word.startswith("-"):
            return word
    return None


def api_key(command: Sequence[str], environment: Mapping[str, str]) -> str | None:
    """The key that the server will ask for; None where it asks for none."""
    return option(command, "api-key") or environment.get("VLLM_API_KEY") or None


def effective_environment(command: Sequence[str], environment: Mapping[str, str]) -> dict[str, str]:
    """The environment behind a leading `env NAME=VALUE ...`, which people put in front."""
    effective = dict(environment)
    if not command or command[0].rpartition("/")[2] != "env":
        return effective
    words = iter(command[1:])
    for word in words:
        if word in {"-i", "-", "--ignore-environment"}:
            effective.clear()
        elif word in {"-u", "--unset"}:
            effective.pop(next(words, ""), None)
        elif word.startswith("--unset="):
            effective.pop(word.removeprefix("--unset="), None)
        elif _ASSIGNMENT.fullmatch(word):
            name, _, value = word.partition("=")
            effective[name] = value
        else:
            break
    return effective


def sets_its_environment(command: Sequence[str]) -> bool:
    """Whether the words show the engine's whole environment: a shell or a script may change it."""
    words = [word for word in command if not _ASSIGNMENT.fullmatch(word)]
    words = words[1:] if words and _program(words[0]) == "env" else words
    words = [word for word in words if not word.startswith("-")]
    return bool(words) and (_program(words[0]) == "vllm" or _program(words[0]).startswith("python"))


def _program(word: str) -> str:
    return word.rpartition("/")[2]


def option(command: Sequence[str], name: str) -> str | None:
    """The value of the last `--name value` or `--name=value`; None where there is none."""
    found: str | None = None
    for at, word in enumerate(command):
        if not word.startswith("--"):
            continue
        spelled, equals, value = word.partition("=")
        if spelled[2:].replace("_", "-") != name:
            continue
        if equals:
            found = value
        elif at + 1 < len(command) and not command[at + 1].startswith("--"):
            found = command[at + 1]
    return found


def _checked(url: str) -> str:
    try:
        at = urlsplit(url)
        # A name that no resolver could be asked for fails here, not in the middle of a poll.
        fine = at.port != 0 and bool((at.hostname or "").encode("idna"))
    except ValueError:
        fine = False
    if not fine or at.scheme not in {"http", "https"}:
        raise BadInput(
            f"{url!r} is not the URL of a server",
            remedy='give one like "http://127.0.0.1:8000"',
        )
    return url.rstrip("/")

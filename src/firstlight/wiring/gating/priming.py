"""
Requests that are asked again after each wake-up, so that clients find their prefixes cached.

A sleep drops the KV cache, on every level. What many clients begin with, a system prompt, is the
same each time, so one request that begins so, answered once, makes the first token of all others
come sooner. It is asked for one token only, one request after another, in the background, and the
engine may fall asleep or fail over it: whatever happens to it happens to nobody else.
"""

import asyncio
import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firstlight.core.errors import BadInput
from firstlight.edges.gate.engine_calls import CallFailed, EngineCalls
from firstlight.edges.gate.log_lines import LogLines
from firstlight.edges.gate.metrics import Metrics
from firstlight.edges.given_file import read_given
from firstlight.gateway.routes import Route, route
from firstlight.wiring.gating.aside import Aside

_MOST = 100
_MOST_BYTES = 64 * 1024 * 1024
_ONE_WITHIN_S = 60.0
_ALL_WITHIN_S = 300.0
_ONE_TOKEN = {"/v1/completions", "/v1/chat/completions"}
_REMEDY = 'write one JSON object a line: {"path": "/v1/completions", "body": {...}}'


@dataclass(frozen=True, slots=True, kw_only=True)
class Prefix:
    """One request."""

    path: str
    body: dict[str, Any]
    line: int = 1
    """Of its file, so that it can be named without its words."""


def read_prefixes(file: Path) -> tuple[Prefix, ...]:
    """
    The requests of a file.

    Args:
        file: with one JSON object a line.

    Raises:
        BadInput: it cannot be read, or a line is none.
    """
    try:
        text = read_given(file)
    except OSError as error:
        raise BadInput(
            f"{file} cannot be read: {error.strerror or error}", remedy=_REMEDY
        ) from error
    if len(text) > _MOST_BYTES:
        raise BadInput(f"{file} has {len(text)} bytes, too many to replay", remedy=_REMEDY)
    found = tuple(_read(file, text))
    if len(found) > _MOST:
        raise BadInput(
            f"{file} has {len(found)} requests, and at most {_MOST} are replayed after a wake-up",
            remedy="keep those that most clients begin with",
        )
    return found


class Priming:
    """After each wake-up."""

    def __init__(
        self,
        prefixes: Sequence[Prefix],
        *,
        calls: EngineCalls,
        metrics: Metrics,
        lines: LogLines,
    ) -> None:
        self._prefixes = prefixes
        self._calls = calls
        self._metrics = metrics
        self._lines = lines
        self._under_way = Aside("the replay of requests")

    def begin(self) -> None:
        """The engine woke: replay, and let nobody wait for it."""
        if self._prefixes:
            self._under_way.begin(self.replay())

    def stop(self) -> None:
        """The engine sleeps, or is gone."""
        self._under_way.stop()

    async def replay(self) -> None:
        """Ask all of them, once."""
        answered = 0
        with suppress(TimeoutError):
            async with asyncio.timeout(_ALL_WITHIN_S):
                for one in self._prefixes:
                    well = await self._asked(one)
                    self._metrics.primed(well=well)
                    answered += well
        self._lines.say("primed", answered=answered, of=len(self._prefixes))

    async def _asked(self, one: Prefix) -> bool:
        body = dict(one.body)
        if one.path.partition("?")[0] in _ONE_TOKEN:
            body |= {"stream": False, "max_tokens": 1}
            for other in ("max_completion_tokens", "min_tokens", "stream_options", "n"):
                body.pop(other, None)
        try:
            async with asyncio.timeout(_ONE_WITHIN_S):
                await self._calls.call("POST", one.path, body)
        except (CallFailed, TimeoutError) as failed:
            # An engine that refuses a request quotes it.
            self._lines.say_seldom(
                "prime_failed", f"prime_failed {one.line}", line=one.line, problem=_words(failed)
            )
            return False
        return True


def _words(failed: CallFailed | TimeoutError) -> str:
    if isinstance(failed, TimeoutError):
        return f"no answer within {_ONE_WITHIN_S:g} s"
    return str(failed) if failed.status is None else f"it answered {failed.status}"


def _read(file: Path, text: bytes) -> Iterator[Prefix]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        said: object = None
        with suppress(ValueError, RecursionError):
            said = json.loads(line)
        path = said.get("path") if isinstance(said, dict) else None
        body = said.get("body") if isinstance(said, dict) else None
        if not isinstance(path, str) or not isinstance(body, dict):
            raise BadInput(f"{file}:{number} is no request to replay", remedy=_REMEDY)
        found = route("POST", path)
        if not isinstance(found, Route) or found.is_own:
            raise BadInput(
                f"{file}:{number}: {path} is no route that is passed to the engine", remedy=_REMEDY
            )
        yield Prefix(path=path, body=body, line=number)

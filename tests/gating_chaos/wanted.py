"""What one client does: what it asks for, how it sends that, and when it leaves."""

import json
from dataclasses import dataclass
from enum import StrEnum

from tests.gating_chaos.engine import Spoil, spoken


class Leaving(StrEnum):
    """How a client goes before it has its answer."""

    SENDING = "while it sends"
    WAITING = "while it waits"
    READING = "while it reads"


class Sending(StrEnum):
    """How a body comes."""

    WHOLE = "whole"
    SLOWLY = "in pieces, with pauses"
    CHUNKED = "chunked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """One request of one client."""

    name: str
    words: int
    stream: bool
    chat: bool = False
    padding_bytes: int = 0
    after_s: float = 0.0
    """So long after its cycle begins."""
    sending: Sending = Sending.WHOLE
    keeps_connection: bool = False
    leaving: Leaving | None = None
    leaves_after_s: float = 0.0
    """After it was sent; for who leaves while it waits."""
    resets: bool = False
    """Whether who leaves does so without a word of farewell."""
    spoil: Spoil | None = None

    @property
    def prompt(self) -> str:
        return f"{self.name}: {'.' * self.padding_bytes}"

    @property
    def path(self) -> str:
        return "/v1/chat/completions" if self.chat else "/v1/completions"

    @property
    def body(self) -> bytes:
        prompt = {"messages": [{"role": "user", "content": self.prompt}]}
        said = prompt if self.chat else {"prompt": self.prompt}
        return json.dumps(said | {"max_tokens": self.words, "stream": self.stream}).encode()

    @property
    def answer(self) -> list[str]:
        """The right one."""
        return spoken(self.prompt, self.words)

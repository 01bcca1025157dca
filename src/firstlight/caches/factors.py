"""
What a compile cache must never be shared across, and the key that is made of it.

vLLM has a key of its own and looks for a folder of that name, so a foreign cache is a miss and
no crash, with exceptions: the instruction set of the processor is in nobody's key, and code
that was compiled for one that has more ends the process with an illegal instruction. The
engine's key is also known only inside the engine, while here the question is asked before it
starts, on a node that may have neither torch nor a card. So these are the facts from outside,
all of them together a superset of what the engine looks at: whoever agrees in all of them hits,
whoever differs in one might not, and is told in which.

What is not known is None and differs from nothing. The processor is asked for what the cache
needs, and may have more.
"""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

import msgspec
from msgspec.structs import asdict

ENVIRONMENT, INSTRUCTIONS = "environment", "instructions"
OF_ENVIRONMENT = f"{ENVIRONMENT} "
"""How the name of a disagreement begins that is a variable's."""
_NAMED = 3


class Factors(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The facts that decide whether a cache fits; None is not known, empty is known to be none."""

    image: str | None = None
    """The digest of the engine's image, which settles all versions in it."""
    vllm: str | None = None
    torch: str | None = None
    triton: str | None = None
    cuda: str | None = None
    """The version torch was built for; `none` for a build without."""
    python: str | None = None
    machine: str | None = None
    """As uname says: x86_64, aarch64."""
    accelerator: str | None = None
    """The card's name, as its driver says; `none` on a processor."""
    architecture: str | None = None
    """Compute capability (9.0) or gfx name; `none` on a processor."""
    instructions: tuple[str, ...] | None = None
    """What the compiled code may use of the processor, sorted."""
    model: str | None = None
    """The string that the engine is given: another path is another key."""
    arguments: dict[str, str | None] | None = None
    """Those that vLLM hashes, by name; None for a flag."""
    environment: dict[str, str] | None = None
    """Those that vLLM hashes, by name; of a secret the digest alone."""


class Disagreement(msgspec.Struct, frozen=True, kw_only=True):
    """One factor that is not the same on both sides."""

    name: str
    """A field of `Factors`; `--port`, `environment NAME` within two of them."""
    cache: str | None
    """As the cache has it; None where it is not there."""
    here: str | None

    @property
    def line(self) -> str:
        """For people."""
        return f"{self.name} is {said(self.here)} here and {said(self.cache)} in the cache"


_VERSIONS = frozenset({"vllm", "torch", "triton", "python"})
_NEEDED = (("machine",), ("instructions",), ("vllm", "image"), ("model",), ("arguments",))
"""One of each, or a cache fits everything and is right for nothing."""


def known(factors: Factors) -> dict[str, Any]:
    """Those that are known, by name."""
    return {name: value for name, value in asdict(factors).items() if value is not None}


def unknown(factors: Factors) -> list[str]:
    """What must be known of an engine before a cache is published or taken for it, and is not."""
    told = known(factors).keys()
    return [" or ".join(names) for names in _NEEDED if told.isdisjoint(names)]


def key(factors: Factors) -> str:
    """
    The name of all caches with these factors: 64 hexadecimal digits.

    It is of this form of the factors: one more field, and every key is another.
    """
    return sha256(msgspec.json.encode(factors, order="sorted")).hexdigest()


def disagreements(cache: Factors, here: Factors) -> tuple[Disagreement, ...]:
    """
    All in which a cache does not fit what is here; what one side does not know is left out.

    Args:
        cache: where it was filled.
        here: where it would be used.
    """
    return tuple(_between(cache, here))


def _between(cache: Factors, here: Factors) -> Iterator[Disagreement]:
    for name in Factors.__struct_fields__:
        before, now = getattr(cache, name), getattr(here, name)
        if before is None or now is None or before == now or _one_version(name, before, now):
            continue
        if name == INSTRUCTIONS:
            if missing := sorted(set(before) - set(now)):
                yield Disagreement(name=name, cache=" ".join(missing), here=None)
        elif isinstance(before, dict):
            head = OF_ENVIRONMENT if name == ENVIRONMENT else ""
            yield from _of_names(head, before, now)
        else:
            yield Disagreement(name=name, cache=before, here=now)


def _one_version(name: str, one: object, other: object) -> bool:
    """Whether two words are one version: a log leaves out of what build it is, `+cpu`."""
    if name not in _VERSIONS or not isinstance(one, str) or not isinstance(other, str):
        return False
    public, local, _ = one.partition("+")
    other_public, other_local, _ = other.partition("+")
    return public == other_public and not (local and other_local)


def _of_names(
    head: str, cache: Mapping[str, str | None], here: Mapping[str, str | None]
) -> Iterator[Disagreement]:
    for name in sorted({*cache, *here}):
        before, now = _value(cache, name), _value(here, name)
        if before != now:
            yield Disagreement(name=f"{head}{name}", cache=before, here=now)


def _value(values: Mapping[str, str | None], name: str) -> str | None:
    return (values[name] or "") if name in values else None


def briefly(lines: Sequence[str]) -> str:
    """The first of them in one sentence; the others are counted."""
    more = f", and {len(lines) - _NAMED} more" if len(lines) > _NAMED else ""
    return f"{'; '.join(lines[:_NAMED])}{more}"


def said(value: str | None) -> str:
    """A value for people."""
    match value:
        case None:
            return "not there"
        case "":
            return "set"
        case _:
            return value

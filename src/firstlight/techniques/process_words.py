"""
The words around an engine's command on a host: a technique's change, ready to be pasted.

Environment before the command, a wrapper, arguments behind it. What only the user knows
stands as a name in capitals. What cannot be said in words of a command is done beforehand,
and comes as a shell's comment.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from firstlight.techniques.card import Card
from firstlight.techniques.parameters import filled, references

ENGINE = "vllm serve ..."
_MODEL = "--model"


def process_words(chain: Sequence[Card]) -> tuple[str, ...]:
    """
    The change, in the pieces in which it may be broken into lines.

    Args:
        chain: techniques, one on top of the other; of two values of one name the last holds.

    Returns:
        Only the engine's command where nothing stands around it.
    """
    environment: dict[str, str] = {}
    arguments: dict[str, str | None] = {}
    wrapper: list[str] = []
    for card in chain:
        process = card.change.process
        environment |= _filled(card, process.environment)
        arguments |= _filled(card, process.arguments)
        wrapper += _filled(card, process.wrapper)
    # vLLM wants its model behind `serve`, and moves one that is given otherwise.
    model = arguments.pop(_MODEL, None)
    engine = f"vllm serve {model} ..." if model else ENGINE
    given = (f"{name} {value}" if value else name for name, value in arguments.items())
    return (*(f"{name}={value}" for name, value in environment.items()), *wrapper, engine, *given)


def process_command(chain: Sequence[Card]) -> str:
    """The change in one line, with what comes first as a comment at its end."""
    before = "; ".join(_before(chain))
    return " ".join(process_words(chain)) + (f"  # {before}" if before else "")


def _before(chain: Sequence[Card]) -> Iterator[str]:
    for card in chain:
        if before := card.change.process.before:
            yield " ".join(before.split())


def _filled(card: Card, value: Any) -> Any:
    known = {name: _value(card, name) for name in references(value)}
    return filled(value, known, technique=card.id)


def _value(card: Card, name: str) -> str:
    """The default, or the parameter's name where only the user knows."""
    parameter = card.parameters.get(name)
    return parameter.default if parameter and parameter.default is not None else name.upper()

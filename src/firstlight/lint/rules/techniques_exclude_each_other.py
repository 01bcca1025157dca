"""Two techniques that cannot be combined, in one engine."""

from collections.abc import Iterator
from itertools import combinations

from firstlight.lint.engine import Argument, Engine, Known
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.techniques.card import Card
from firstlight.techniques.operations import SetArgument
from firstlight.techniques.sources import Origin, Source


def _check(scene: Scene) -> Iterator[Hit]:
    pairs = [
        (one, other)
        for one, other in combinations(scene.deck or (), 2)
        if other.id in one.excludes or one.id in other.excludes
    ]
    for engine in scene.engines:
        for one, other in pairs:
            first, second = _shown(one, engine), _shown(other, engine)
            if first is None or second is None or first.pointer == second.pointer:
                continue
            yield Hit(
                manifest=engine.manifest,
                pointer=second.pointer,
                what=f"this is {other.id}, the engine has {one.id} too, and the two exclude each "
                "other",
            )


def _shown(card: Card, engine: Engine) -> Argument | None:
    """The argument that shows a technique: the first of its own that says the whole of a value."""
    for name, value in _arguments(card):
        if value is not None and "${" in value:
            continue
        found = engine.argument(name)
        there = found.known is Known.GIVEN and (value is None or engine.text_of(found) == value)
        return found if there else None
    return None


def _arguments(card: Card) -> Iterator[tuple[str, str | None]]:
    for operation in card.change.kubernetes.operations:
        if isinstance(operation, SetArgument) and not operation.at_most:
            yield operation.argument, operation.value
    if not card.change.kubernetes.operations:
        yield from card.change.process.arguments.items()


RULE = Rule(
    code="techniques-exclude-each-other",
    severity=Severity.ERROR,
    title="An engine must not have two techniques that exclude each other",
    why=(
        "Each of the two takes for granted what the other takes away. Sleep mode gives back memory "
        "that a daemon's weights, mapped by ipc_cache, lie in and that is not the engine's to "
        "give: it frees nothing, or fails when it wakes. Each argument is valid by itself, so the "
        "engine starts."
    ),
    remedy="choose one of the two; docs/techniques says what each is good for",
    sources=(
        Source(origin=Origin.OURS, where="the field excludes of docs/techniques"),
        Source(
            origin=Origin.UPSTREAM,
            where="vllm/model_executor/model_loader/weight_cache/ipc_loader.py, 0.32",
        ),
    ),
    check=_check,
    techniques=("weight-daemon", "sleep-wake"),
)

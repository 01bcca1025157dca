"""
`set-argument` and `remove-argument` on the engine's command line.

An argument is put at the end, where it wins, or replaced where it stands. Where a variable
or a file may hold it as well and nothing here tells, only what is right either way is done:
giving an argument behind all others. Anything that depends on what was given is refused.
"""

from firstlight.manifests.arguments import Option
from firstlight.manifests.command_line import CommandLine, Edit, edited
from firstlight.manifests.draft import Draft, argument_text
from firstlight.manifests.hidden_arguments import HiddenArguments
from firstlight.techniques.operations import RemoveArgument, SetArgument

_TRUE = frozenset({"true", "1", "yes", "on"})


def set_argument(draft: Draft, operation: SetArgument) -> None:
    """Give the engine an argument, unless it has it."""
    if operation.at_most:
        _bound(draft, operation)
    line = draft.line()
    hidden = draft.hidden(line)
    for other in operation.unless:
        given = [line.last(other), *(source.last(other) for source in hidden)]
        if any(option is not None and not option.negated for option in given):
            return
        _refuse_unknown(draft, hidden, f"whether {other} is given")
    name, value = operation.argument, operation.value
    current = line.last(name)
    for source in hidden:
        elsewhere = source.last(name)
        if elsewhere is None or (source.weaker and current is not None):
            continue
        if _holds(draft, line, elsewhere, operation):
            return
        if not source.weaker:
            raise draft.refusal(
                f"{name} is given in {source.name} ({source.place})",
                remedy="change it there, or write the engine's arguments out",
            )
    if current is None:
        _add(draft, line, hidden, operation)
        return
    if current.behind is not None:
        place = draft.before.place(line.pointer(draft.container, current.at))
        raise draft.refusal(
            f"what {name} is, is in {current.behind.text} ({place}), which may hold more than that",
            remedy=f"write the value of {name} out",
        )
    if _holds(draft, line, current, operation):
        return
    if any(at > current.at for at in line.arguments.open):
        _refuse_unknown(
            draft, [h for h in hidden if not h.weaker], f"whether {name} is given again"
        )
    edited(draft.container, line, _replacing(line, current, name, value))


def remove_argument(draft: Draft, operation: RemoveArgument) -> None:
    """Take an argument away, each time that it is given."""
    line = draft.line()
    hidden = draft.hidden(line)
    for source in hidden:
        if source.last(operation.argument) is not None:
            raise draft.refusal(
                f"{operation.argument} is given in {source.name} ({source.place})",
                remedy="take it out there",
            )
    _refuse_unknown(draft, hidden, f"whether {operation.argument} is given")
    found = line.arguments.all(operation.argument)
    edited(draft.container, line, [Edit(at=o.at, removed=o.length) for o in found])


def _add(
    draft: Draft, line: CommandLine, hidden: tuple[HiddenArguments, ...], operation: SetArgument
) -> None:
    if operation.at_most:
        _refuse_unknown(draft, hidden, f"which {operation.argument} is given")
    for source in hidden:
        if source.known is None:
            where = "the command line wins over it" if source.weaker else "the last one counts"
            draft.assume(
                f"what {source.name} holds is not known ({source.place}); "
                f"if it gives {operation.argument} too, {where}"
            )
    words = [operation.argument, *([] if operation.value is None else [operation.value])]
    insert = Edit(at=line.end, words=tuple(line.written(word) for word in words))
    edited(draft.container, line, [insert])


def _replacing(line: CommandLine, option: Option, name: str, value: str | None) -> list[Edit]:
    spelled = line.arguments.words[option.at].text.partition("=")[0]
    if option.negated:
        spelled = name
    if value is None:
        gone = Edit(at=option.at + 1, removed=option.length - 1)
        head = Edit(at=option.at, removed=1, words=(line.written(spelled),))
        return [head, gone] if gone.removed else [head]
    if option.joined is not None:
        joined = line.written(f"{spelled}={value}")
        return [Edit(at=option.at, removed=1, words=(joined,))]
    if not option.values:
        words = (line.written(spelled), line.written(value))
        return [
            Edit(at=option.at, removed=1, words=words[:1]),
            Edit(at=option.at + 1, words=words[1:]),
        ]
    first = Edit(at=option.at + 1, removed=1, words=(line.written(value),))
    more = Edit(at=option.at + 2, removed=len(option.values) - 1)
    return [first, more] if more.removed else [first]


def _holds(draft: Draft, line: CommandLine, option: Option, operation: SetArgument) -> bool:
    """Whether an option says already what is wanted."""
    if operation.value is None:
        return not option.negated and (option.value or "true").lower() in _TRUE
    if option.negated or option.value is None or len(option.values) > 1:
        return False
    text = argument_text(option.value, draft.now, line, draft.objects)
    if operation.at_most:
        return _number(draft, option, text) <= _bound(draft, operation)
    return text == operation.value


def _bound(draft: Draft, operation: SetArgument) -> float:
    try:
        return float(operation.value or "")
    except ValueError:
        raise draft.refusal(
            f"{operation.value} is no number, and {operation.argument} is bounded by it",
            remedy="give a number",
        ) from None


def _number(draft: Draft, option: Option, text: str | None) -> float:
    try:
        return float(text or "")
    except ValueError:
        raise draft.refusal(
            f"{option.name} is {option.value}, and whether that is low enough is not known",
            remedy="write the number out",
        ) from None


def _refuse_unknown(
    draft: Draft, hidden: tuple[HiddenArguments, ...] | list[HiddenArguments], what: str
) -> None:
    for source in hidden:
        if source.known is None:
            raise draft.refusal(
                f"{what} may be said by {source.name} ({source.place}), and what that holds is "
                "not known",
                remedy="give the ConfigMap that holds it, or write the engine's arguments out",
            )

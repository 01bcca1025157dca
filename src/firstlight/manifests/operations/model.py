"""
`set-model`: the engine reads its model from another place.

vLLM calls a model by its path unless told otherwise, so clients would have to ask for it
under another name afterwards. That would be a second change, and it is taken back in the
same stroke: the name that it was served by stays.
"""

from firstlight.manifests.arguments import Option
from firstlight.manifests.command_line import CommandLine, Edit, edited
from firstlight.manifests.draft import Draft, model_of
from firstlight.readers.engine_program import Program
from firstlight.techniques.operations import SetModel

_SERVED = "--served-model-name"


def set_model(draft: Draft, operation: SetModel) -> None:
    """Replace the model, wherever the engine is told of it."""
    if model_of(draft.now, draft.objects) == operation.value:
        return
    line = draft.line()
    if line.model is None:
        raise _unnamed(draft, line)
    named = line.arguments.all("--model")
    if line.program is Program.IMAGE and len({option.value for option in named}) > 1:
        raise draft.refusal(
            f"two models are named ({draft.before.place(line.pointer(draft.container, line.model))}"
            "), and only the image tells which of them counts",
            remedy="name one",
        )
    edits = _edits(line, line.model_option, line.model, operation.value)
    edits += _same_name(draft, line, line.model)
    edited(draft.container, line, edits)


def _edits(line: CommandLine, named: Option | None, at: int, value: str) -> list[Edit]:
    if named is not None and named.joined is not None:
        spelled = line.arguments.words[at].text.partition("=")[0]
        return [Edit(at=at, removed=1, words=(line.written(f"{spelled}={value}"),))]
    if named is None and at > 0 and line.program is not Program.API_SERVER:
        # vLLM refuses --served-model-name where the model is not its first word.
        return [Edit(at=at, removed=1), Edit(at=0, words=(line.written(value),))]
    return [Edit(at=at, removed=1, words=(line.written(value),))]


def _same_name(draft: Draft, line: CommandLine, model: int) -> list[Edit]:
    """Let the model be served by the name it was served by."""
    hidden = draft.hidden(line)
    given = [line.last(_SERVED), *(source.last(_SERVED) for source in hidden)]
    if any(option is not None for option in given):
        return []
    unknown = [source for source in hidden if source.known is None]
    for source in unknown:
        draft.assume(
            f"what {source.name} holds is not known ({source.place}); if it does "
            f"not give {_SERVED}, clients have to ask for the model by its new name"
            if source.weaker
            else f"what {source.name} holds is not known ({source.place}); if it "
            f"gives {_SERVED}, that counts"
        )
    if any(source.weaker for source in unknown):
        return []
    draft.assume("clients go on calling the model by the name it is served under now")
    # In front of a variable that may say another name, so that the variable goes on winning.
    at = model + 1 if unknown else line.end
    return [Edit(at=at, words=(_SERVED, _as_written(line, line.model_option, model)))]


def _as_written(line: CommandLine, named: Option | None, at: int) -> str:
    if named is not None and named.joined is not None:
        return line.written(named.joined)
    return line.arguments.words[at].source


def _unnamed(draft: Draft, line: CommandLine) -> Exception:
    for source in draft.hidden(line):
        if source.known is None or source.last("--model") is not None:
            return draft.refusal(
                f"the model is named by {source.name} ({source.place})",
                remedy="change it there, or name the model among the engine's arguments",
            )
    return draft.refusal(
        f"no model is named in the engine's arguments ({draft.before.place()})",
        remedy="name it: vLLM would serve its default model, which is hardly meant",
    )

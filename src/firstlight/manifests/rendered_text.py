"""
A rendering, for somebody who reads it and then applies it.

What was assumed, is needed first and may go wrong stands in comments, so that the whole is
YAML: what goes into a pipe or a file is the change, and whoever opens the file later still
sees what it took for granted. Each patch says which object it is for, where that was written,
and the command that applies it.
"""

import textwrap
from collections.abc import Iterator, Sequence

from firstlight.manifests.change import Change, ObjectPatch
from firstlight.manifests.kubectl_words import delete_command, named, patch_command
from firstlight.manifests.objects import ObjectSet
from firstlight.manifests.rendered import Rendered
from firstlight.readers.yaml_text import document_text

_WIDTH = 98
_MOST_RISKS = 3


def patch_text(rendered: Rendered) -> str:
    """Patches, and objects that come and go."""
    parts = []
    for one in rendered.drawn:
        of = f"{one.card.id}: " if len(rendered.drawn) > 1 else ""
        parts += [_patch(of, patch, one.before) for patch in one.change.patches]
        parts += [
            _line(f"{of}add {named(added.identity)}") + document_text(added.value)
            for added in one.change.added
        ]
        parts.append("".join(_line(of + gone) for gone in _gone(one.change)))
    return _joined(head_text(rendered), parts)


def objects_text(rendered: Rendered) -> str:
    """Whole objects, as `kubectl apply -f -` takes them."""
    gone = [_line(line) for change in rendered.changes for line in _gone(change)]
    head = head_text(rendered) + "".join(gone)
    return _joined(head, [document_text(one.value) for one in rendered.after])


def head_text(rendered: Rendered) -> str:
    """What to know before any of it is applied, as comments."""
    return "".join(f"{line}\n" for line in _head(rendered))


def said_lines(rendered: Rendered) -> list[str]:
    """What was taken for granted, for whoever does not see the output itself."""
    assumed = [f"assumed: {said}" for change in rendered.changes for said in change.assumptions]
    return [*(f"note: {note}" for note in rendered.notes), *assumed]


def _head(rendered: Rendered) -> Iterator[str]:
    for note in rendered.notes:
        yield from _comment("note: ", note)
    for one in rendered.drawn:
        card = one.card
        yield from _comment("", f"{card.id}: {card.title}")
        if one.change.is_empty:
            yield from _comment("  ", "nothing to change: the objects have it already")
            continue
        for said in one.change.assumptions:
            yield from _comment("  assumed: ", said)
        for said in card.change.kubernetes.prerequisites:
            yield from _comment("  needed first: ", said)
        for need in card.requires:
            yield from _comment("  requires: ", need.says)
        for risk in card.risks[:_MOST_RISKS]:
            yield from _comment("  risk: ", f"{risk.says} -> {risk.remedy}")


def _comment(label: str, text: str) -> list[str]:
    indent = " " * (len(label) - len(label.lstrip()) + 2)
    return textwrap.wrap(
        label + _one_line(text),
        width=_WIDTH,
        initial_indent="# ",
        subsequent_indent=f"# {indent}",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _line(text: str) -> str:
    return f"# {_one_line(text)}\n"


def _one_line(text: str) -> str:
    """Nothing in it ends a comment: names come from files of others."""
    words = " ".join(text.split())
    return "".join(letter if letter.isprintable() else "?" for letter in words)


def _patch(of: str, patch: ObjectPatch, before: ObjectSet) -> str:
    there = before.get(patch.target)
    where = f" in {there.artefact}" if there and there.artefact else ""
    command = _one_line(patch_command(patch.target))
    operations = document_text(list(patch.operations))
    return f"{_line(f'{of}{named(patch.target)}{where}')}#   {command}\n{operations}"


def _gone(change: Change) -> list[str]:
    """Removals in words: neither a patch nor `kubectl apply` takes an object away."""
    return [f"remove {named(one)}: {delete_command(one)}" for one in change.removed]


def _joined(head: str, parts: Sequence[str]) -> str:
    """Documents with `---` between them; comments alone are no document."""
    text, is_first = head, True
    for part in parts:
        is_document = any(not line.startswith("#") for line in part.splitlines())
        text += part if is_first or not is_document else f"---\n{part}"
        is_first = is_first and not is_document
    return text

"""
A rendering, for somebody who reads it and then applies it.

What was assumed, is needed first and may go wrong stands in comments, so that the whole is
YAML: what goes into a pipe or a file is the change, and whoever opens the file later still
sees what it took for granted. A patch says which object it is for, where that was written,
and the command that applies it.
"""

import textwrap
from collections.abc import Iterator, Sequence

from firstlight.manifests.change import Change
from firstlight.manifests.kubectl_words import delete_command, named, patch_command
from firstlight.manifests.objects import Identity, Manifest, ObjectSet
from firstlight.manifests.patch_document import is_one_patch, patch_document
from firstlight.manifests.rendered import Rendered
from firstlight.readers.yaml_text import document_text

_WIDTH = 98
_MOST_RISKS = 3


def patch_text(rendered: Rendered) -> str:
    """
    What changes, as one document.

    Either the patch of one object, or something that kubectl refuses as a whole.
    """
    whole = rendered.whole
    head = head_text(rendered) + "".join(_line(gone) for gone in _gone(whole))
    if is_one_patch(whole):
        target = whole.patches[0].target
        head += _line(_named(target, rendered.before)) + _line(f"  {patch_command(target)}")
    elif whole.patches or whole.added:
        head += "".join(_line(line) for line in apart_lines(rendered))
        changed = [_named(one.target, rendered.before) for one in whole.patches]
        head += "".join(_line(f"change {one}") for one in changed)
        head += "".join(_line(f"add {named(one.identity)}") for one in whole.added)
    return head + patch_document(whole)


def objects_text(rendered: Rendered) -> str:
    """Whole objects, as `kubectl apply -f -` takes them."""
    gone = [_line(line) for line in _gone(rendered.whole)]
    head = head_text(rendered) + "".join(gone)
    return head + "---\n".join(document_text(one.value) for one in rendered.after)


def job_text(objects: Sequence[Manifest], *, title: str, needed: Sequence[str]) -> str:
    """Objects that are applied by themselves, with what they need first as comments."""
    lines = [*_comment("", title)]
    lines += [line for said in needed for line in _comment("  needed first: ", said)]
    head = "".join(f"{line}\n" for line in lines)
    return head + "---\n".join(document_text(one.value) for one in objects)


def head_text(rendered: Rendered) -> str:
    """What to know before any of it is applied, as comments."""
    return "".join(f"{line}\n" for line in _head(rendered))


def apart_lines(rendered: Rendered) -> list[str]:
    """What to do where one patch is not all; none where it is, or nothing changes."""
    whole = rendered.whole
    if is_one_patch(whole) or not (whole.patches or whole.added):
        return []
    number = len(whole.patches) + len(whole.added)
    sentence = (
        f"NOT a patch for kubectl: it takes that of one object, and these are {number}. Apply all "
        "of it with the same command and --output objects | kubectl apply -f -"
    )
    return [sentence]


def said_lines(rendered: Rendered) -> list[str]:
    """What was taken for granted, for whoever does not see the output itself."""
    assumed = [f"assumed: {said}" for change in rendered.changes for said in change.assumptions]
    return [*(f"note: {note}" for note in rendered.notes), *assumed]


def gone_lines(rendered: Rendered) -> list[str]:
    """The commands for what goes; neither a patch nor `kubectl apply` takes an object away."""
    return _gone(rendered.whole)


def _head(rendered: Rendered) -> Iterator[str]:
    for said in rendered.warnings:
        yield from _comment("WARNING: ", said)
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
        for said in one.change.prerequisites:
            yield from _comment("  needed first: ", said)
        for need in card.requires:
            yield from _comment("  requires: ", need.says)
        for risk in card.risks[:_MOST_RISKS]:
            yield from _comment("  risk: ", f"{risk.says} -> {risk.remedy}")
        if more := len(card.risks[_MOST_RISKS:]):
            where = f"--output json, or docs/techniques/{card.id}.md"
            yield from _comment("  risk: ", f"{more} more: {where}")


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
    indent = " " * (len(text) - len(text.lstrip(" ")))
    return f"# {indent}{_one_line(text)}\n"


def _one_line(text: str) -> str:
    """Nothing in it ends a comment: names come from files of others."""
    words = " ".join(text.split())
    return "".join(letter if letter.isprintable() else "?" for letter in words)


def _named(identity: Identity, objects: ObjectSet) -> str:
    there = objects.get(identity)
    where = f" in {there.artefact}" if there and there.artefact else ""
    return f"{named(identity)}{where}"


def _gone(change: Change) -> list[str]:
    """Removals in words."""
    return [f"remove {named(one)}: {delete_command(one)}" for one in change.removed]

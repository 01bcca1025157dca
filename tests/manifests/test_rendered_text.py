"""A rendering as text: YAML whatever stands in it, and nothing left unsaid."""

from typing import Any

import msgspec
import pytest

from firstlight.manifests.change import Change, ObjectPatch
from firstlight.manifests.difference_lines import difference_line
from firstlight.manifests.differences import Difference
from firstlight.manifests.kubectl_words import delete_command, patch_command
from firstlight.manifests.objects import Identity, Manifest, ObjectSet
from firstlight.manifests.rendered import Drawn, Rendered
from firstlight.manifests.rendered_text import (
    objects_text,
    patch_text,
    said_lines,
)
from firstlight.readers.marked_yaml import marked_documents
from firstlight.techniques.card import Card

SOURCES = [{"origin": "ours", "where": "here"}]


def card(name: str) -> Card:
    """One with a need and four risks."""
    risks = [{"says": f"risk {n}", "remedy": f"cure {n}", "sources": SOURCES} for n in range(4)]
    return msgspec.convert(
        {
            "id": name,
            "title": "a title",
            "says": "x",
            "claim": {"says": "x", "phases": [], "sources": SOURCES},
            "change": {"kubernetes": {"prerequisites": ["a driver"]}, "process": {}},
            "proof": [],
            "requires": [{"says": "a need " + "x" * 90, "sources": SOURCES}],
            "risks": risks,
            "decision": {
                "status": "recommended",
                "reason": "x",
                "origin": "ours",
                "sources": SOURCES,
                "look_again": {"when": "a > 1", "says": "x", "origin": "ours"},
            },
        },
        Card,
    )


def thing(name: str) -> Manifest:
    value: dict[str, Any] = {"apiVersion": "v1", "kind": "Thing", "metadata": {"name": name}}
    return Manifest(value=value, artefact="a.yaml")


def rendered(*changes: Change, name: str = "a") -> Rendered:
    before = ObjectSet(manifests=(thing(name), thing("b")))
    return Rendered(
        before=before,
        drawn=tuple(Drawn(card=card(one.technique), before=before, change=one) for one in changes),
        after=before,
        notes=("left out: x",),
    )


def patched(name: str = "a") -> ObjectPatch:
    target = Identity(kind="Thing", name=name)
    return ObjectPatch(target=target, operations=({"op": "remove", "path": "/x"},))


def test_what_to_know_stands_in_comments() -> None:
    """The three greatest risks, and every assumption; long ones go on below."""
    text = patch_text(rendered(Change(technique="t", patches=(patched(),), assumptions=("y is",))))

    lines = text.splitlines()
    assert [
        "# note: left out: x",
        "# t: a title",
        "#   assumed: y is",
        "#   needed first: a driver",
        "#   requires: a need",
        "#     " + "x" * 90,
        "#   risk: risk 0 -> cure 0",
        "#   risk: risk 1 -> cure 1",
        "#   risk: risk 2 -> cure 2",
        "# thing/a in a.yaml",
        "#   kubectl patch thing a --type json --patch-file FILE",
        "- op: remove",
        "  path: /x",
    ] == lines


def test_several_documents_stand_apart() -> None:
    """Patches, then what comes; what goes is a comment, behind the command for it."""
    change = Change(
        technique="t",
        patches=(patched("a"), patched("b")),
        added=(thing("new"),),
        removed=(Identity(kind="Thing", name="gone", namespace="n", group="x.io"),),
    )
    shown = rendered(change, Change(technique="u", patches=(patched("a"),)))

    text = patch_text(shown)

    documents = [one.value for one in marked_documents("text", text.encode())]
    operations = [{"op": "remove", "path": "/x"}]
    assert [operations, operations, thing("new").value, operations] == documents
    assert "# t: remove thing/gone: kubectl delete thing.x.io gone -n n\n" in text
    assert "# u: thing/a in a.yaml\n" in text
    assert "# remove thing/gone: kubectl delete" in objects_text(shown)
    assert 2 == len(marked_documents("text", objects_text(shown).encode()))


@pytest.mark.parametrize("name", ["a\n- op: add", "a\x1b[31m", "a\u2028b: c", "a\r\nb", "a # b"])
def test_no_name_breaks_out_of_a_comment(name: str) -> None:
    """Names come from files of others."""
    change = Change(technique="t", patches=(patched(name),), assumptions=(f"x {name}",))
    shown = rendered(change, name=name)

    for text, documents in ((patch_text(shown), 1), (objects_text(shown), 2)):
        assert documents == len(marked_documents("text", text.encode()))
    assert "\x1b" not in patch_text(shown)


def test_nothing_to_change_is_said() -> None:
    """And is no document: an empty patch file would be an error of kubectl's."""
    text = patch_text(rendered(Change(technique="t")))

    assert "#   nothing to change: the objects have it already\n" in text
    assert () == marked_documents("text", text.encode())


def test_what_was_assumed_can_be_said_elsewhere() -> None:
    """For whoever sends the text into a pipe."""
    shown = rendered(Change(technique="t", patches=(patched(),), assumptions=("y",)))

    assert ["note: left out: x", "assumed: y"] == said_lines(shown)


def test_commands_name_what_kubectl_knows() -> None:
    """Groups of add-ons are said; a strange name is quoted."""
    pool = Identity(kind="NodePool", name="gpu", group="karpenter.sh")

    assert patch_command(pool).startswith("kubectl patch nodepool.karpenter.sh gpu --type json")
    strange = Identity(kind="Role", name="system:a b", group="rbac.authorization.k8s.io")
    assert "kubectl delete role 'system:a b'" == delete_command(strange)


def test_a_difference_is_one_line() -> None:
    """What came, what went, what became something else; a long value is cut."""

    def line(before: Any, after: Any) -> str:
        identity = Identity(kind="Pod", name="a")
        return difference_line(
            Difference(identity=identity, path="spec.x", before=before, after=after)
        )

    assert "+ Pod/a spec.x: [1]" == line(None, [1])
    assert "- Pod/a spec.x: a b" == line("a\nb", None)
    assert "~ Pod/a spec.x: 1 -> null" == line(1, "null")
    assert 100 > len(line(None, "x" * 200))

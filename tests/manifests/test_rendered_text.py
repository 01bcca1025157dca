"""A rendering as text: YAML whatever stands in it, and nothing left unsaid."""

from dataclasses import replace
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.manifests.applying import applied
from firstlight.manifests.change import Change, ObjectPatch
from firstlight.manifests.difference_lines import difference_line
from firstlight.manifests.differences import Difference
from firstlight.manifests.json_values import same
from firstlight.manifests.kubectl_words import delete_command, patch_command
from firstlight.manifests.objects import Identity, Manifest, ObjectSet
from firstlight.manifests.patch_document import patch_document
from firstlight.manifests.rendered import Drawn, Rendered
from firstlight.manifests.rendered_text import (
    apart_lines,
    gone_lines,
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


def thing(name: str, **more: Any) -> Manifest:
    value: dict[str, Any] = {"apiVersion": "v1", "kind": "Thing", "metadata": {"name": name}}
    return Manifest(value=value | more, artefact="a.yaml")


def rendered(*changes: Change, name: str = "a") -> Rendered:
    before = objects = ObjectSet(manifests=(thing(name, x=1, y=1), thing("b", x=1, y=1)))
    drawn = []
    for one in changes:
        drawn.append(Drawn(card=card(one.technique), before=objects, change=one))
        objects = applied(one, objects)
    return Rendered(before=before, drawn=tuple(drawn), after=objects, notes=("left out: x",))


def patched(name: str = "a", field: str = "x") -> ObjectPatch:
    target = Identity(kind="Thing", name=name)
    return ObjectPatch(target=target, operations=({"op": "remove", "path": f"/{field}"},))


def only(text: str) -> Any:
    """The one document of a text."""
    (document,) = marked_documents("text", text.encode())
    return document.value


GONE = [{"op": "test", "path": "/x", "value": 1}, {"op": "remove", "path": "/x"}]


def test_what_to_know_stands_in_comments() -> None:
    """The three greatest risks and where the others are; every assumption; what can be missed
    least comes first."""
    change = Change(
        technique="t",
        patches=(patched(),),
        assumptions=("y is",),
        prerequisites=("a driver",),
    )
    text = patch_text(replace(rendered(change), warnings=("not yet",)))

    assert [
        "# WARNING: not yet",
        "# note: left out: x",
        "# t: a title",
        "#   assumed: y is",
        "#   needed first: a driver",
        "#   requires: a need",
        "#     " + "x" * 90,
        "#   risk: risk 0 -> cure 0",
        "#   risk: risk 1 -> cure 1",
        "#   risk: risk 2 -> cure 2",
        "#   risk: 1 more: --output json, or docs/techniques/t.md",
        "# thing/a in a.yaml",
        "#   kubectl patch thing a --type json --patch-file FILE",
        '- {"op": "test", "path": "/x", "value": 1}',
        '- {"op": "remove", "path": "/x"}',
    ] == text.splitlines()


def test_techniques_on_one_object_are_one_patch() -> None:
    """From what was given to what is there at last; kubectl reads no second document."""
    one = Change(technique="t", patches=(patched(),))
    two = Change(technique="u", patches=(patched(field="y"),))

    shown = rendered(one, two)

    tests = [{"op": "test", "path": f"/{f}", "value": 1} for f in ("x", "y")]
    assert [*tests, *({"op": "remove", "path": f"/{f}"} for f in ("x", "y"))] == only(
        patch_text(shown)
    )
    assert [] == apart_lines(shown)


def test_what_was_added_and_taken_away_again_is_not_there() -> None:
    """Nor is a patch of what goes in the end, or one of what was added."""
    new = Identity(kind="Thing", name="new")
    added = Change(technique="t", patches=(patched("b"),), added=(thing("new", x=1),))
    changed = Change(technique="u", patches=(patched("new"),), removed=(patched("b").target,))
    gone = Change(technique="v", removed=(new,))

    document = only(patch_text(rendered(added, changed)))
    text = patch_text(rendered(added, changed, gone))

    assert ({"added", "removed"}, [thing("new").value]) == (set(document), document["added"])
    assert () == marked_documents("text", text.encode())
    assert "# remove thing/b: kubectl delete thing b\n" in text


def test_more_than_one_patch_is_no_patch() -> None:
    """One document that is neither a patch nor an object, and says what to do instead."""
    change = Change(
        technique="t",
        patches=(patched("a"), patched("b")),
        added=(thing("new", text="a\n\n  b\n"),),
    )
    shown = rendered(change)

    text = patch_text(shown)

    document = only(text)
    assert [GONE, GONE] == [one["operations"] for one in document["patches"]]
    assert ["a", "b"] == [one["target"]["name"] for one in document["patches"]]
    assert [thing("new", text="a\n\n  b\n").value] == document["added"]
    assert "# NOT a patch for kubectl: it takes that of one object, and these are 3." in text
    assert "--output objects | kubectl apply -f -" in apart_lines(shown)[0]
    assert "kubectl patch" not in text
    assert 3 == len(marked_documents("text", objects_text(shown).encode()))


def test_what_goes_is_a_command() -> None:
    """No patch takes an object away, nor does `kubectl apply`."""
    shown = rendered(Change(technique="t", patches=(patched(),), removed=(patched("b").target,)))

    assert GONE == only(patch_text(shown))
    for text in (patch_text(shown), objects_text(shown)):
        assert "# remove thing/b: kubectl delete thing b\n" in text
    assert ["remove thing/b: kubectl delete thing b"] == gone_lines(shown)


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-(2**53), 2**53)
        | st.sampled_from([0.5, 1e-7])
        | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=6,
    ),
    st.sampled_from(["test", "add", "replace"]),
)
def test_an_operation_is_read_as_it_was_meant(value: Any, op: str) -> None:
    """Whether it stands in one line or in a block, by itself or inside of something."""
    operation = {"op": op, "path": "/a", "value": value}
    patch = ObjectPatch(target=Identity(kind="Thing", name="a"), operations=(operation,))
    one = Change(technique="t", patches=(patch,))
    two = Change(technique="t", patches=(patch, patch))

    assert same([operation], only(patch_document(one)))
    assert same([[operation]] * 2, [p["operations"] for p in only(patch_document(two))["patches"]])


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

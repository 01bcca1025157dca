"""A document that was kept: shown as it was printed, or said to be damaged."""

import copy
import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firstlight.core.errors import BadInput, NewerRecord
from firstlight.report.saved_document import read_saved
from firstlight.wiring.reporting import material, written
from tests.report.documents import experiment

_WRONG: Sequence[Any] = (None, [], {}, "x", -1, 1.5, True, 10**400, float("nan"), {"a": 1})


def saved(document: object) -> bytes:
    return json.dumps(document).encode()


def with_(path: Sequence[str | int], value: object) -> dict[str, Any]:
    document = experiment()
    inner: Any = document
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return document


def test_a_document_is_read_as_it_was_printed() -> None:
    """With all that it has."""
    assert experiment() == read_saved("d", saved(experiment()))


@pytest.mark.parametrize("schema", [None, "firstlight.round/1", "other", 1, "firstlight.compare/1"])
def test_what_is_another_file_is_left_to_others(schema: object) -> None:
    """Also what is no JSON, or no object."""
    assert read_saved("d", saved({**experiment(), "schema": schema})) is None
    assert read_saved("d", b"a log line") is None
    assert read_saved("d", b"[1]") is None


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ({"schema": "firstlight.experiment/1"}, "missing required field `steps`"),
        ({"schema": "firstlight.explain/1"}, "missing required field `starts`"),
        ({"schema": "firstlight.explain/1", "starts": []}, "it has nothing to show"),
        (with_(["steps"], []), "it has nothing to show"),
        (with_(["steps"], 3), r"Expected `array`, got `int` - at `\$.steps`"),
        (with_(["steps", 0, "scenarios"], []), r"\$.steps\[0\].scenarios"),
        (with_(["steps", 1, "name"], None), r"\$.steps\[1\].name"),
        (with_(["steps", 1, "claims"], 1), r"\$.steps\[1\].claims"),
        (with_(["steps", 1, "against_previous", "warm", "metrics"], {}), "metrics"),
        (with_(["environment"], {"model": 1}), "environment"),
    ],
)
def test_damage_is_said_with_its_place(document: object, words: str) -> None:
    with pytest.raises(BadInput, match=words) as error:
        read_saved("d.json", saved(document))

    assert error.value.message.startswith("d.json is damaged: ")
    assert error.value.remedy


def test_a_newer_document_is_refused() -> None:
    """Guessing at it would be worse."""
    with pytest.raises(NewerRecord, match="d was written by a newer firstlight"):
        read_saved("d", saved({**experiment(), "schema": "firstlight.experiment/2"}))


def _paths(value: Any, at: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    found = [at] if at else []
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value[:2])
        if isinstance(value, list)
        else ()
    )
    for key, inner in items:
        found += _paths(inner, (*at, key))
    return found


@settings(deadline=None, max_examples=60)
@given(
    path=st.sampled_from(_paths(experiment())), wrong=st.sampled_from(_WRONG), gone=st.booleans()
)
def test_no_damage_is_a_bug_of_ours(
    tmp_path_factory: pytest.TempPathFactory,
    path: tuple[str | int, ...],
    wrong: object,
    *,
    gone: bool,
) -> None:
    """Whatever is taken out or put in: it is shown, or refused in a sentence."""
    folder = tmp_path_factory.mktemp("damaged")
    document = with_(path, copy.deepcopy(wrong))
    if gone and isinstance(path[-1], str):
        inner: Any = document
        for key in path[:-1]:
            inner = inner[key]
        del inner[path[-1]]
    (folder / "d.json").write_bytes(saved({**document, "schema": "firstlight.experiment/1"}))

    for kind in (".md", ".csv"):
        with suppress(BadInput):
            written(material([str(folder / "d.json")]), folder / f"out{kind}")
            continue
        with pytest.raises(BadInput, match=r"d\.json is damaged: "):
            written(material([str(folder / "d.json")]), folder / f"out{kind}")
        assert not (folder / f"out{kind}").exists()


def test_a_damaged_document_writes_no_page(tmp_path: Path) -> None:
    """What the types do not tell is told where it is drawn."""
    path = tmp_path / "d.json"
    path.write_bytes(saved(with_(["estimates"], [{"seconds": 1}])))

    with pytest.raises(BadInput, match=r"d\.json is damaged: it cannot be shown"):
        written(material([str(path)]), tmp_path / "page.html")

    assert [path] == list(tmp_path.iterdir())

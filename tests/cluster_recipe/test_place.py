"""Which folder a clone uses, and when it counts as whole."""

from pathlib import Path

import pytest
from assembly import place as places
from assembly.place import Place, compiled_key, whole_key
from onenode.failures import ClusterFailed
from onenode.home import home as home_of
from onenode.register import register_folder
from onenode.tools import require_tools


def built(place: Place, name: str = "bin/tool", data: bytes = b"tool") -> None:
    folder = place.begin()
    (folder / name).parent.mkdir(parents=True)
    (folder / name).write_bytes(data)
    place.finish({"kubernetes": "1.20.2"})


@pytest.fixture
def place(home: Path) -> Place:
    return Place(home=home, key="abc")


def test_what_is_being_built_does_not_count(place: Place) -> None:
    """A build that ends in its middle leaves nothing that is taken for ready."""
    (place.begin() / "bin").mkdir()

    assert place.ready() is None
    assert not place.folder.exists()


def test_what_an_interrupted_build_left_is_gone(place: Place) -> None:
    """The next build begins with an empty folder."""
    (place.begin() / "half").touch()

    assert [] == list(place.begin().iterdir())


def test_a_finished_build_counts(place: Place) -> None:
    """It appears by its marker, which says what it was made from."""
    built(place)

    said = place.ready()

    assert said is not None
    assert "1.20.2" == said["kubernetes"]
    assert not place.building.exists()


@pytest.mark.parametrize("damage", ["removed", "cut", "no marker", "another marker", "no JSON"])
def test_a_damaged_folder_does_not_count(place: Place, damage: str) -> None:
    """Half a cache that somebody cleaned up is built again."""
    built(place)
    tool, marker = place.folder / "bin/tool", place.folder / "ready.json"
    if damage == "removed":
        tool.unlink()
    elif damage == "cut":
        tool.write_bytes(b"to")
    elif damage == "no marker":
        marker.unlink()
    elif damage == "another marker":
        marker.write_text(marker.read_text().replace('"abc"', '"abd"'))
    else:
        marker.write_text("[]")

    assert place.ready() is None


def test_a_damaged_folder_is_replaced(place: Place) -> None:
    """Nothing of it is kept."""
    built(place, name="old/tool")
    built(place, name="new/tool")

    assert place.ready() is not None
    assert not (place.folder / "old").exists()


def test_finished_builds_of_other_recipes_are_named(place: Place, home: Path) -> None:
    """People remove them by hand; what this recipe compiled is not among them."""
    other = Place(home=home, key="older")
    built(place)
    built(other)
    built(Place(home=home, key=f"compiled-{compiled_key()}"))

    assert [other.folder] == place.others()


@pytest.mark.parametrize("name", ["NODE", "ENGINE_BASE", "RECIPE_VERSION"])
def test_another_ingredient_is_another_folder(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other packages or steps: another folder, and nothing compiled again."""
    before, compiled = whole_key(), compiled_key()

    monkeypatch.setattr(places, name, ("another",))

    assert before != whole_key()
    assert compiled == compiled_key()


@pytest.mark.parametrize("name", ["GO", "NIL_AFTER", "COMPILE_VERSION"])
def test_another_source_is_compiled_again(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What goes into the binaries is in their key, and so in the whole's."""
    before, whole = compiled_key(), whole_key()

    monkeypatch.setattr(places, name, ("another",))

    assert before != compiled_key()
    assert whole != whole_key()


def test_a_home_is_outside_the_clone() -> None:
    """All clones share it; two variables move it."""
    assert Path("/a") == home_of({"FIRSTLIGHT_CLUSTER_HOME": "/a", "XDG_CACHE_HOME": "/b"})
    assert Path("/b/firstlight/cluster") == home_of({"XDG_CACHE_HOME": "/b"})
    assert Path.home() / ".cache/firstlight/cluster" == home_of({})


def test_a_user_without_a_home_is_told_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """As accounts of services are; the same for what is built and for what is up."""
    monkeypatch.delenv("HOME")
    monkeypatch.setattr("pwd.getpwuid", {}.__getitem__)

    with pytest.raises(ClusterFailed, match="no home folder") as refused:
        home_of({})

    assert "set FIRSTLIGHT_CLUSTER_HOME to" in refused.value.remedy


def test_what_is_up_is_registered_where_the_rest_lies(home: Path) -> None:
    """One rule for both."""
    assert home / "up" == register_folder()


def test_a_machine_that_lacks_a_command_is_refused() -> None:
    """With the packages that have them, each once."""
    require_tools({"sh": "dash"})

    with pytest.raises(ClusterFailed) as refused:
        require_tools({"no-such-1": "b", "no-such-2": "a", "no-such-3": "a", "sh": "dash"})

    assert "this machine lacks a, b" == refused.value.message
    assert refused.value.remedy.endswith("--no-install-recommends a b")

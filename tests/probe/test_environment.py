"""How an engine is given the probe."""

from pathlib import Path

from firstlight.probe.environment import SITE, VARIABLE, with_probe


def test_the_folder_comes_first_on_the_path() -> None:
    """What was on PYTHONPATH stays behind it; the rest of the environment is untouched."""
    before = {"PYTHONPATH": "/a:/b", "HOME": "/root"}

    after = with_probe(before, folder=Path("/records"))

    assert {"PYTHONPATH": f"{SITE}:/a:/b", "HOME": "/root", VARIABLE: "/records"} == after
    assert {"PYTHONPATH": "/a:/b", "HOME": "/root"} == before


def test_an_empty_path_gets_no_empty_entry() -> None:
    """An empty entry would be the working directory."""
    assert str(SITE) == with_probe({"PYTHONPATH": ""}, folder=Path("/r"))["PYTHONPATH"]
    assert str(SITE) == with_probe({}, folder=Path("/r"))["PYTHONPATH"]


def test_a_relative_folder_becomes_absolute() -> None:
    """An engine may change its working directory before its children start."""
    assert str(Path.cwd() / "r") == with_probe({}, folder=Path("r"))[VARIABLE]


def test_the_door_is_there() -> None:
    """The folder that is put on the path holds the file that `site` imports."""
    assert (SITE / "sitecustomize.py").is_file()

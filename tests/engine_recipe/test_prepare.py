"""What one call of the recipe does and says."""

import importlib
import json
import os
import resource
import shutil
from importlib.metadata import Distribution
from pathlib import Path

import pytest

from .bench import ENGINE, Bench

# Half a second each on an idle machine; a busy one starts processes slowly.
pytestmark = pytest.mark.timeout(20)

STEPS = ["venv", "pip", "check", "model"]


def test_first_call_builds_and_says_where(bench: Bench) -> None:
    """The folder, the command that serves and the size stand on stdout."""
    done = bench.run()

    assert done.returncode == 0, done.stderr
    place = bench.place()
    assert bench.steps() == STEPS
    assert done.stdout.splitlines()[0] == f"engine ready: {place}"
    assert f"serve: {place}/venv/bin/vllm serve {place}/model" in done.stdout
    assert bench.home == place.parent


def test_says_first_what_it_will_take(bench: Bench) -> None:
    """Before anything is fetched, the person knows how much, where to and where the log is."""
    done = bench.run()

    before = done.stderr.split("virtual environment")[0]
    assert str(bench.home) in before
    assert "about 900 MB to download, 3.5 GB on the disk" in before
    assert ".log" in before


def test_another_clone_finds_it_ready(bench: Bench, tmp_path: Path) -> None:
    """A second clone downloads nothing and has its answer after less than a second of work."""
    bench.run()
    clone = tmp_path / "clone"
    shutil.copytree(ENGINE, clone)
    other = Bench(folder=bench.folder, engine=clone)

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = other.run()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)

    assert done.returncode == 0
    assert bench.steps() == STEPS
    assert done.stderr == ""
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 1


def test_print_path_prints_the_path_alone(bench: Bench) -> None:
    """A script may use the output as it is."""
    bench.run()

    asked = bench.run("--print-path")

    assert asked.returncode == 0
    assert [str(bench.place())] == asked.stdout.splitlines()
    assert asked.stderr == ""


def test_print_path_of_nothing(bench: Bench) -> None:
    """Not ready is an answer, 1, with nothing on stdout and nothing made."""
    asked = bench.run("--print-path")

    assert (asked.returncode, asked.stdout) == (1, "")
    assert "remedy: python3 " in asked.stderr
    assert not bench.home.exists()


def test_unknown_argument(bench: Bench) -> None:
    """Wrong usage is 2, and builds nothing."""
    assert [bench.run(word).returncode for word in ("--print", "--frobnicate")] == [2, 2]
    assert bench.steps() == []


def test_ready_engine_can_be_read_only(bench: Bench) -> None:
    """An engine that was put into an image needs no writing to be found."""
    bench.run()
    for leftover in bench.home.glob("*.lock"):
        leftover.unlink()

    assert bench.is_ready()
    assert bench.run().returncode == 0
    assert list(bench.home.glob("*.lock")) == []


def test_marker_says_what_was_installed(bench: Bench) -> None:
    """Versions and sizes are known without starting anything."""
    bench.run()

    said = bench.marker()

    assert said["schema"] == "firstlight.engine/1"
    assert said["packages"]["torch"] == "2.13.0"
    assert said["packages"]["vllm"] == "0.32.0+cpu"
    assert said["fetched_bytes"] == 191_800_000
    assert len("half and the other half") == said["weights_bytes"]
    assert said["venv_bytes"] > 0


def test_environment_answers_for_the_name_vllm(bench: Bench) -> None:
    """`vllm serve` asks for the version of a distribution that nobody published for CPUs."""
    bench.run()
    metadata = next(bench.place().glob("venv/lib/*/site-packages/vllm-*.dist-info"))

    found = Distribution.at(metadata)

    assert (found.metadata["Name"], found.version) == ("vllm", "0.32.0+cpu")
    recorded = {file.name: file for file in found.files or []}
    assert {"INSTALLER", "METADATA", "RECORD"} == recorded.keys()
    assert recorded["METADATA"].size == (metadata / "METADATA").stat().st_size


def test_temporary_files_stay_inside_and_go(bench: Bench) -> None:
    """`/tmp` may be small; and what an interrupted pip left there nobody would wipe."""
    bench.run()
    place = bench.place()

    assert f"{place}/tmp" == (place / "venv" / "temporary-files").read_text().strip()
    assert sorted(path.name for path in place.iterdir()) == ["model", "ready.json", "venv"]
    assert list(bench.home.glob("*.downloads")) == []


def test_only_the_lock_is_installed(bench: Bench) -> None:
    """Dependencies are not resolved: that would bring the three packages that do harm."""
    bench.run()

    pip = next(call for call in bench.calls() if call.startswith("pip"))
    assert "--no-deps --requirement" in pip
    assert "--extra-index-url" not in pip


def test_index_for_torch(bench: Bench) -> None:
    """The wheel index a person names is given to pip, and not to the log."""
    index = "file:///wheels-of-torch"

    bench.run(FIRSTLIGHT_TORCH_INDEX=index)

    pip = next(call for call in bench.calls() if call.startswith("pip"))
    assert f"--extra-index-url {index}" in pip
    assert index not in next(bench.home.glob("*.log")).read_text()


def test_cuda_build_of_torch_gets_its_libraries(bench: Bench) -> None:
    """
    Where the index has torch's CUDA build, its libraries are fetched as well,
    and the person hears what that cost and how to avoid it.
    """
    done = bench.run(FAKE_CUDA="'13.0'")

    assert done.returncode == 0, done.stderr
    assert bench.steps() == ["venv", "pip", "check", "pip", "check", "model"]
    second = bench.calls()[3]
    assert "--no-deps" not in second
    assert "--constraint" in second
    assert "torch==2.13.0" in second
    assert "2.2 GB more" in done.stderr
    assert "set FIRSTLIGHT_TORCH_INDEX" in done.stderr


def test_cuda_libraries_need_room_too(bench: Bench) -> None:
    """The larger need is checked when it is known, before anything more is fetched."""
    done = bench.run(FAKE_CUDA="'13.0'", FAKE_FREE="5600000000")

    assert done.returncode == 3
    assert "torch's CUDA build needs about 6.0 GB" in done.stderr
    assert bench.steps() == ["venv", "pip", "check"]


@pytest.mark.parametrize("ending", ["full", "file"])
def test_no_room(bench: Bench, ending: str) -> None:
    """A disk that is full, a home that cannot be: one sentence, a remedy, nothing left behind."""
    if ending == "file":
        bench.home.write_text("in the way")

    done = bench.run(FAKE_FREE="1500000000")

    assert done.returncode == 3
    last, remedy = done.stderr.splitlines()[-2:]
    assert last.startswith(f"engine: {bench.home}")
    assert "FIRSTLIGHT_ENGINE_HOME" in remedy
    assert bench.steps() == []
    if ending == "full":
        assert "needs about 5.5 GB while it is installed, and 1.5 GB are free" in last
        assert [path for path in bench.home.iterdir() if path.is_dir()] == []


@pytest.mark.parametrize(
    ("step", "sentence"),
    [
        ("venv", "could not make a virtual environment: it broke"),
        ("pip", "pip could not install vLLM: it broke"),
        ("check", "vLLM was installed and cannot be imported: ERROR: it broke"),
        ("model", "the tiny model could not be made: ERROR: it broke"),
    ],
)
def test_step_that_fails(bench: Bench, step: str, sentence: str) -> None:
    """The outside's failure is one sentence with its words, a remedy, the log, and exit 3."""
    words = "it broke" if step == "venv" else "ERROR: it broke"
    done = bench.run(FAKE_FAIL_AT=step, FAKE_WORDS=words)

    assert done.returncode == 3
    last, remedy = done.stderr.splitlines()[-2:]
    assert sentence in last
    assert str(next(bench.home.glob("*.log"))) in last
    assert remedy.startswith("  remedy: ")
    assert not bench.is_ready()
    assert bench.run().returncode == 0


def test_downloads_outlive_a_failure(bench: Bench) -> None:
    """A second try uses pip's cache of the first, which wiping does not take away."""
    bench.run(FAKE_FAIL_AT="check", FAKE_WORDS="broken")
    bench.run()

    caches = [call.split("--cache-dir ")[1].split()[0] for call in bench.calls() if "pip" in call]
    assert len(caches) == 2
    assert len(set(caches)) == 1
    assert not caches[0].startswith(f"{bench.place()}/")


@pytest.mark.parametrize(
    "damage", ["venv/bin/python", "venv/bin/vllm", "model/config.json", "model/model.safetensors"]
)
def test_damaged_engine_is_made_anew(bench: Bench, damage: str) -> None:
    """A cache that somebody cleaned up by half is not called ready."""
    bench.run()
    place = bench.place()
    (place / damage).unlink()

    assert not bench.is_ready()
    done = bench.run()

    assert done.returncode == 0
    assert "unfinished or damaged" in done.stderr
    assert (place / damage).exists()


def test_cut_weights_are_damage(bench: Bench) -> None:
    """A file that is there and too short does not pass for the model."""
    bench.run()
    os.truncate(bench.place() / "model/model.safetensors", 4)

    assert not bench.is_ready()


def test_half_wiped_is_not_ready(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """The marker goes before anything it vouches for."""
    bench.run()
    folder = bench.place()
    place = importlib.import_module("recipe.place").Place(home=bench.home, key=folder.name)
    monkeypatch.setattr(shutil, "rmtree", lambda _: None)

    place.wipe()

    assert folder.exists()
    assert place.ready() is None


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"schema": "firstlight.engine/2"}'])
def test_marker_that_cannot_be_read(bench: Bench, text: str) -> None:
    """Only the marker this recipe writes counts as one."""
    bench.run()
    (bench.place() / "ready.json").write_text(text)

    assert not bench.is_ready()


def test_names_engines_of_other_recipes(bench: Bench) -> None:
    """Each takes gigabytes, so the person hears of those no recipe of this clone uses."""
    bench.run()
    place = bench.place()
    old = bench.home / "0123456789abcdef"
    old.mkdir()
    (old / "ready.json").write_text(json.dumps({"key": old.name}))

    said = bench.run().stdout

    assert str(old) in said
    assert said.count(f"uses it: {place}") == 0

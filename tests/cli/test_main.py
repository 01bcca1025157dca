"""The command itself: help at once, every command listed, one exit code for each kind of end."""

import subprocess
import sys

import click
import pytest

from firstlight.cli import main
from firstlight.cli.exit_codes import exit_code
from firstlight.cli.main import COMMANDS, firstlight
from firstlight.core import errors
from firstlight.core.errors import FirstlightError
from tests.cli.console import firstlight as console
from tests.cli.console import said

pytestmark = pytest.mark.timeout(30)


def test_help_lists_every_command_with_its_sentence() -> None:
    """And the exit codes, which scripts depend on."""
    done = console("--help")
    text = " ".join(done.stdout.decode().split())

    assert "" == said(done)
    assert 0 == done.returncode
    for name, sentence in COMMANDS.items():
        assert f"{name} {sentence}" in text
    assert "0 done · 1 done, and the answer is no · 2 wrong usage" in text


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["nonsense"]])
def test_help_imports_neither_rich_nor_a_command(arguments: list[str]) -> None:
    """What is not needed is not loaded: that is what makes the help answer at once."""
    program = (
        "import sys\n"
        "from firstlight.cli.main import run\n"
        f"sys.argv = ['firstlight', *{arguments!r}]\n"
        "try:\n    run()\nexcept SystemExit:\n    pass\n"
        "print('LOADED', *sorted(sys.modules))\n"
    )

    out = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    loaded = set(out.rpartition("LOADED")[2].split())

    assert "firstlight.cli.main" in loaded
    assert set() == {name for name in loaded if name.split(".")[0] == "rich"}
    assert set() == loaded & {f"firstlight.cli.{name}" for name in COMMANDS}
    assert set() == {
        name
        for name in loaded
        if name.startswith("firstlight.")
        and name.split(".")[1] in {"wiring", "edges", "readers", "explain", "measure", "report"}
    }


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_examples(name: str) -> None:
    """What it does, in its first line; how it is typed, in its last ones."""
    done = console(name, "--help")
    text = done.stdout.decode()

    assert 0 == done.returncode
    assert f"firstlight {name} " in text
    assert "Examples:" in text


def test_every_command_is_what_its_module_says() -> None:
    """The table of commands and the modules agree."""
    for name in COMMANDS:
        command = firstlight.get_command(click.Context(firstlight), name)
        assert command is not None
        assert name == command.name
    assert firstlight.get_command(click.Context(firstlight), "nonsense") is None


def test_the_version_is_printed() -> None:
    """For bug reports."""
    done = console("--version")

    assert 0 == done.returncode
    assert done.stdout.decode().startswith("firstlight 0.")


@pytest.mark.parametrize("arguments", [[], ["nonsense"], ["--nonsense"], ["explain", "--nonsense"]])
def test_wrong_usage_ends_with_two(arguments: list[str]) -> None:
    """And says how to get help."""
    done = console(*arguments)

    assert 2 == done.returncode
    assert "Usage: firstlight" in said(done)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.FirstlightError, 3),
        (errors.BadInput, 2),
        (errors.NewerRecord, 2),
        (errors.NothingFound, 1),
        (errors.OutsideFailed, 3),
        (errors.EngineFailed, 3),
        (errors.Interrupted, 130),
    ],
)
def test_each_error_has_its_exit_code(error: type[FirstlightError], code: int) -> None:
    """The documented table."""
    assert code == exit_code(error("a", remedy="b"))


def test_every_error_is_in_the_table() -> None:
    """A new kind of error is given a code on purpose."""
    known = {
        kind
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, FirstlightError)
    }

    assert {
        "FirstlightError",
        "BadInput",
        "NewerRecord",
        "NothingFound",
        "OutsideFailed",
        "EngineFailed",
        "Interrupted",
    } == {kind.__name__ for kind in known}


@pytest.fixture
def explaining_raises(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """`firstlight explain x`, ready to be broken."""
    monkeypatch.setattr(sys, "argv", ["firstlight", "explain", "x"])
    return monkeypatch


def run_with(patch: pytest.MonkeyPatch, error: BaseException) -> int | str | None:
    def explain_inputs(*_: object, **__: object) -> None:
        raise error

    patch.setattr("firstlight.wiring.explaining.explain_inputs", explain_inputs)
    with pytest.raises(SystemExit) as end:
        main.run()
    return end.value.code


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.OutsideFailed("the disk is full", remedy="make room"), 3),
        (errors.NothingFound("nothing is in it", remedy="look elsewhere"), 1),
        (errors.BadInput("it is damaged", remedy="fetch it again"), 2),
    ],
)
def test_an_error_is_a_sentence_and_a_remedy(
    explaining_raises: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: FirstlightError,
    code: int,
) -> None:
    """Two lines on standard error, nothing on standard output."""
    assert code == run_with(explaining_raises, error)
    assert ("", f"firstlight: {error.message}\n  {error.remedy}\n") == tuple(capsys.readouterr())


def test_a_bug_of_ours_shows_its_traceback(
    explaining_raises: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 70, everything needed to report it, and the request to do so."""
    assert 70 == run_with(explaining_raises, RuntimeError("a bug"))

    text = capsys.readouterr().err
    assert "RuntimeError: a bug" in text
    assert "please report it" in text


def test_an_interrupt_ends_quietly(
    explaining_raises: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever pressed Ctrl-C knows why; a shell expects 130."""
    assert 130 == run_with(explaining_raises, KeyboardInterrupt())
    assert "Traceback" not in capsys.readouterr().err

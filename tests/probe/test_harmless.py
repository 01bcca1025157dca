"""The probe never breaks what it watches, whatever it finds."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from firstlight.probe.environment import SITE, VARIABLE
from tests.probe.interpreters import old_interpreters
from tests.probe.watched import Bench


def test_without_a_folder_it_does_nothing(each_bench: Bench) -> None:
    """The folder on PYTHONPATH alone changes nothing: no module of the probe is even loaded."""
    each_bench.variables[VARIABLE] = ""

    run = each_bench.run(
        "import sys; print([name for name in sys.modules if name.startswith('_firstlight')])"
    )

    assert ("[]\n", "", {}) == (run.out, run.err, dict(run.files))


@pytest.mark.parametrize("folder", ["/nowhere/at/all", "/dev/null", "/proc/self"])
def test_a_folder_that_takes_no_file_disturbs_nobody(bench: Bench, folder: str) -> None:
    """Nothing printed, nothing raised, no hook set."""
    bench.variables[VARIABLE] = folder

    run = bench.run(
        """
        import gc, json, _frozen_importlib
        print(json.dumps(1), "begin" in _frozen_importlib._find_and_load.__globals__, gc.callbacks)
        """
    )

    assert (0, "1 False []\n", "") == (run.exit_code, run.out, run.err)


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes anywhere")
def test_a_folder_without_permission_disturbs_nobody(bench: Bench) -> None:
    """As on a read-only file system."""
    bench.probe_folder.mkdir()
    bench.probe_folder.chmod(0o500)

    run = bench.run("import json; print(json.dumps(1))")

    assert (0, "1\n", "") == (run.exit_code, run.out, run.err)


def test_a_full_disk_disturbs_nobody(each_bench: Bench) -> None:
    """Records are lost, the engine goes on; the line that did not fit is cut."""
    for number in range(40):
        each_bench.module(f"much{number}", "import time; time.sleep(0.001)")

    run = each_bench.run(
        """
        import resource
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
        for number in range(40):
            __import__(f"much{number}")
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        print("done")
        """
    )

    (text,) = run.files.values()
    assert ("done\n", "", True) == (run.out, run.err, len(text) <= 1000)


def test_space_that_comes_back_is_used(bench: Bench) -> None:
    """After a cut line the next record begins a line of its own."""
    for number in range(10):
        bench.module(f"much{number}", "import time; time.sleep(0.001)")
    bench.module("later", "import time; time.sleep(0.002)")

    run = bench.run(
        """
        import resource
        resource.setrlimit(resource.RLIMIT_FSIZE, (900, resource.RLIM_INFINITY))
        for number in range(10):
            __import__(f"much{number}")
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        import later
        """
    )

    (text,) = run.files.values()
    assert 1 == len(
        [line for line in text.splitlines() if line.startswith('{"k":"import","n":"later"')]
    )


def test_a_descriptor_that_became_another_file_is_left_alone(each_bench: Bench) -> None:
    """An engine closes what it does not know; the number may then be its own file or socket."""
    each_bench.module("after", "import time; time.sleep(0.005)")

    run = each_bench.run(
        """
        import os
        os.closerange(3, 50)
        mine = os.open("mine", os.O_RDWR | os.O_CREAT)
        import after
        print(mine, os.fstat(mine).st_size)
        """
    )

    assert ("3 0\n", 1) == (run.out, len(run.records(n="after")))


def test_a_hidden_sitecustomize_is_executed(each_bench: Bench) -> None:
    """The one that would have run runs, is what `import sitecustomize` gives, and is watched."""
    each_bench.module("sitecustomize", "import helper\nanswer = 42\nprint('theirs')")
    each_bench.module("helper", "import time; time.sleep(0.005)")

    run = each_bench.run("import sitecustomize as s; print(s.answer, s.__name__, s.__file__)")

    told = f"theirs\n42 sitecustomize {each_bench.modules / 'sitecustomize.py'}\n"
    assert (told, "", 1) == (run.out, run.err, len(run.records(n="helper")))


def test_a_hidden_sitecustomize_is_executed_without_a_folder_too(each_bench: Bench) -> None:
    """It is hidden by the folder on PYTHONPATH, whether the probe records or not."""
    each_bench.variables[VARIABLE] = ""
    each_bench.module("sitecustomize", "print('theirs')")

    run = each_bench.run("pass")

    assert "theirs\n" == run.out


def test_a_hidden_sitecustomize_fails_as_it_would(each_bench: Bench) -> None:
    """Its error is told by the interpreter in the same words, and the program runs."""
    each_bench.module("sitecustomize", "raise RuntimeError('theirs')")

    plain = each_bench.run("print('ran')", watched=False)
    run = each_bench.run("print('ran')")

    assert (plain.exit_code, plain.out, plain.err) == (run.exit_code, run.out, run.err)


@pytest.mark.parametrize("option", ["-S", "-I"])
def test_an_isolated_interpreter_is_left_alone(each_bench: Bench, option: str) -> None:
    """Without `site` or without PYTHONPATH there is no probe, and no complaint."""
    run = each_bench.run("print('ran')", option)

    assert ("ran\n", "", {}) == (run.out, run.err, dict(run.files))


def test_the_door_has_no_new_syntax() -> None:
    """An older interpreter that inherits PYTHONPATH must be able to read the door and pass."""
    text = (SITE / "sitecustomize.py").read_text()

    assert ast.parse(text, feature_version=(3, 4))
    assert not [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.JoinedStr)]


def test_an_old_interpreter_passes_by(tmp_path: Path) -> None:
    """Where this machine has one that the probe is not meant for, it runs as ever, unrecorded."""
    old = old_interpreters()
    if not old:
        pytest.skip("no old Python here")
    for python in old:
        done = subprocess.run(
            [python, "-c", "print('ran')"],
            env={"PYTHONPATH": str(SITE), VARIABLE: str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ("ran\n", "", []) == (done.stdout, done.stderr, list(tmp_path.iterdir()))


def test_nothing_heavy_is_imported(bench: Bench) -> None:
    """A small helper process stays small: of the standard library, only what is there anyway."""
    script = "import sys; print(' '.join(sorted(sys.modules)))"

    plain = set(bench.run(script, watched=False).out.split())
    watched = set(bench.run(script).out.split())

    ours = {name for name in watched if name.startswith("_firstlight")} | {"sitecustomize"}
    allowed = {"__future__", "_json", "atexit", "gc"}
    assert set() == watched - plain - ours - allowed


def test_the_search_path_stays_as_it_was_given(bench: Bench) -> None:
    """Only the folder that was put there is there."""
    script = "import sys; print('\\n'.join(sys.path))"

    plain = bench.run(script, watched=False).out.splitlines()
    watched = bench.run(script).out.splitlines()

    assert plain == [entry for entry in watched if entry != str(SITE)]


def test_the_probe_speaks_only_to_its_file(bench: Bench) -> None:
    """Standard streams carry what the engine said, and nothing else."""
    run = bench.run("print('out'); import sys; print('err', file=sys.stderr)")

    assert ("out\n", "err\n") == (run.out, run.err)
    assert sys.executable == bench.python

"""What the probe says about bytecode."""

import shutil
from typing import Any

from tests.probe.watched import Bench


def loaded(bench: Bench) -> dict[str, Any]:
    """What one run of its own told last."""
    shutil.rmtree(bench.probe_folder, ignore_errors=True)
    record = bench.run("import big").records(k="modules")[-1]
    return {kind: record[kind] for kind in ("read", "compiled")}


def package(bench: Bench) -> None:
    bench.package("big", "import big.a, big.b")
    bench.module("big.a", "")
    bench.module("big.b", "")


def test_sources_are_compiled_once_and_bytecode_is_read_after(each_bench: Bench) -> None:
    """With a folder for bytecode, the second run compiles nothing."""
    package(each_bench)
    each_bench.variables["PYTHONPYCACHEPREFIX"] = str(each_bench.folder / "pycache")
    each_bench.variables["PYTHONDONTWRITEBYTECODE"] = ""

    first, second = loaded(each_bench), loaded(each_bench)

    assert first["compiled"] >= 3
    assert 0 == second["compiled"]
    assert second["read"] >= first["compiled"]


def test_without_bytecode_each_run_compiles(each_bench: Bench) -> None:
    """As in an image that ships none and a container that cannot keep any."""
    package(each_bench)
    each_bench.variables["PYTHONPYCACHEPREFIX"] = str(each_bench.folder / "pycache")
    each_bench.variables["PYTHONDONTWRITEBYTECODE"] = "1"

    runs = [loaded(each_bench) for _ in range(2)]

    assert [True, True] == [run["compiled"] >= 3 for run in runs]


def test_source_that_cannot_be_compiled_shows_the_same_traceback(each_bench: Bench) -> None:
    """Nobody sees who was counting."""
    each_bench.module("wrong", "def f(:\n")
    each_bench.module("asks", "import wrong")

    plain = each_bench.run("import asks", watched=False)
    run = each_bench.run("import asks")

    assert (plain.exit_code, plain.err) == (run.exit_code, run.err)


def test_a_forked_child_counts_for_itself(bench: Bench) -> None:
    """What its parent loaded is its parent's."""
    package(bench)
    bench.module("later", "")

    run = bench.run(
        """
        import os, sys
        import big
        pid = os.fork()
        if pid == 0:
            import later
            sys.exit()
        os.waitpid(pid, 0)
        """
    )

    counts = sorted(r["read"] + r["compiled"] for r in run.records(k="modules"))
    assert 1 == counts[0]
    assert counts[-1] >= 3

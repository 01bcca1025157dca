"""What the probe says about processes, and that each has its own file."""

import re

import pytest

from tests.probe.watched import Bench


def test_a_process_says_who_it_is(each_bench: Bench) -> None:
    """One record, first in the file: who, what, since when by which clock and how exactly."""
    run = each_bench.run("import os; print(os.getpid(), os.getppid())")

    pid, ppid = map(int, run.out.split())
    (record,) = run.records(k="process")
    assert (pid, ppid, "script.py", False) == tuple(
        record[key] for key in ("pid", "ppid", "program", "forked")
    )
    assert (10_000_000, True) == (
        record["start_resolution_ns"],
        record["at_ns"] - 5_000_000_000 < record["start_ns"] <= record["at_ns"],
    )
    assert record == run.of_process(pid)[0]
    assert all(re.fullmatch(r"\d+-\d+\.jsonl", name) for name in run.files)


@pytest.mark.parametrize("options", [("-X", "utf8"), ("-B",), ("-W", "ignore")])
def test_interpreter_options_are_no_program(bench: Bench, options: tuple[str, ...]) -> None:
    """The program is what runs, not how."""
    run = bench.run("pass", *options)

    assert ["script.py"] == [r["program"] for r in run.records(k="process")]


def test_no_argument_is_recorded(bench: Bench) -> None:
    """A command line may hold a key, and so may the text after `-c` and a child's arguments."""
    bench.module("tool", "pass")

    run = bench.run(
        """
        import subprocess, sys
        for words in (["-m", "tool", "--api-key", "s3cret"], ["-c", "key = 's3cret'"]):
            subprocess.run([sys.executable, *words], check=True)
        subprocess.run("TOKEN=s3cret true; sleep 0.01", shell=True, check=True)
        """
    )

    assert not [text for text in run.files.values() if "s3cret" in text]
    assert ["-c", "-m tool", "script.py"] == sorted(r["program"] for r in run.records(k="process"))


def test_a_forked_child_has_its_own_file(each_bench: Bench) -> None:
    """What each does after the fork is in its own file, and the parent's goes on."""
    each_bench.module("of_child", "import time; time.sleep(0.005)")
    each_bench.module("of_parent", "import time; time.sleep(0.005)")
    each_bench.variables["PYTHONWARNINGS"] = "ignore"

    run = each_bench.run(
        """
        import os
        child = os.fork()
        if child == 0:
            import of_child
            os._exit(0)
        os.waitpid(child, 0)
        import of_parent
        print(os.getpid(), child)
        """
    )

    parent, child = map(int, run.out.split())
    of_child, of_parent = run.of_process(child), run.of_process(parent)
    assert (True, parent) == (of_child[0]["forked"], of_child[0]["ppid"])
    assert (["of_child"], ["of_parent"]) == tuple(
        [r["n"] for r in records if r["k"] == "import" and r["n"].startswith("of_")]
        for records in (of_child, of_parent)
    )


def test_a_spawned_child_tells_its_name_and_its_preparation(each_bench: Bench) -> None:
    """The parent notes the start, the child its name and the time until it runs its target."""
    each_bench.module(
        "work",
        """
        import time
        class Slow:
            def __reduce__(self):
                return (make, ())
        def make():
            time.sleep(0.02)
            return Slow()
        def work(slow):
            print("worked")
        """,
    )

    run = each_bench.run(
        """
        import multiprocessing, work
        if __name__ == "__main__":
            context = multiprocessing.get_context("spawn")
            child = context.Process(target=work.work, args=(work.Slow(),), name="EngineCore")
            child.start()
            child.join()
            print(child.pid, child.exitcode)
        """
    )

    pid, exit_code = map(int, run.out.split("worked\n")[1].split())
    assert 0 == exit_code
    assert [(pid, "EngineCore")] == [(r["child"], r["n"]) for r in run.records(k="spawn")]
    of_child = run.of_process(pid)
    assert ("-c spawn_main", False) == (of_child[0]["program"], of_child[0]["forked"])
    assert ["EngineCore"] == [r["n"] for r in of_child if r["k"] == "name"]
    unpickling = [r for r in of_child if r.get("n") == "unpickling"]
    assert [True] == [r["e"] - r["s"] >= 20_000_000 for r in unpickling]


def test_a_process_forked_by_multiprocessing_tells_its_name(each_bench: Bench) -> None:
    """The engine's default method on some platforms; the child never imports the machinery."""
    each_bench.variables["PYTHONWARNINGS"] = "ignore"
    run = each_bench.run(
        """
        import multiprocessing
        child = multiprocessing.get_context("fork").Process(target=print, name="VllmWorker-0")
        child.start()
        child.join()
        print(child.pid)
        """
    )

    pid = int(run.out.split()[-1])
    assert ["VllmWorker-0"] == [r["n"] for r in run.of_process(pid) if r["k"] == "name"]
    assert [pid] == [r["child"] for r in run.records(k="spawn")]


def test_a_title_is_a_name(bench: Bench) -> None:
    """Engines rename their processes as they learn their rank."""
    bench.module("setproctitle", "def setproctitle(title): print('now', title)")

    run = bench.run("import setproctitle; setproctitle.setproctitle('VLLM::Worker_TP1')")

    assert "now VLLM::Worker_TP1\n" == run.out
    assert [("VLLM::Worker_TP1", "title")] == [(r["n"], r["by"]) for r in run.records(k="name")]


def test_a_program_that_was_run_is_recorded(each_bench: Bench) -> None:
    """Its name, its process and the time it was waited for."""
    run = each_bench.run(
        """
        import subprocess
        print(subprocess.run(["sleep", "0.02"]).returncode)
        """
    )

    waits = run.records(k="span", g="subprocess", x="sleep")
    assert "0\n" == run.out
    assert any("child" in r and r["e"] - r["s"] >= 15_000_000 for r in waits)


@pytest.mark.parametrize(
    ("last", "exit_code"),
    [("sys.exit(7)", 7), ("raise SystemExit", 0), ("1 / 0", 1), ("os._exit(3)", 3)],
)
def test_the_end_is_the_engines_own(bench: Bench, last: str, exit_code: int) -> None:
    """However it ends, the exit code is the engine's and the records before it are whole."""
    bench.module("before", "import time; time.sleep(0.005)")

    run = bench.run(f"import os, sys, before\n{last}")

    ends = 0 if "_exit" in last else 1
    assert (exit_code, 1, ends) == (
        run.exit_code,
        len(run.records(n="before")),
        len(run.records(k="exit")),
    )


def test_a_killed_process_leaves_what_it_did(each_bench: Bench) -> None:
    """SIGKILL is how engines end; every finished record is on disk by then."""
    each_bench.module("before", "import time; time.sleep(0.005)")

    run = each_bench.run("import os, signal, before; os.kill(os.getpid(), signal.SIGKILL)")

    assert (-9, 1) == (run.exit_code, len(run.records(n="before")))

"""What the probe says about imports."""

from tests.probe.watched import Bench

SLEEPS = "import time\ntime.sleep(0.005)\n"


def test_nested_packages_make_nested_records(each_bench: Bench) -> None:
    """
    A package that imports another is recorded around it, each under its
    top-level name, and the inner one lies inside the outer one.
    """
    each_bench.package("outer", SLEEPS)
    each_bench.module("outer.part", SLEEPS + "import inner\n")
    each_bench.package("inner", SLEEPS)

    run = each_bench.run("import outer.part")

    outer, inner = run.records(k="import", n="outer"), run.records(k="import", n="inner")
    assert [("outer.part", "inner")] == [(o["x"], i["x"]) for o in outer for i in inner]
    assert outer[0]["s"] < inner[0]["s"] < inner[0]["e"] < outer[0]["e"]


def test_modules_of_one_package_make_one_record(bench: Bench) -> None:
    """Within a package the name does not change, so nothing is recorded."""
    bench.module("one.a", SLEEPS)
    bench.package("one", "import one.a, one.b")
    bench.module("one.b", SLEEPS)

    run = bench.run("import one")

    assert ["one"] == [r["x"] for r in run.records(k="import", n="one")]


def test_a_short_import_is_not_recorded(bench: Bench) -> None:
    """What is shorter than the shortest that matters belongs to what asked for it."""
    bench.module("short", "")
    bench.module("asks", "import time, short\ntime.sleep(0.3)")

    run = bench.run(
        """
        import sys
        sys.modules["_firstlight_imports"]._SHORTEST_NS = 250_000_000
        import asks
        """
    )

    assert (1, 0) == (len(run.records(n="asks")), len(run.records(n="short")))


def test_an_import_that_fails_shows_the_same_traceback(each_bench: Bench) -> None:
    """The engine's own message is what a person sees, line for line; its time is recorded."""
    each_bench.module("broken", SLEEPS + "raise RuntimeError('no device')")
    each_bench.module("asks", "import broken")

    plain = each_bench.run("import asks", watched=False)
    run = each_bench.run("import asks")

    assert (plain.exit_code, plain.err) == (run.exit_code, run.err)
    assert ["broken"] == [r["x"] for r in run.records(k="import", n="broken")]


def test_a_missing_module_shows_the_same_traceback(each_bench: Bench) -> None:
    """Nor does it show who was watching where nothing was found."""
    each_bench.module("asks", "import nowhere_to_be_found.at_all")

    plain = each_bench.run("import asks", watched=False)
    run = each_bench.run("import asks")

    assert (plain.exit_code, plain.err) == (run.exit_code, run.err)


def test_a_warning_points_at_the_line_that_imports(each_bench: Bench) -> None:
    """`warnings` counts stack levels, and the probe's frame is not one of them."""
    each_bench.module(
        "old", "import warnings\nwarnings.warn('old', DeprecationWarning, stacklevel=2)"
    )
    each_bench.module("asks", "\n\nimport old")
    each_bench.variables["PYTHONWARNINGS"] = "always"

    plain = each_bench.run("import asks", watched=False)
    run = each_bench.run("import asks")

    assert "asks.py:3: DeprecationWarning: old" in plain.err
    assert plain.err == run.err


def test_a_circular_import_works_and_is_recorded_once(each_bench: Bench) -> None:
    """Two packages that import each other end up as without the probe."""
    each_bench.module("ping", SLEEPS + "import pong\nscore = pong.score + 1")
    each_bench.module("pong", SLEEPS + "import ping\nscore = 1")

    run = each_bench.run("import ping; print(ping.score)")

    assert ("2\n", 1, 1) == (run.out, len(run.records(n="ping")), len(run.records(n="pong")))


def test_imports_of_another_thread_are_marked(each_bench: Bench) -> None:
    """Only the main thread stands between the ask and the answer."""
    each_bench.module("aside", SLEEPS)

    run = each_bench.run(
        """
        import threading
        thread = threading.Thread(target=lambda: __import__("aside"))
        thread.start()
        thread.join()
        """
    )

    assert [True] == ["th" in r for r in run.records(n="aside")]
    assert not [r for r in run.records(n="threading") if "th" in r]


def test_importlib_is_seen_too(bench: Bench) -> None:
    """Engines find most of their classes by name."""
    bench.module("late", SLEEPS)

    run = bench.run("import importlib; importlib.import_module('late')")

    assert 1 == len(run.records(k="import", n="late"))

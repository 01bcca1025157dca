"""What the probe says about functions of the engine, tried on modules with an engine's names."""

from tests.probe.watched import Bench

PLUGINS = """
import time

def load_general_plugins(times=1):
    '''Load them.'''
    time.sleep(0.005 * times)
    return times
"""


def test_a_function_of_the_table_is_recorded(each_bench: Bench) -> None:
    """It does what it did, answers what it answered, looks as it looked, and leaves a record."""
    each_bench.package("vllm.plugins", PLUGINS)

    run = each_bench.run(
        """
        from vllm.plugins import load_general_plugins as load
        print(load(times=2), load.__name__, load.__doc__, load.__module__)
        """
    )

    spans = run.records(k="span", g="plugins", n="general plugins")
    assert "2 load_general_plugins Load them. vllm.plugins\n" == run.out
    assert [True] == [span["e"] - span["s"] >= 10_000_000 for span in spans]


def test_an_exception_passes_through_and_the_time_is_recorded(each_bench: Bench) -> None:
    """What the engine raises is what its caller catches, the very same object."""
    each_bench.package(
        "vllm.plugins",
        """
        import time
        error = KeyError("no plugin")

        def load_general_plugins():
            time.sleep(0.005)
            raise error
        """,
    )

    run = each_bench.run(
        """
        from vllm import plugins
        try:
            plugins.load_general_plugins()
        except KeyError as caught:
            print(caught is plugins.error, caught.__context__, caught.__cause__)
        """
    )

    assert "True None None\n" == run.out
    assert 1 == len(run.records(k="span", n="general plugins"))


def test_methods_keep_their_kind(each_bench: Bench) -> None:
    """Plain, static and class methods stay what they were, subclasses and `super()` included."""
    each_bench.module(
        "vllm.engine.arg_utils",
        """
        import time

        class EngineArgs:
            def create_engine_config(self):
                time.sleep(0.002)
                return self

            @staticmethod
            def add_cli_args(parser):
                time.sleep(0.002)
                return parser

            @classmethod
            def from_cli_args(cls, args):
                time.sleep(0.002)
                return cls()

        class AsyncEngineArgs(EngineArgs):
            def create_engine_config(self):
                return super().create_engine_config()
        """,
    )

    run = each_bench.run(
        """
        from vllm.engine.arg_utils import AsyncEngineArgs
        args = AsyncEngineArgs.from_cli_args(None)
        print(type(args).__name__, args.create_engine_config() is args, args.add_cli_args(7))
        """
    )

    names = [r["n"] for r in run.records(k="span") if r["g"] in ("arguments", "configuration")]
    assert "AsyncEngineArgs True 7\n" == run.out
    assert ["engine arguments", "engine config", "building the parser"] == names


def test_a_missing_name_is_skipped(each_bench: Bench) -> None:
    """Another version of the engine has other names; the rest is still recorded."""
    each_bench.module("vllm.engine.arg_utils", "EngineArgs = None")
    each_bench.package("vllm.plugins", PLUGINS)

    run = each_bench.run(
        "import vllm.engine.arg_utils, vllm.plugins; vllm.plugins.load_general_plugins()"
    )

    assert (0, "", 1) == (run.exit_code, run.err, len(run.records(n="general plugins")))


def test_a_module_of_a_circular_import_is_waited_for(each_bench: Bench) -> None:
    """Its functions are replaced when it is whole, not when somebody first sees it half made."""
    each_bench.module("looks", "import importlib; importlib.import_module('vllm.plugins')")
    each_bench.package("vllm.plugins", "import looks\n" + PLUGINS)

    run = each_bench.run("import vllm.plugins; vllm.plugins.load_general_plugins()")

    assert 1 == len(run.records(n="general plugins"))


def test_a_long_span_is_announced(bench: Bench) -> None:
    """Its beginning is on disk before it ends, so a start that is killed inside can be told."""
    bench.module(
        "vllm.engine.arg_utils",
        """
        import os, signal

        class EngineArgs:
            def create_engine_config(self):
                os.kill(os.getpid(), signal.SIGKILL)
        """,
    )

    run = bench.run(
        "from vllm.engine.arg_utils import EngineArgs; EngineArgs().create_engine_config()"
    )

    assert -9 == run.exit_code
    assert ["engine config"] == [r["n"] for r in run.records(k="begin")]
    assert [] == run.records(k="span", n="engine config")


def test_a_serving_engine_stops_being_recorded(bench: Bench) -> None:
    """After a bounded number of records a function is only called, however long it serves."""
    bench.package(
        "vllm.plugins",
        """
        def load_general_plugins(until):
            import time
            while time.monotonic_ns() < until:
                pass
        """,
    )

    run = bench.run(
        """
        import sys, time
        sys.modules["_firstlight_spans"]._SHORTEST_NS = 0
        from vllm.plugins import load_general_plugins
        for _ in range(3000):
            load_general_plugins(time.monotonic_ns() + 1000)
        """
    )

    assert 1000 == len(run.records(n="general plugins"))


def test_what_a_worker_is_asked_every_step_is_never_recorded(bench: Bench) -> None:
    """The executor's calls of the start are waits; its calls while serving are nothing."""
    bench.module(
        "vllm.v1.executor.multiproc_executor",
        """
        import time

        class MultiprocExecutor:
            def collective_rpc(self, method, timeout=None):
                time.sleep(0.002)
                return method
        """,
    )

    run = bench.run(
        """
        from vllm.v1.executor.multiproc_executor import MultiprocExecutor
        ask = MultiprocExecutor().collective_rpc
        print(ask("execute_model"), ask("get_kv_cache_spec"))
        """
    )

    assert "execute_model get_kv_cache_spec\n" == run.out
    assert ["get_kv_cache_spec"] == [r["x"] for r in run.records(k="wait")]


def test_a_reexported_class_is_replaced_once(bench: Bench) -> None:
    """A config class is reachable by two module names; its time counts once."""
    bench.module(
        "vllm.config.vllm",
        """
        import time

        class VllmConfig:
            def __post_init__(self):
                time.sleep(0.002)
        """,
    )
    bench.package("vllm.config", "from vllm.config.vllm import VllmConfig")

    run = bench.run("from vllm.config import VllmConfig; VllmConfig().__post_init__()")

    assert 1 == len(run.records(n="settling the config"))


def test_a_long_garbage_collection_is_recorded(each_bench: Bench) -> None:
    """Walking an engine's objects takes time that is nobody's import."""
    run = each_bench.run(
        """
        import gc
        kept = [[] for _ in range(300_000)]
        gc.collect()
        """
    )

    assert "generation 2" in {r["x"] for r in run.records(g="garbage collection")}

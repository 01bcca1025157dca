"""What the probe says about compilation, tried on modules with torch's names."""

from tests.probe.watched import Bench

UTILS = """
import time
from collections import Counter, defaultdict
from contextlib import contextmanager

counters = defaultdict(Counter)

@contextmanager
def dynamo_timed(key, phase_name=None):
    print("begin", key)
    yield "inner"
    print("end", key)
"""

WORKER = """
import time
from torch._dynamo.utils import counters, dynamo_timed

class CPUWorker:
    def compile_or_warm_up_model(self):
        with dynamo_timed("inductor_compile") as inner:
            time.sleep(0.005)
        counters["inductor"]["fxgraph_cache_hit"] += 2
        counters["inductor"]["pattern_matcher_count"] += 9
        counters["aot_autograd"]["autograd_cache_miss"] += 1
        return inner
"""


def test_torchs_own_stages_are_recorded(each_bench: Bench) -> None:
    """Its context manager works as before; the stage's name and time are on record."""
    each_bench.module("torch._dynamo.utils", UTILS)
    each_bench.module("vllm.v1.worker.cpu_worker", WORKER)

    run = each_bench.run(
        """
        from vllm.v1.worker.cpu_worker import CPUWorker
        print(CPUWorker().compile_or_warm_up_model())
        """
    )

    assert "begin inductor_compile\nend inductor_compile\ninner\n" == run.out
    (stage,) = run.records(n="dynamo:inductor_compile")
    assert ("compile", True) == (stage["g"], stage["e"] - stage["s"] >= 5_000_000)


def test_an_exception_inside_a_stage_passes_through(bench: Bench) -> None:
    """torch skips frames by raising."""
    bench.module("torch._dynamo.utils", UTILS)

    run = bench.run(
        """
        from torch._dynamo.utils import dynamo_timed
        import time
        try:
            with dynamo_timed("entire_frame_compile"):
                time.sleep(0.002)
                raise KeyError("skip")
        except KeyError as error:
            print(error.args)
        """
    )

    assert "begin entire_frame_compile\n('skip',)\n" == run.out
    assert 1 == len(run.records(n="dynamo:entire_frame_compile"))


def test_a_stage_as_a_decorator_still_works(bench: Bench) -> None:
    """Some versions of torch use it so."""
    bench.module("torch._dynamo.utils", UTILS)

    run = bench.run(
        """
        from torch._dynamo.utils import dynamo_timed

        @dynamo_timed("decorated")
        def work():
            return 5

        print(work(), work())
        """
    )

    assert "begin decorated\nend decorated\n" * 2 + "5 5\n" == run.out


def test_cache_counters_are_recorded_after_warm_up_and_at_exit(bench: Bench) -> None:
    """Those that stand for caches; both moments tell the same here."""
    bench.module("torch._dynamo.utils", UTILS)
    bench.module("vllm.v1.worker.cpu_worker", WORKER)
    bench.module(
        "vllm.compilation.counter",
        """
        class Counter:
            def __init__(self):
                self.num_backend_compilations, self.num_graphs_seen = 3, 0

        compilation_counter = Counter()
        """,
    )

    run = bench.run(
        """
        import vllm.compilation.counter
        from vllm.v1.worker.cpu_worker import CPUWorker
        CPUWorker().compile_or_warm_up_model()
        """
    )

    values = {
        "inductor.fxgraph_cache_hit": 2,
        "aot_autograd.autograd_cache_miss": 1,
        "vllm.num_backend_compilations": 3,
    }
    assert [("warmed up", values), ("exit", values)] == [
        (r["when"], r["v"]) for r in run.records(k="counters")
    ]


def test_without_torch_there_are_no_counters(bench: Bench) -> None:
    """Nothing is imported to find that out."""
    run = bench.run("pass")

    assert [] == run.records(k="counters")

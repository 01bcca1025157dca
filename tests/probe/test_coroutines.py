"""What the probe says about coroutines, and that they never notice."""

from tests.probe.watched import Bench


def test_a_coroutine_is_recorded_only_while_it_runs(each_bench: Bench) -> None:
    """While it is suspended somebody else works; what it answers and gets is untouched."""
    each_bench.module(
        "vllm.entrypoints.launchers.api_server.app_state",
        """
        import asyncio, time

        async def init_app_state(name):
            time.sleep(0.005)
            await asyncio.sleep(0.05)
            try:
                await asyncio.wait_for(asyncio.sleep(10), timeout=0.01)
            except asyncio.TimeoutError:
                time.sleep(0.005)
                return name
        """,
    )

    run = each_bench.run(
        """
        import asyncio
        from vllm.entrypoints.launchers.api_server.app_state import init_app_state
        print(asyncio.iscoroutinefunction(init_app_state), asyncio.run(init_app_state("app")))
        """
    )

    spans = run.records(k="span", n="serving objects")
    assert "True app\n" == run.out
    assert 2 == len(spans)
    assert sum(s["e"] - s["s"] for s in spans) < 40_000_000


def test_a_cancelled_coroutine_is_cancelled(each_bench: Bench) -> None:
    """Cancellation reaches the engine's own code, which may clean up, and the caller."""
    each_bench.module(
        "vllm.entrypoints.launchers.api_server.app_state",
        """
        import asyncio

        async def init_app_state():
            try:
                await asyncio.sleep(10)
            finally:
                await asyncio.sleep(0)
                print("cleaned up")
        """,
    )

    run = each_bench.run(
        """
        import asyncio
        from vllm.entrypoints.launchers.api_server.app_state import init_app_state

        async def main():
            task = asyncio.ensure_future(init_app_state())
            await asyncio.sleep(0.01)
            task.cancel()
            try:
                await task
            except asyncio.CancelledError:
                print("cancelled")

        asyncio.run(main())
        """
    )

    assert ("cleaned up\ncancelled\n", "") == (run.out, run.err)


def test_what_is_thrown_into_a_coroutine_reaches_it_and_leaves_no_cycle(each_bench: Bench) -> None:
    """The engine's own code sees the error, and its frames go away with it."""
    each_bench.module(
        "vllm.entrypoints.launchers.api_server.app_state",
        """
        class Once:
            def __await__(self):
                yield "suspended"

        async def init_app_state(seen):
            try:
                await Once()
            except KeyError as error:
                seen.append(error.args)
                raise
        """,
    )

    run = each_bench.run(
        """
        import gc
        from vllm.entrypoints.launchers.api_server.app_state import init_app_state

        def throw(seen):
            coroutine = init_app_state(seen)
            assert coroutine.send(None) == "suspended"
            try:
                coroutine.throw(KeyError("in"))
            except KeyError:
                pass

        seen = []
        throw(seen)
        gc.collect()
        gc.disable()
        before = len(gc.get_objects())
        for _ in range(100):
            throw([])
        print(seen, len(gc.get_objects()) - before < 50)
        """
    )

    assert ("[('in',)] True\n", "") == (run.out, run.err)

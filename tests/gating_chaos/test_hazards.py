"""What must be noticed is noticed: each hazard is there, and each wrong of a run is one."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest

from tests.gating_chaos.asker import Askers, Ending, Got
from tests.gating_chaos.book import Book, Entry, Touch
from tests.gating_chaos.engine import MOST_WORDS, ChaosEngine, Spoil
from tests.gating_chaos.plan import HARMLESS, LONG, SHORT, Form, cycles
from tests.gating_chaos.wanted import Leaving, Sending, Wanted

STREAM = Wanted(name="a", words=MOST_WORDS, stream=True)
WHOLE = Wanted(name="b", words=MOST_WORDS, stream=False)


@asynccontextmanager
async def engine_up() -> AsyncIterator[tuple[ChaosEngine, Book]]:
    """One that is asked directly."""
    engine = ChaosEngine()
    await engine.start()
    try:
        yield engine, Book(askers=Askers(engine.port, bound_s=0.8))
    finally:
        await engine.kill()


async def told(engine: ChaosEngine, target: str) -> int:
    async with aiohttp.ClientSession() as client, client.post(engine.url + target) as reply:
        return reply.status


async def at_work(engine: ChaosEngine) -> None:
    while not engine.tokens:  # noqa: ASYNC110 - a plain value
        await asyncio.sleep(0.001)


def ending(entry: Entry) -> Ending:
    assert entry.got is not None
    return entry.got.ending


def run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(test)


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("chat", [True, False])
@pytest.mark.parametrize("sending", Sending)
def test_whoever_asks_gets_what_belongs_to_the_prompt(
    sending: Sending, *, stream: bool, chat: bool
) -> None:
    async def test() -> None:
        async with engine_up() as (engine, book):
            wanted = Wanted(name="x", words=5, stream=stream, chat=chat, sending=sending)
            entry = await book.ask(wanted)
            assert Got(ending=Ending.RIGHT) == entry.got
            assert {"x": 1} == dict(engine.received)
            assert [] == book.wrongs(engine.received)

    run(test())


@pytest.mark.parametrize("wanted", [STREAM, WHOLE])
def test_who_sleeps_with_abort_cuts_answers_short(wanted: Wanted) -> None:
    """They end as if they were whole, and are not right."""

    async def test() -> None:
        async with engine_up() as (engine, book):
            asked = asyncio.create_task(book.ask(wanted))
            await at_work(engine)
            assert 200 == await told(engine, "/sleep?level=1")
            assert Ending.WRONG is ending(await asked)
            assert 1 == len(book.wrongs(engine.received))

    run(test())


@pytest.mark.parametrize("wanted", [STREAM, WHOLE])
def test_who_asks_while_it_sleeps_hangs(wanted: Wanted) -> None:
    async def test() -> None:
        async with engine_up() as (engine, book):
            await told(engine, "/sleep?level=1")
            assert Ending.HUNG is ending(await book.ask(wanted))
            assert 1 == len(book.wrongs(engine.received))

    run(test())


@pytest.mark.parametrize("wanted", [STREAM, WHOLE])
def test_a_bare_wake_up_of_level_2_gives_nonsense(wanted: Wanted) -> None:
    async def test() -> None:
        async with engine_up() as (engine, book):
            await told(engine, "/sleep?level=2")
            await told(engine, "/wake_up")
            assert Ending.WRONG is ending(await book.ask(wanted))

    run(test())


def test_a_sleep_that_failed_says_that_it_sleeps() -> None:
    async def test() -> None:
        async with engine_up() as (engine, book):
            engine.sleeps_to_fail = 1
            assert 500 == await told(engine, "/sleep?level=1&mode=wait")
            assert engine.says_it_sleeps
            assert Ending.HUNG is ending(await book.ask(WHOLE))

    run(test())


@pytest.mark.parametrize(
    ("wanted", "spoil", "end"),
    [
        (WHOLE, Spoil.NO_HEAD, Ending.NOTHING),
        (WHOLE, Spoil.CUT, Ending.CUT),
        (STREAM, Spoil.CUT, Ending.CUT),
        (STREAM, Spoil.NO_HEAD, Ending.NOTHING),
    ],
)
def test_an_answer_is_spoiled_by_name(wanted: Wanted, spoil: Spoil, end: Ending) -> None:
    async def test() -> None:
        async with engine_up() as (engine, book):
            engine.spoils[wanted.name] = spoil
            assert end is ending(await book.ask(wanted))

    run(test())


@pytest.mark.parametrize(("kill", "end"), [(True, Ending.CUT), (False, Ending.ENGINE_ERROR)])
def test_who_is_with_an_engine_that_dies_is_told_so_or_cut(end: Ending, *, kill: bool) -> None:
    async def test() -> None:
        async with engine_up() as (engine, book):
            asked = asyncio.create_task(book.ask(STREAM))
            await at_work(engine)
            if kill:
                await engine.kill()
            else:
                engine.die()
            assert end is ending(await asked)

    run(test())


@pytest.mark.parametrize("leaving", Leaving)
def test_a_client_leaves_when_it_is_to(leaving: Leaving) -> None:
    async def test() -> None:
        async with engine_up() as (_, book):
            reads = leaving is Leaving.READING
            wanted = Wanted(name="l", words=9, stream=reads, leaving=leaving, leaves_after_s=0.001)
            assert Ending.LEFT is ending(await book.ask(wanted))

    run(test())


@pytest.mark.parametrize(
    ("touches", "got", "received", "wrong"),
    [
        (set(), Got(ending=Ending.RIGHT), 1, None),
        (set(), Got(ending=Ending.RIGHT), 2, "2 times"),
        (set(), Got(ending=Ending.RIGHT), 0, "nobody but the engine"),
        (set(), Got(ending=Ending.REFUSED, code="engine_failed"), 0, "must not end so"),
        (set(), Got(ending=Ending.CUT), 1, "must not end so"),
        ({Touch.ENGINE}, Got(ending=Ending.REFUSED, code="engine_failed"), 0, None),
        ({Touch.ENGINE}, Got(ending=Ending.REFUSED, code="engine_failed"), 1, "turned away"),
        ({Touch.ENGINE}, Got(ending=Ending.REFUSED, code="gateway_fault"), 0, "not why"),
        ({Touch.ENGINE}, Got(ending=Ending.NOTHING), 1, "must not end so"),
        ({Touch.ENGINE}, Got(ending=Ending.WRONG), 1, "must not end so"),
        ({Touch.ENGINE}, Got(ending=Ending.HUNG), 1, "must not end so"),
        ({Touch.DRAIN}, Got(ending=Ending.UNCONNECTED), 0, None),
        ({Touch.DRAIN}, Got(ending=Ending.CUT), 1, "must not end so"),
        (set(), None, 1, "never ended"),
    ],
)
def test_what_must_not_be_is_said(
    touches: set[Touch], got: Got | None, received: int, wrong: str | None
) -> None:
    book = Book(askers=Askers(1, bound_s=1))
    book.entries.append(Entry(wanted=WHOLE, touches=touches, got=got))

    wrongs = book.wrongs({"b": received})

    assert (wrong is not None) == bool(wrongs)
    assert wrong is None or wrong in wrongs[0]


@pytest.mark.parametrize("form", [SHORT, LONG])
def test_a_plan_is_drawn_again_from_its_seed(form: Form) -> None:
    """And has all that it is to have: half of it streams, each kind at least once."""

    def drawn(seed: int) -> list[object]:
        return [(one.kind, one.wanted) for one in cycles(seed, form)]

    once = list(cycles(8, form))
    wanted = [one for cycle in once for one in cycle.wanted]
    assert drawn(8) == drawn(8) != drawn(9)
    assert form.requests == len(wanted) == len({one.name for one in wanted})
    assert form.requests == 2 * sum(one.stream for one in wanted)
    assert {*HARMLESS, *form.faults} == {cycle.kind for cycle in once}
    assert form.cycles == len(once)

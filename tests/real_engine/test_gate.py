"""
A real vLLM behind `firstlight gate`: it sleeps, wakes for who asks, and says the same.

One engine, and for each test a gateway of its own before it. Each leaves the engine awake and
whole. The slow form loses one, and starts the next in its place.
"""

import os
import resource
import signal
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.engine_sleep.gate import GateProcess, gate
from tests.engine_sleep.sleeper import Sleeper, completion, started
from tests.fakes.processes import free_port

pytestmark = [pytest.mark.engine, pytest.mark.timeout(60)]

CONTROL = [
    ("POST", "/sleep"),
    ("POST", "/wake_up"),
    ("GET", "/is_sleeping"),
    ("POST", "/collective_rpc"),
    ("POST", "/release_kv_cache_memory"),
    ("POST", "/reset_prefix_cache"),
    ("GET", "/server_info"),
    ("POST", "/SLEEP"),
    ("POST", "//sleep"),
    ("POST", "/v1/../sleep"),
    ("POST", "/%73leep"),
]
MB = 1 << 20


@pytest.fixture(scope="module")
def sleeper(engine_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sleeper]:
    with started(engine_folder, tmp_path_factory.mktemp("behind-a-gate")) as one:
        yield one


@contextmanager
def asking(front: GateProcess) -> Iterator[Future[tuple[int, Any]]]:
    """A request that is on its way while other things happen."""
    with ThreadPoolExecutor(1) as beside:
        yield beside.submit(front.ask, "POST", "/v1/completions", completion())


def test_an_idle_engine_sleeps_and_wakes_for_who_asks(sleeper: Sleeper, tmp_path: Path) -> None:
    """By itself, with its memory given back; ready and alive all the while."""
    before = sleeper.words()
    sleeper.fill()
    awake = sleeper.resident()
    with gate(sleeper.url, tmp_path, "--idle-s", "1") as front:
        front.until("asleep")
        asleep = sleeper.says()
        fell = awake - sleeper.resident()
        probes = [front.ask("GET", path)[0] for path in ("/readyz", "/health", "/-/engine-livez")]
        said = front.words()
        woke, told = sleeper.says(), front.events("verified")

    assert ((200, True), (200, False)) == (asleep, woke)
    assert fell > 0.9 * (52e6 + 16 * MB)
    assert [200, 200, 200] == probes
    assert before == said
    assert [1.0] == [line["agreement"] for line in told]


def test_one_wake_up_for_all_who_wait(sleeper: Sleeper, tmp_path: Path) -> None:
    """Twenty at once, half of them streaming."""
    asked = [completion(f"Pod {n} waits", stream=n % 2 == 0) for n in range(20)]
    with gate(sleeper.url, tmp_path, "--idle-s", "0") as front:
        front.sleep()
        with ThreadPoolExecutor(len(asked)) as beside:
            found = list(beside.map(lambda one: front.ask("POST", "/v1/completions", one), asked))
        state = front.state

    assert [200] * len(asked) == [status for status, _ in found]
    assert all(said.endswith("data: [DONE]\n\n") for _, said in found[::2])
    assert all(said["usage"]["completion_tokens"] for _, said in found[1::2])
    assert (1, 1) == (state["sleeps"], state["wakes"])


def test_weights_that_were_dropped_are_there_for_who_asks(sleeper: Sleeper, tmp_path: Path) -> None:
    """Level 2: loaded again, in vLLM's order, before anybody is answered."""
    before = sleeper.words()
    with gate(sleeper.url, tmp_path, "--idle-s", "0", "--level", "2") as front:
        front.sleep()
        kept = sleeper.files()
        said = front.words()
        woke = front.events("woke")

    assert (before, [2]) == (said, [line["level"] for line in woke])
    assert 0 == sum(file.stat().st_size for file in kept if file.exists())


def test_who_steers_the_engine_is_not_let_through(sleeper: Sleeper, tmp_path: Path) -> None:
    """Whatever the spelling: the gateway answers, and the engine hears nothing."""
    with gate(sleeper.url, tmp_path, "--idle-s", "0") as front:
        heard = len(sleeper.log.read_text())
        answers = {path: front.ask(method, path) for method, path in CONTROL}
        front.words()
        log = sleeper.log.read_text()[heard:]

    told = {path: (status, said["error"]["code"]) for path, (status, said) in answers.items()}
    assert dict.fromkeys(answers, (404, "no_such_route")) == told
    assert '"POST /v1/completions ' in log
    assert [] == [path for _, path in CONTROL if f'"POST {path} ' in log]
    assert (200, False) == sleeper.says()


def test_a_slow_wake_up_is_waited_for(sleeper: Sleeper, tmp_path: Path) -> None:
    """The core of an engine that wakes answers nobody: that is no silence that ends it."""
    before = sleeper.words()
    worker = int(sleeper.worker().name)
    with gate(sleeper.url, tmp_path, "--idle-s", "0", "--engine-silent-s", "1") as front:
        front.sleep()
        os.kill(worker, signal.SIGSTOP)
        with asking(front) as asked:
            time.sleep(4)
            states = front.state["state"], front.ask("GET", "/-/engine-livez")[0]
            os.kill(worker, signal.SIGCONT)
            status, said = asked.result(timeout=20)

    assert ("waking", 200) == states
    assert (200, before) == (status, said["choices"][0]["token_ids"])


@pytest.mark.parametrize("level", ["1", "2"])
def test_a_sleep_that_fails_costs_no_request(sleeper: Sleeper, tmp_path: Path, level: str) -> None:
    """It says that it sleeps, so it is woken; after three in a row nobody tries again."""
    before = sleeper.words()
    away = sleeper.folder.rename(sleeper.folder.with_name("away"))
    try:
        with gate(sleeper.url, tmp_path, "--idle-s", "0.5", "--level", level) as front:
            front.until_it(lambda: front.state["no_sleep"] is not None)
            front.until("awake")
            state, said = front.state, front.words()
    finally:
        away.rename(sleeper.folder)

    assert before == said
    assert (0, (200, False)) == (state["sleeps"], sleeper.says())
    assert "cannot be written" in state["no_sleep"]


def test_weights_that_cannot_be_loaded_end_in_one_honest_error(
    sleeper: Sleeper, tmp_path: Path
) -> None:
    """Who waits is refused, and the engine's container is to be started anew."""
    before = sleeper.words()
    soft, hard = resource.prlimit(int(sleeper.worker().name), resource.RLIMIT_AS)
    with gate(sleeper.url, tmp_path, "--idle-s", "0", "--level", "2") as front:
        front.sleep()
        worker = sleeper.worker()
        size = int((worker / "statm").read_text().split()[0]) * resource.getpagesize()
        resource.prlimit(int(worker.name), resource.RLIMIT_AS, (size - 1024 * MB, hard))
        status, said = front.ask("POST", "/v1/completions", completion())
        livez, state = front.ask("GET", "/-/engine-livez")[0], front.state
    resource.prlimit(int(worker.name), resource.RLIMIT_AS, (soft, hard))
    sleeper.loaded_again()

    assert (503, 503, "failed") == (status, livez, state["state"])
    assert "engine_failed" == said["error"]["code"]
    assert "Cannot allocate memory" in state["failure"]
    assert before == sleeper.words()


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_an_engine_that_a_wake_up_kills_is_replaced(engine_folder: Path, tmp_path: Path) -> None:
    """Who waits is told so; the next engine at its place serves, and sleeps as well."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with started(engine_folder, tmp_path / "first", stays=False, port=port) as first:
        before = first.words()
        with gate(url, tmp_path, "--idle-s", "0") as front:
            front.sleep()
            worker = int(first.worker().name)
            os.kill(worker, signal.SIGSTOP)
            with asking(front) as asked:
                front.until("waking")
                os.kill(worker, signal.SIGKILL)
                refused = asked.result(timeout=20)
            livez = front.ask("GET", "/-/engine-livez")[0]
            ended = first.process.wait(timeout=20)
            without = [front.ask("GET", path)[0] for path in ("/-/engine-livez", "/livez")]
            with started(engine_folder, tmp_path / "second", port=port):
                front.until_it(lambda: front.ask("GET", "/readyz")[0] == 200)
                alive, said = front.ask("GET", "/-/engine-livez")[0], front.words()
                front.sleep()
                again = front.words()

    assert (503, 503, 0) == (refused[0], livez, ended)
    assert "engine_failed" == refused[1]["error"]["code"]
    assert [503, 200] == without
    assert (200, before, before) == (alive, said, again)

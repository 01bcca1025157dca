"""
A real vLLM that sleeps for real, on a CPU: memory, requests, tokens and failures.

One start for all. Each test leaves the engine awake and whole, whatever it did to it.
"""

import re
import stat
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from pathlib import Path

import pytest

from tests.engine_sleep.sleeper import KV_BYTES, Sleeper, started

pytestmark = [pytest.mark.engine, pytest.mark.timeout(60)]


@pytest.fixture(scope="module")
def sleeper(engine_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sleeper]:
    with started(engine_folder, tmp_path_factory.mktemp("sleeper")) as one:
        yield one


@pytest.fixture(scope="module")
def weights(engine_folder: Path) -> int:
    """Bytes of the checkpoint."""
    return (engine_folder / "model" / "model.safetensors").stat().st_size


def given_back(sleeper: Sleeper, level: int) -> int:
    """What a sleep takes out of memory, once the whole KV cache was used; asleep afterwards."""
    sleeper.fill()
    awake = sleeper.resident()
    sleeper.fell_asleep(level)
    return awake - sleeper.resident()


def test_memory_goes_and_comes_back(sleeper: Sleeper, weights: int) -> None:
    """At both levels nine tenths of weights and KV cache, and the same is said afterwards."""
    before = sleeper.words()
    least = 0.9 * (weights + KV_BYTES)

    kept = given_back(sleeper, level=1)
    asleep = sleeper.resident()
    sleeper.woke_up()
    back = sleeper.resident() - asleep
    said = sleeper.words()
    dropped = given_back(sleeper, level=2)
    sleeper.loaded_again()

    assert least < kept < 1.3 * (weights + KV_BYTES)
    assert least < dropped < 1.3 * (weights + KV_BYTES)
    assert 0.9 * weights < back < 1.3 * weights
    assert before == said == sleeper.words()


def test_weights_may_wait_in_memory(sleeper: Sleeper, weights: int) -> None:
    """A folder in a tmpfs: the worker gives back as much, and the file there takes the weights."""
    if "/dev/shm tmpfs " not in Path("/proc/mounts").read_text():
        pytest.skip("no tmpfs at /dev/shm")
    before = sleeper.words()
    away = sleeper.folder.rename(sleeper.folder.with_name("on-disk"))
    with tempfile.TemporaryDirectory(dir="/dev/shm") as memory:
        sleeper.folder.symlink_to(memory)
        fell = given_back(sleeper, level=1)
        (file,) = sleeper.files(Path(memory))
        size = file.stat().st_size
        sleeper.woke_up()
    sleeper.folder.unlink()
    away.rename(sleeper.folder)

    assert fell > 0.9 * (weights + KV_BYTES)
    assert weights * 0.95 < size < weights * 1.05
    assert before == sleeper.words()


def test_what_it_keeps_is_nobody_elses_and_goes(sleeper: Sleeper, weights: int) -> None:
    """A file without a name, for its owner alone; the tied weights are in it once."""
    sleeper.fell_asleep()
    (file,) = sleeper.files()
    found = file.stat()
    named = list(sleeper.folder.iterdir())
    sleeper.woke_up()

    assert (0o600, 0, []) == (stat.S_IMODE(found.st_mode), found.st_nlink, named)
    assert weights * 0.95 < found.st_size < weights * 1.05
    assert [] == sleeper.files()


def test_a_probe_sees_a_sleeping_engine_as_well(sleeper: Sleeper) -> None:
    """So who wants to know has to ask whether it sleeps."""
    sleeper.fell_asleep()
    asleep = sleeper.call("GET", "/health")[0], sleeper.call("GET", "/is_sleeping")
    sleeper.woke_up()

    assert (200, (200, {"is_sleeping": True})) == asleep
    assert (200, {"is_sleeping": False}) == sleeper.call("GET", "/is_sleeping")


def test_a_request_waits_for_the_wake_up(sleeper: Sleeper) -> None:
    """It is not refused, and gets the answer that it would have got before."""
    before = sleeper.words()
    sleeper.fell_asleep()
    with ThreadPoolExecutor(1) as beside:
        asked = beside.submit(sleeper.words)
        with pytest.raises(NotYet):
            asked.result(timeout=1)
        sleeper.woke_up()

        assert before == asked.result(timeout=20)


def test_a_sleep_cycle_is_timed_and_proven(sleeper: Sleeper) -> None:
    """Each moment after the one before; the engine's own lines say the same of it."""
    found = sleeper.cycle()

    names = ("sleep_asked", "asleep", "wake_asked", "woken", "first_token")
    moments = [found[f"{name}_ns"] for name in names]
    log = sleeper.log.read_text()
    assert (None, sorted(moments)) == (found["problem"], moments)
    assert (1.0, "/health answered 200") == (found["agreement"], found["health_asleep"])
    woke = re.findall(r"It took (\d+\.\d{6}) seconds to wake up tags", log)[-1]
    assert float(woke) < (found["woken_ns"] - found["wake_asked_ns"]) / 1e9
    assert re.search(r"It took \d+\.\d{6} seconds to fall asleep", log)
    assert re.search(r"Sleep mode freed \d\.\d\d GiB memory", log)


def test_a_sleep_that_cannot_write_loses_nothing(sleeper: Sleeper) -> None:
    """The cause is told; the engine, which says that it sleeps all the same, is woken."""
    before, awake = sleeper.words(), sleeper.resident()
    away = sleeper.folder.rename(sleeper.folder.with_name("away"))
    found = sleeper.cycle()
    away.rename(sleeper.folder)

    assert found["problem"].startswith("/sleep?level=1 answered 500: ")
    assert "cannot be written" in found["problem"]
    assert found["problem"].endswith("; it said that it sleeps all the same, and was woken")
    assert abs(sleeper.resident() - awake) < 10e6
    assert before == sleeper.words()


def test_a_wake_up_that_fails_is_told_with_what_it_leaves(sleeper: Sleeper) -> None:
    """
    The file is cut off while the engine sleeps: the call fails, `/health` goes on saying 200.
    With the file as it was, the same call wakes it.
    """
    before = sleeper.words()
    sleeper.fell_asleep()
    (file,) = sleeper.files()
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])

    # Asleep already, which the engine takes for a success; it does not answer before.
    found = sleeper.cycle(timeout_s=3)
    file.write_bytes(whole)
    sleeper.woke_up()

    assert found["problem"].startswith("/wake_up answered 500: ")
    assert "the file with the weights is shorter than it was" in found["problem"]
    assert found["problem"].endswith(
        "; since then it says that it sleeps, so requests wait, and /health answered 200"
    )
    assert before == sleeper.words()


def test_level_2_wakes_without_its_weights(sleeper: Sleeper) -> None:
    """Nothing fails and it answers: nonsense, until they are loaded again in vLLM's own order."""
    before = sleeper.words()
    found = sleeper.cycle(level=2)
    nonsense = sleeper.words()

    sleeper.fell_asleep(level=2)
    sleeper.loaded_again()

    assert "its weights did not come back" in found["problem"]
    assert before != nonsense
    assert before == sleeper.words()


def test_weights_that_are_loaded_too_late_leave_nonsense_behind(sleeper: Sleeper) -> None:
    """
    Who was answered between wake-up and loading filled the KV cache from no weights. Prompts that
    begin alike find that, and only they: a short one says nothing of it.
    """
    long = [(7 * i) % 2000 + 3 for i in range(400)]
    before, short = sleeper.words(long), sleeper.words()
    sleeper.fell_asleep(level=2)
    sleeper.woke_up()
    sleeper.words(long)
    loaded = sleeper.call("POST", "/collective_rpc", {"method": "reload_weights"})
    late, late_short = sleeper.words(long), sleeper.words()
    forgot = sleeper.call("POST", "/reset_prefix_cache")

    assert (200, 200) == (loaded[0], forgot[0])
    assert (before != late, short) == (True, late_short)
    assert before == sleeper.words(long)


def test_the_kv_cache_alone_can_be_given_back(sleeper: Sleeper) -> None:
    """vLLM's other call; the weights stay, and the engine goes on after a wake-up."""
    before = sleeper.words()

    released = [
        sleeper.call("POST", path)[0]
        for path in ("/sleep?level=0", "/release_kv_cache_memory", "/wake_up")
    ]

    assert [200, 200, 200] == released
    assert before == sleeper.words()

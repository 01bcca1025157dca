"""
A real vLLM, started for real, and what firstlight says about it.

Two pairs of starts: Inductor's own cache (ahead-of-time compilation off: one
fills, one hits), and the ahead-of-time cache, which on a CPU is written and never
loads. Seconds are not judged here; they belong to `make bench` and the demo.
"""

from pathlib import Path

import pytest

from firstlight.core.effects import EffectState
from firstlight.core.phases import Phase
from firstlight.core.signs import Sign
from firstlight.core.starts import CacheVerdict, Outcome, Start
from firstlight.explain.explain import explain_log
from firstlight.readers.vllm_log import read_log
from firstlight.wiring.explaining import explain_folder
from firstlight.wiring.measuring import MeasuredRound
from tests.real_engine.conftest import StartEngine

pytestmark = [pytest.mark.engine, pytest.mark.timeout(900)]

ENGINE_PHASES = [
    Phase.PROCESS_INIT,
    Phase.WEIGHT_LOAD,
    Phase.ENGINE_INIT,
    Phase.API_START,
    Phase.READINESS_LAG,
]


@pytest.fixture(scope="module")
def caches(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("caches")


@pytest.fixture(scope="module")
def filled(start_engine: StartEngine, caches: Path) -> MeasuredRound:
    return _start(start_engine, "fill", caches)


@pytest.fixture(scope="module")
def hit(start_engine: StartEngine, caches: Path, filled: MeasuredRound) -> MeasuredRound:  # noqa: ARG001
    return _start(start_engine, "hit", caches)


def _start(start_engine: StartEngine, label: str, caches: Path) -> MeasuredRound:
    """With a folder of its own for compiled modules, empty at first as in the official image."""
    return start_engine(
        label,
        caches,
        VLLM_USE_AOT_COMPILE="0",
        PYTHONPYCACHEPREFIX=str(caches / "bytecode"),
        PYTHONDONTWRITEBYTECODE="",
    )


@pytest.fixture(scope="module")
def broken(
    start_engine: StartEngine, tmp_path_factory: pytest.TempPathFactory
) -> list[MeasuredRound]:
    ahead = tmp_path_factory.mktemp("ahead-of-time")
    return [start_engine(f"ahead-{n}", ahead, VLLM_USE_AOT_COMPILE="1") for n in (1, 2)]


def explained(start: Start) -> None:
    """What must hold for each start of the real engine that was watched with the probe."""
    assert Outcome.READY is start.outcome
    assert start.total is not None
    timeline = start.total.timeline
    assert ENGINE_PHASES == [s.name for s in start.phases if s.name in ENGINE_PHASES]
    assert timeline.length_ns == sum(s.length_ns for s in start.phases)
    assert ("process_started", "health_200") == (start.total.starts_at, start.total.ends_at)
    longest = max((s.length_ns for s in timeline.unexplained_stretches()), default=0)
    assert timeline.unexplained_ns <= timeline.length_ns * 0.02
    assert longest <= 500_000_000
    assert start.first_token_ns is not None
    assert start.first_token_ns > 0


def test_empty_caches_are_filled(filled: MeasuredRound) -> None:
    """The first start compiles and writes; the worker's counters and the folder prove it."""
    start = filled.start

    explained(start)
    assert CacheVerdict.FILL is start.compile_cache.verdict
    assert "probe" == start.compile_cache.proof
    assert "0.32.0" == start.engine_version


def test_kept_caches_are_hit(hit: MeasuredRound) -> None:
    """The second start loads what the first wrote, and counts no miss."""
    explained(hit.start)
    assert CacheVerdict.HIT is hit.start.compile_cache.verdict
    assert "probe" == hit.start.compile_cache.proof


def test_techniques_show_by_their_signs(filled: MeasuredRound, hit: MeasuredRound) -> None:
    """Compiled, then read: modules and model. A CPU's worker is spawned, and nothing streamed."""
    always = {Sign.WORKER_SPAWNED, Sign.WEIGHTS_FROM_FILES}

    assert always | {Sign.CACHE_MISSED, Sign.BYTECODE_MADE} == set(filled.start.signs)
    assert always | {Sign.CACHE_HIT, Sign.BYTECODE_READ} == set(hit.start.signs)
    at_work = {e.technique for e in hit.start.effects if e.state is EffectState.APPLIED}
    assert {"bytecode-cache", "compile-cache-local"} == at_work


def test_the_log_alone_knows_of_no_hit(hit: MeasuredRound) -> None:
    """The CPU engine prints nothing on a hit, so without probe and listing it is unknown."""
    log = Path(hit.result.folder) / "engine.log"

    (start,) = explain_log(read_log("engine.log", [log.read_bytes()]))

    assert CacheVerdict.UNKNOWN is start.compile_cache.verdict
    assert Outcome.READY is start.outcome


def test_the_folder_alone_proves_a_hit(hit: MeasuredRound, tmp_path: Path) -> None:
    """Without the probe's files, the listings before and after prove it: nothing is new."""
    copy = tmp_path / "round-01"
    copy.mkdir()
    for file in Path(hit.result.folder).iterdir():
        if file.is_file():
            (copy / file.name).write_bytes(file.read_bytes())

    start = explain_folder(copy)

    assert CacheVerdict.HIT is start.compile_cache.verdict
    assert "listing" == start.compile_cache.proof


def test_a_round_is_read_again_as_it_was(filled: MeasuredRound) -> None:
    """What `measure` printed and what `explain` reads from the folder later is the same."""
    assert filled.start == explain_folder(Path(filled.result.folder))


def test_the_log_alone_leaves_little_unexplained(filled: MeasuredRound, hit: MeasuredRound) -> None:
    """Without the probe, the engine's lines and the process's start explain 95 %."""
    for measured in (filled, hit):
        folder = Path(measured.result.folder)
        probe = folder / "probe"
        hidden = folder / "probe-hidden"
        probe.rename(hidden)
        try:
            start = explain_folder(folder)
        finally:
            hidden.rename(probe)

        assert start.total is not None
        timeline = start.total.timeline
        assert timeline.unexplained_ns <= timeline.length_ns * 0.05


@pytest.mark.slow
def test_the_ahead_of_time_cache_is_broken_on_a_cpu(broken: list[MeasuredRound]) -> None:
    """
    The first start saves the compiled function; the second finds it, cannot load it and
    compiles again. The engine says so itself, and that is worth a finding.
    """
    first, second = (one.start for one in broken)

    explained(first)
    explained(second)
    assert CacheVerdict.FILL is first.compile_cache.verdict
    assert (CacheVerdict.BROKEN, "engine") == (
        second.compile_cache.verdict,
        second.compile_cache.proof,
    )
    assert "finalize_loading" in second.compile_cache.reason
    assert "compile-cache-broken" in {f.code for f in second.findings}

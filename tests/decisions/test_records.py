"""What explained starts say about the facts, and of which techniques they show the work."""

from dataclasses import replace
from pathlib import Path

import pytest

from firstlight.core.effects import Effect, EffectState
from firstlight.core.signs import RESTORES_CACHE, Sign
from firstlight.core.starts import Outcome, Start
from firstlight.decisions.facts import Fact, Standing
from firstlight.decisions.records import RECORDED, FromRecords, from_records
from firstlight.wiring.explaining import explain_inputs
from tests.explain.pod import cluster
from tests.explain.telling import FRONT, LOADED, LOADS, READY, ROUTE, UP, line, one, whole
from tests.strategies import evidence

CASE = Path(__file__).resolve().parents[2] / "examples" / "reference-case"


def read(*starts: Start, wanted: frozenset[str] = RECORDED) -> FromRecords:
    return from_records(starts, wanted=wanted)


def values(found: FromRecords) -> dict[str, object]:
    return {name: fact.value for name, fact in found.facts.items()}


def example(folder: str) -> Start:
    (start,) = explain_inputs([str(CASE / folder)])
    return start


def test_the_reference_case_is_read_out_of_its_artefacts() -> None:
    """Weights through a mount say nothing about streaming, and no cache was fetched."""
    expected = {
        "node_provisioning_s": 30,
        "image_pull_s": 65.1,
        "process_init_s": 39,
        "weight_load_s": 127.6,
        "engine_init_s": 93.9,
        "total_s": 428,
        "vllm_minor": 26,
    }

    found = read(
        example("cold-baseline"),
        wanted=frozenset({*expected, "stream_gbps", "cache_pull_s", "wake_s", "warm_restart_s"}),
    )

    assert expected == values(found)


def test_a_streamed_start_says_how_fast_the_stream_is() -> None:
    """By bytes and seconds that the engine printed."""
    streamed, wanted = example("cold-all"), frozenset({"stream_gbps"})
    (transfer,) = (t for t in streamed.transfers if t.what == "weights")

    assert {"stream_gbps": round(transfer.gbps, 3)} == values(read(streamed, wanted=wanted))
    assert transfer.gbps > 13.6
    assert {} == values(read(replace(streamed, signs={}), wanted=wanted))


@pytest.mark.parametrize(
    ("before", "told"),
    [
        ("non-default args: {'model': 's3://b/m', 'load_format': 'runai_streamer'}", True),
        ("non-default args: {'model': '/models/m', 'load_format': 'runai_streamer'}", False),
        ("Time spent downloading weights for m: 30.500000 seconds", False),
    ],
    ids=["a bucket", "a mounted folder", "a download"],
)
def test_a_streamer_streams_only_from_a_bucket(before: str, told: bool) -> None:
    """One rule with `explain`: what reads files of a disk or a mount is no stream."""
    size = line(12, "Filesystem type for checkpoints: EXT4. Checkpoint size: 31.20 GiB. x")
    streamer = (
        "[RunAI Streamer] Overall time to stream 31.2 GiB of all files to cpu: 17.5s, 1.8 GiB/s"
    )
    front, _, *rest = whole()
    start = one(
        front,
        line(1, before, by=FRONT),
        *rest[:2],
        size,
        f"(EngineCore pid=7) {streamer}",
        *rest[2:],
    )

    assert told == (Sign.WEIGHTS_STREAMED in start.signs)
    assert told != (Sign.WEIGHTS_FROM_FILES in start.signs)
    assert told == ("stream_gbps" in values(read(start, wanted=frozenset({"stream_gbps"}))))


def test_a_new_node_is_told_by_a_sign_as_in_explain() -> None:
    """Also where its making is no phase; such a start is not put into one number with others."""
    kept = one(*whole())
    made = replace(kept, signs={**kept.signs, Sign.NODE_WAS_MADE: (evidence(),)})

    found = read(kept, made, wanted=frozenset({"total_s"}))

    assert {} == values(found)
    (note,) = found.notes
    assert "on a new node" in note
    assert "on a node that was there" in note


def test_weights_from_files_are_no_stream() -> None:
    """However fast they came."""
    size = line(12, "Filesystem type for checkpoints: EXT4. Checkpoint size: 31.20 GiB. x")
    start = one(*whole()[:3], size, *whole()[3:])

    assert start.transfers
    assert {} == values(read(start, wanted=frozenset({"stream_gbps"})))


def loading(seconds: int, source: str = "run") -> Start:
    """A start that loads its weights for so long."""
    begins, ends = line(14, LOADS), line(14 + seconds, "Loading weights took 1.00 seconds")
    behind = [line(14 + seconds, LOADED), line(95, READY), line(97, ROUTE, by=FRONT), UP]
    return replace(one(*whole()[:3], begins, ends, *behind), source=source)


def test_of_several_starts_the_median_counts_and_their_number_is_said() -> None:
    """By the name of the first, and so many more."""
    starts = [loading(20, "runs/1"), loading(50, "runs/2"), loading(30, "runs/3")]

    assert {
        "weight_load_s": Fact(
            name="weight_load_s",
            value=30,
            source="runs/1 and 2 more, median of 3",
            standing=Standing.RECORDS,
        )
    } == read(*starts, wanted=frozenset({"weight_load_s"})).facts


def test_a_start_that_did_not_come_up_says_nothing() -> None:
    """It took as long as it took to fail."""
    failed = replace(loading(60), outcome=Outcome.FAILED)

    found = read(loading(20), failed, wanted=frozenset({"weight_load_s"}))

    assert {"weight_load_s": 20} == values(found)
    assert ("1 of 2 starts did not come up and are left out",) == found.notes


def test_starts_of_two_kinds_have_no_number_in_common() -> None:
    """A median over starts that filled a cache and such that hit it would mean nothing."""
    starts = [example("cold-baseline"), example("cold-all")]

    found = read(*starts, wanted=frozenset({"engine_init_s", "node_provisioning_s"}))

    assert {"node_provisioning_s": 30} == values(found)
    (note,) = found.notes
    assert (
        "engine_init_s is not taken from the records: they mix starts with the compile cache fill "
        "and with the compile cache hit, which have no number in common" == note
    )


@pytest.mark.parametrize(("sign", "seconds"), [(Sign.CACHE_RESTORED, 5), (None, None)])
def test_a_cache_was_fetched_only_where_the_container_said_so(
    sign: Sign | None, seconds: float | None
) -> None:
    """It ends well whatever happened; five seconds of giving up are no download."""
    restores = RESTORES_CACHE
    start = cluster.one(
        cluster.pod(created=0, scheduled=1, started=20, ready=43, init=[(restores, 4, 9)]),
        cluster.scheduled(1.25),
        cluster.arrival(2, 3.5, 3.75, 4, container=restores, init=True),
        cluster.arrival(10, 19, 19.5, 20, container="vllm"),
    )
    signs = {sign: (evidence(),)} if sign else {}
    shown = replace(start, signs=signs, outcome=Outcome.READY)

    assert seconds == values(read(shown)).get("cache_pull_s")


def test_an_image_that_lay_there_says_nothing_about_pulling_it() -> None:
    """And of two images that were pulled, the engine's counts."""
    pulled = cluster.one(
        cluster.pod(created=0, scheduled=1, started=20, ready=43, init=[("fetch", 4, 9)]),
        cluster.scheduled(1.25),
        cluster.arrival(2, 3.5, 3.75, 4, container="fetch", init=True),
        cluster.arrival(10, 19, 19.5, 20, container="vllm"),
        logs={
            "logs/vllm-0/vllm.log": cluster.engine_log(20.5, load=25, weights=31, ready=37, up=40)
        },
    )
    wanted = frozenset({"image_pull_s"})

    assert {"image_pull_s": 9} == values(read(pulled, wanted=wanted))
    assert {} == values(read(replace(pulled, signs={}), wanted=wanted))


def test_only_what_is_asked_for_is_looked_up() -> None:
    """So nobody reads notes about facts that no condition names."""
    start = replace(example("cold-baseline"), effects=())

    assert FromRecords() == read(start, wanted=frozenset({"hit_rate"}))


def test_a_start_that_shows_a_technique_at_work_is_named() -> None:
    """By its effects; not one that failed, nor what was not applied, and each start once."""

    def showing(source: str, **states: EffectState) -> Start:
        effects = (Effect(technique=t, state=state, says="") for t, state in states.items())
        return replace(loading(20), source=source, effects=tuple(effects))

    good = showing("good", streaming=EffectState.APPLIED, cache=EffectState.NOT_APPLIED)
    raced = showing("raced", streaming=EffectState.RACED)
    failed = replace(showing("failed", streaming=EffectState.APPLIED), outcome=Outcome.FAILED)

    found = from_records([good, good, raced, failed], wanted=frozenset())

    assert {"streaming": ("good",)} == found.at_work

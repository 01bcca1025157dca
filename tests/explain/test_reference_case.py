"""The published case out of raw artefacts: its figures, and names for the rest of it."""

import runpy
from pathlib import Path

import pytest

from firstlight.core.starts import Start
from firstlight.wiring.explaining import explain_inputs, with_pulls_judged

CASE = Path(__file__).resolve().parents[2] / "examples" / "reference-case"


def phases(start: Start) -> dict[str, float]:
    return {span.name: round(span.length_ns / 1e9, 1) for span in start.phases}


def explained(folder: str) -> Start:
    (start,) = explain_inputs([str(CASE / folder)], link_gbps=50)
    return start


def test_the_cold_start_of_428_seconds_has_no_other_left() -> None:
    """30 / 65.1 / 127.6 / 93.9 as published; `other` is 39, 46, 15, 4 and 7."""
    start = explained("cold-baseline")

    assert {
        "node_provisioning": 30.0,
        "image_pull": 65.1,
        "weight_load": 127.6,
        "engine_init": 93.9,
        "process_init": 39.0,
        "api_start": 46.0,
        "scheduling": 15.0,
        "container_setup": 4.0,
        "readiness_lag": 7.4,
    } == phases(start)
    assert start.total is not None
    assert [428.0, 10.0] == [
        start.total.timeline.length_ns / 1e9,
        start.total.uncertainty_ns / 1e9,
    ]


@pytest.mark.parametrize(
    ("folder", "total_s"), [("warm-baseline", 314.0), ("cold-all", 226.0), ("warm-all", 133.0)]
)
def test_the_other_totals_are_the_published_ones(folder: str, total_s: float) -> None:
    """Each with the probe's ten seconds of doubt."""
    total = explained(folder).total

    assert total is not None
    assert [total_s, 10.0] == [total.timeline.length_ns / 1e9, total.uncertainty_ns / 1e9]


def test_cold_and_warm_differ_by_node_scheduling_and_image() -> None:
    """114 = 45 + 65 + 4 or so: weights and compile come back with every restart."""
    cold, warm = phases(explained("cold-baseline")), phases(explained("warm-baseline"))

    assert {"node_provisioning", "image_pull"} == set(cold) - set(warm)
    assert [127.6, 93.9] == [warm["weight_load"], warm["engine_init"]]


def test_the_used_bandwidth_is_the_published_one() -> None:
    """2.1 of 50 Gbps through the mount; streamed, the weights are no slower than 13.6."""
    mounted, streamed = (
        [t for t in explained(folder).transfers if t.what == "weights"]
        for folder in ("cold-baseline", "cold-all")
    )

    assert [2.1] == [round(t.gbps, 1) for t in mounted]
    assert [True] == [t.gbps > 13.6 for t in streamed]


def test_the_cache_was_filled_by_the_baseline_and_hit_after() -> None:
    """By the engine's own words."""
    verdicts = [explained(f).compile_cache.verdict.value for f in ("cold-baseline", "cold-all")]

    assert ["fill", "hit"] == verdicts


def test_most_of_the_baseline_is_at_stake_for_three_techniques() -> None:
    """Streaming, a node that is kept (a pre-pull is for a part of the same), a published cache."""
    cold = explained("cold-baseline").at_stake or ()

    assert {"stream-weights": 108, "node-retention": 95, "compile-cache-published": 63} == {
        s.technique: s.seconds_ns // 10**9 for s in cold
    }
    assert (
        "firstlight render deployment/vllm -n inference "
        "--technique compile-cache-published --set cache_uri=s3://BUCKET/PREFIX "
        "--set firstlight_image=FIRSTLIGHT_IMAGE --set trusted_key=TRUSTED_KEY" == cold[2].show
    )


def test_without_a_new_node_it_is_the_local_cache_and_no_image() -> None:
    """A warm restart waits for neither node nor image."""
    warm = explained("warm-baseline").at_stake or ()

    assert ["stream-weights", "compile-cache-local"] == [s.technique for s in warm][:2]
    assert {"image-prepull", "node-retention"}.isdisjoint(s.technique for s in warm)


def test_what_is_at_work_is_no_longer_at_stake() -> None:
    """Streamed and hit, by the engine's words; the pull was raced, by the baseline's rate."""
    (start,) = with_pulls_judged(
        [explained("cold-all")], baseline=[str(CASE / "cold-baseline")], prepulled=None
    )
    states = {one.technique: one.state.value for one in start.effects}

    assert {
        "stream-weights": "applied",
        "compile-cache-local": "applied",
        "image-prepull": "raced",
        "node-retention": "not applied",
    }.items() <= states.items()
    assert {"stream-weights", "compile-cache-local", "compile-cache-published"}.isdisjoint(
        s.technique for s in start.at_stake or ()
    )


def test_what_nobody_ran_is_called_an_estimate(capsys: pytest.CaptureFixture[str]) -> None:
    """About 258 s, from 226 and what the pre-pull bought; the totals are measured."""
    script = runpy.run_path(str(CASE / "tables.py"))

    assert 0 == script["main"]()
    printed = capsys.readouterr().out
    assert "measured, in seconds" in printed
    assert "estimate, nobody ran it" in printed
    without, bought = script["estimate"]({c: script["explained"](c) for c in script["CASES"]})
    assert [259, 33] == [round(without), round(bought)]

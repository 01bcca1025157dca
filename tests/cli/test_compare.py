"""`firstlight compare` as a process: what it says, refuses, and how it exits."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.cli.console import firstlight, said

# A process of its own takes its time to start on a busy machine.
pytestmark = pytest.mark.timeout(60)

HIT = "Directly load the compiled graph(s) for shape None from the cache, took {} s"
FILL = "Compiling a graph for general shape takes {} s"


def log(
    path: Path,
    *,
    weights_s: int,
    compile_s: int,
    compiles: bool,
    load_format: str = "auto",
    minute: int = 0,
) -> Path:
    """One start of vLLM 0.9.2, in words made from its format strings."""
    lines, at = [], minute * 60

    def say(after_s: int, words: str) -> None:
        nonlocal at
        at += after_s
        clock = f"{9 + at // 3600:02}:{at // 60 % 60:02}:{at % 60:02}"
        lines.append(f"INFO 06-03 {clock} [a.py:1] {words}")

    say(0, "vLLM API server version 0.9.2")
    is_streamed = load_format == "runai_streamer"
    model = "s3://bucket/m" if is_streamed else "/m"
    say(0, f"non-default args: {{'model': '{model}', 'load_format': '{load_format}'}}")
    config = f"model='{model}', enforce_eager=False"
    say(9, f"Initializing a V1 LLM engine (v0.9.2) with config: {config}")
    say(11, f"Starting to load model {model}...")
    if is_streamed:
        told = f"Overall time to stream 14.9 GiB of all files to cpu: {weights_s}s, 1 GiB/s"
        lines.append(f"[RunAI Streamer] {told}")
    say(weights_s, f"Loading weights took {weights_s}.00 seconds")
    say(0, f"Model loading took 14.99 GiB and {weights_s}.50 seconds")
    if compiles:
        say(3, "Cache the graph of shape None for later use")
    say(compile_s, (FILL if compiles else HIT).format(f"{compile_s}.00"))
    say(12, "Graph capturing finished in 12 secs, took 0.55 GiB")
    say(0, "init engine (profile, create kv cache, warmup model) took 40.00 seconds")
    say(2, "Starting vLLM API server 0 on http://0.0.0.0:8000")
    lines.append("INFO:     Application startup complete.")
    path.write_text("\n".join(lines) + "\n")
    return path


def rounds(folder: Path, weights_s: Sequence[int], *, minute: int, **kind: Any) -> list[Path]:
    folder.mkdir()
    return [
        log(folder / f"{n}.log", weights_s=w, minute=minute + 20 * n, **kind)
        for n, w in enumerate(weights_s)
    ]


def sets(first: Sequence[Path], second: Sequence[Path]) -> list[str]:
    more = [
        (f"--{side}", str(path))
        for side, paths in (("a", first), ("b", second))
        for path in paths[1:]
    ]
    return [str(first[0]), str(second[0]), *(word for pair in more for word in pair)]


def compared(*arguments: str, code: int) -> dict[str, Any]:
    done = firstlight("compare", *arguments, "--output", "json")
    assert "" == said(done)
    assert code == done.returncode
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def changes(document: dict[str, Any]) -> dict[str, float]:
    return {one["name"]: round(one["difference_s"]) for one in document["metrics"]}


def test_the_trap_streaming_that_looks_slower_for_a_compile(tmp_path: Path) -> None:
    """Its start compiled and the other found its graphs: refused, and told where the loss is."""
    files = log(tmp_path / "files.log", weights_s=65, compile_s=7, compiles=False)
    streamed = log(
        tmp_path / "streamed.log",
        weights_s=23,
        compile_s=89,
        compiles=True,
        load_format="runai_streamer",
    )

    found = compared(str(files), str(streamed), "--technique", "stream-weights", code=1)

    assert "not comparable" == found["verdict"]
    assert ["they differ in compile cache (hit and fill)"] == found["against"]
    assert (43, -42, 85) == tuple(
        changes(found)[name] for name in ("total", "weight_load", "engine_init")
    )
    assert any("engine_init +85.0 s, weight_load -42.0 s" in note for note in found["notes"])


def test_sets_of_rounds_get_a_verdict(tmp_path: Path) -> None:
    """Five against five, the change declared by its card: weights are faster, and all of it is."""
    kind = {"compile_s": 7, "compiles": False}
    before = rounds(tmp_path / "mount", (65, 66, 67, 68, 70), minute=0, **kind)
    after = rounds(
        tmp_path / "stream",
        (23, 24, 25, 26, 28),
        minute=10,
        load_format="runai_streamer",
        **kind,
    )

    found = compared(*sets(before, after), "--technique", "stream-weights", code=0)

    assert ("faster", 5, 5) == (
        found["verdict"],
        found["first"]["rounds"],
        found["second"]["rounds"],
    )
    told = {one["name"]: one for one in found["metrics"]}
    assert "faster" == told["weight_load"]["verdict"]
    assert told["weight_load"]["high_s"] < -30
    assert [] == found["also_moved"]
    assert not any("let them take turns" in note for note in found["notes"])


def test_a_technique_that_took_no_effect_is_not_called_faster(tmp_path: Path) -> None:
    """Every round compiled; the shorter ones are a faster machine's, not the cache's."""
    before = rounds(tmp_path / "a", (65, 66, 67, 68), minute=0, compile_s=89, compiles=True)
    after = rounds(tmp_path / "b", (65, 66, 67, 68), minute=10, compile_s=40, compiles=True)

    words = sets(before, after)
    found = compared(*words, "--technique", "compile-cache-local", code=1)
    undeclared = compared(*words, code=0)

    assert ("not applied", True) == (found["verdict"], found["not_applied"])
    assert {
        "technique": "compile-cache-local",
        "rounds": {"not applied": 4},
        "says": ["cache-missed"],
    } == found["effect"]
    assert ("faster", False) == (undeclared["verdict"], "effect" in undeclared)
    assert any("asks no engine what it serves" in note for note in undeclared["notes"])


def test_a_phase_that_no_log_shows_has_no_verdict(tmp_path: Path) -> None:
    """Logs know of no node."""
    kind = {"compile_s": 7, "compiles": False}
    before = rounds(tmp_path / "a", (65, 66, 67, 68), minute=0, **kind)
    after = rounds(tmp_path / "b", (65, 67, 68, 69), minute=10, **kind)

    found = compared(*sets(before, after), "--phase", "node_provisioning", code=0)

    told = next(one for one in found["metrics"] if one["name"] == "node_provisioning")
    assert (False, "not seen in these rounds") == (told["seen"], told["verdict"])


def test_rounds_of_a_plan_are_fills_or_results_by_their_label(tmp_path: Path) -> None:
    """A fill is no result where it is alone; a result that compiled is one, and a bad one."""
    hit: dict[str, Any] = {"compile_s": 7, "compiles": False}
    fill: dict[str, Any] = {"compile_s": 89, "compiles": True}
    for name, at in (("00-base", 0), ("01-other", 10)):
        rounds(tmp_path / f"{name}-warm-fill", (60, 61, 62, 63), minute=at, **fill)
        rounds(tmp_path / f"{name}-warm", (65, 66, 67, 68), minute=at + 100, **hit)
        log(tmp_path / f"{name}-warm" / "first.log", weights_s=64, minute=at + 90, **fill)

    def sides(label: str) -> list[str]:
        return [str(tmp_path / f"{name}-{label}") for name in ("00-base", "01-other")]

    fills, results = compared(*sides("warm-fill"), code=1), compared(*sides("warm"), code=1)

    assert ("too few rounds", 0, 4) == (
        fills["verdict"],
        fills["first"]["rounds"],
        len(fills["first"]["left_out"]),
    )
    assert ("not comparable", 5, []) == (
        results["verdict"],
        results["first"]["rounds"],
        results["first"]["left_out"],
    )
    assert "not of one kind: they differ in compile cache (fill and hit)" in results["against"][0]


def test_sets_that_ran_one_after_the_other_are_told_so(tmp_path: Path) -> None:
    kind = {"compile_s": 7, "compiles": False}
    before = rounds(tmp_path / "a", (65, 66, 67, 68), minute=0, **kind)
    after = rounds(tmp_path / "b", (65, 67, 68, 69), minute=200, **kind)

    found = compared(*sets(before, after), code=0)

    assert "no difference seen" == found["verdict"]
    assert any("let them take turns" in note for note in found["notes"])


def test_three_rounds_are_too_few(tmp_path: Path) -> None:
    kind = {"compile_s": 7, "compiles": False}
    before = rounds(tmp_path / "a", (65, 66, 67), minute=0, **kind)
    after = rounds(tmp_path / "b", (23, 24, 25), minute=10, **kind)

    done = firstlight("compare", *sets(before, after))

    assert 1 == done.returncode
    assert "too few rounds" in done.stdout.decode()


def test_what_changed_must_be_a_name(tmp_path: Path) -> None:
    one = str(log(tmp_path / "a.log", weights_s=20, compile_s=7, compiles=False))

    done = firstlight("compare", one, one, "--changed", "machine imag")

    assert 2 == done.returncode
    assert "no part of a fingerprint is called machine imag" in said(done)
    assert "did you mean machine image?" in said(done)


def test_a_start_is_not_held_against_itself(tmp_path: Path) -> None:
    one = str(log(tmp_path / "a.log", weights_s=20, compile_s=7, compiles=False))

    found = compared(one, one, code=1)

    assert ["the same start stands on both sides (" + one + ")"] == found["against"]


def test_what_varies_is_pooled_where_that_is_said(tmp_path: Path) -> None:
    """Refused otherwise; what was said to vary must be a name, and have varied."""
    kind: dict[str, Any] = {"compile_s": 7, "compiles": False}
    before, after = tmp_path / "a", tmp_path / "b"
    for folder in (before, after):
        folder.mkdir()
    pairs = {
        side: [
            log(
                folder / f"{n}.log",
                weights_s=65 + n + extra,
                minute=20 * n + 10 * extra,
                load_format=("auto", "fast")[n % 2],
                **kind,
            )
            for n in range(4)
        ]
        for side, folder, extra in (("a", before, 0), ("b", after, 1))
    }
    words = sets(pairs["a"], pairs["b"])

    refused = compared(*words, code=1)
    pooled = compared(*words, "--may-vary", "argument:--load-format", code=0)
    told = firstlight("compare", *words, "--may-vary", "argument:--load-*", "--may-vary", "zone")
    wrong = firstlight("compare", *words, "--may-vary", "zoen")

    assert "not comparable" == refused["verdict"]
    assert "no difference seen" == pooled["verdict"]
    counts = {"auto": 2, "fast": 2}
    assert [{"name": "argument:--load-format", "first": counts, "second": counts}] == (
        pooled["varying"]
    )
    text = " ".join(told.stdout.decode().split())
    assert "has 2 in auto, 2 in fast; " in text
    assert "zone was said to vary, and is not let through" in text
    assert 2 == wrong.returncode
    assert "did you mean zone?" in said(wrong)

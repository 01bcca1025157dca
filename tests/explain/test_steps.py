"""What happened inside a phase, told by the log alone."""

import pytest

from firstlight.core.units import NS_PER_S
from firstlight.explain.axis import choose_axis
from firstlight.explain.steps import BETWEEN, PRINTED, steps_of
from tests.explain.telling import BANNER, CORE, ENGINE, FRONT, LOADS, WEIGHTS, groups, line

WORKER = "Worker_TP0 pid=11"


def steps(*lines: str) -> list[tuple[str, float]]:
    """Each named stretch with its seconds, in order of their beginnings."""
    (group,) = groups(*lines)
    axis = choose_axis("a.log", [o.line for o in group.observations])
    found = sorted(steps_of(group, axis, []), key=lambda a: (a.start_ns, a.depth))
    return [(a.path[0], (a.end_ns - a.start_ns) / NS_PER_S) for a in found]


@pytest.mark.parametrize(
    ("before", "after", "name"),
    [
        (
            line(0, BANNER, by=FRONT),
            line(9, "Resolved architecture: L", by=FRONT),
            "front end: arguments and model config",
        ),
        (
            line(0, "Using max model len 8192", by=FRONT),
            line(9, "Waiting for init message from front-end."),
            "engine core: spawn, interpreter and imports",
        ),
        (
            line(0, "rank 0 in world size 1 is assigned as DP rank 0"),
            line(9, LOADS),
            "worker: device and process group",
        ),
        (
            line(0, LOADS),
            line(9, "Using FLASH_ATTN attention backend out of potential backends: ['x']"),
            "module construction",
        ),
        (
            line(0, "Encoder cache will be initialized with a budget of 9 tokens"),
            line(9, "Using cache directory: /c for vLLM's torch.compile"),
            "encoder profiling",
        ),
        (
            line(0, "Profiling CUDA graph memory: PIECEWISE=51 (largest=512)"),
            line(9, "Estimated CUDA graph memory: 0.64 GiB total"),
            "graph memory profiling",
        ),
        (
            line(0, "Warming up model for the compilation..."),
            line(9, "Warming up done."),
            "warm-up run, with compile or cache load",
        ),
        (
            line(0, "GPU KV cache size: 9 tokens"),
            line(9, "init engine (profile, create kv cache, warmup model) took 1.00 s"),
            "KV cache allocation",
        ),
        (
            line(0, "Supported tasks: ['generate']", by=FRONT),
            line(9, "Starting vLLM server on http://0.0.0.0:8000", by=FRONT),
            "renderer and chat template",
        ),
    ],
)
def test_two_neighbours_name_what_lies_between(before: str, after: str, name: str) -> None:
    """Where vLLM's source leaves no doubt."""
    assert (name, 9) in steps(before, after)


def test_the_first_word_of_a_process_ends_its_birth() -> None:
    """Whoever spoke before was waiting for it."""
    assert [
        ("engine core: spawn, interpreter and imports", 8.0),
        ("worker: spawn, interpreter and imports", 14.0),
    ] == steps(
        line(0, "x", by=FRONT),
        line(8, "y", by=CORE),
        line(22, "z", by=WORKER),
    )


def test_a_printed_duration_names_the_time_before_its_line() -> None:
    """However many lines lie in between."""
    assert [("read weights", 19.8)] == steps(line(40, WEIGHTS))


def test_no_duration_is_no_step() -> None:
    """Nothing took no time, and nothing lies between two lines of one second."""
    assert [] == steps(line(40, "Loading weights took 0.00 seconds"))
    assert [] == steps(
        line(0, "Warming up model for the compilation..."), line(0, "Warming up done.")
    )


def test_strangers_name_nothing() -> None:
    """Two lines that do not follow each other in the source are no step."""
    assert [] == steps(line(0, ENGINE), line(9, "Supported tasks: ['x']", by=""))


def test_lines_without_a_time_name_nothing() -> None:
    """A pasted message has only its words."""
    assert [] == steps("Warming up model for the compilation...", "Warming up done.", WEIGHTS)


def test_a_step_quotes_both_its_ends() -> None:
    """What proves the beginning, then what proves the end."""
    (group,) = groups(
        line(0, "Warming up model for the compilation..."), line(9, "Warming up done.")
    )
    axis = choose_axis("a.log", [o.line for o in group.observations])
    (step,) = steps_of(group, axis, [])

    assert [1, 2] == [e.line for e in step.evidence]


def test_names_are_not_given_twice_for_one_pair() -> None:
    """The first rule that fits decides; a second for the same two lines would never be used."""
    pairs = [(a, b) for rule in BETWEEN for a in rule.after for b in rule.before]
    later = {pair for pair in pairs if pairs.count(pair) > 1}
    names = {
        pair: {r.name for r in BETWEEN if pair[0] in r.after and pair[1] in r.before}
        for pair in later
    }

    assert {} == {pair: name for pair, name in names.items() if len(name) > 1}
    assert len(PRINTED) == len(dict(PRINTED))

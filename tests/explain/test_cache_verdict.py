"""What the compile cache did, and what proves it."""

import pytest

from firstlight.core.evidence import Evidence
from firstlight.core.starts import CacheVerdict, CompileCache
from firstlight.explain.cache_verdict import CacheWitness, judge
from tests.explain.telling import BANNER, CORE, ENGINE, FRONT, groups, line

COMPILED = "Compiling a graph for compile range (1, 8192) takes 6.40 s"
CACHED = "Cache the graph of compile range (1, 8192) for later use"
SAVED = "saved AOT compiled function to /cache/model"
READ = (
    "Directly load the compiled graph(s) for compile range (1, 8192) from the cache, took 2.125 s"
)
AOT = "Directly load AOT compilation from path /cache/model"
AGAIN = "Compiling model again due to a load failure from /cache/model, reason: corrupted."
NOT_SAVED = "unable to save AOT compiled function to /cache/model: read-only"
FOLDER = "Using cache directory: /cache/head for vLLM's torch.compile"
NO_CACHE = "vLLM's torch.compile cache is disabled."
LOOK_UP = "Directly lookup the graph for shape None from the cache"
TOTAL = "torch.compile took 9.75 s in total"


def judged(*said: str, witness: CacheWitness | None = None) -> CompileCache:
    """The verdict on an engine that says this."""
    (group,) = groups(line(0, "x"), *(line(n, text) for n, text in enumerate(said, 1)))
    return judge(group, witness or CacheWitness())


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ([CACHED, COMPILED, TOTAL], CacheVerdict.FILL),
        ([COMPILED, SAVED], CacheVerdict.FILL),
        ([CACHED, COMPILED, NOT_SAVED], CacheVerdict.FILL),
        ([COMPILED, TOTAL], CacheVerdict.MISS),
        ([NO_CACHE, COMPILED], CacheVerdict.MISS),
        ([COMPILED, NOT_SAVED], CacheVerdict.MISS),
        ([FOLDER, READ, TOTAL], CacheVerdict.HIT),
        ([AOT, TOTAL], CacheVerdict.HIT),
        ([READ, AOT, FOLDER, READ], CacheVerdict.HIT),
        ([LOOK_UP, COMPILED, TOTAL], CacheVerdict.HIT),
        ([READ, COMPILED, TOTAL], CacheVerdict.MISS),
        ([AGAIN, CACHED, COMPILED, SAVED], CacheVerdict.BROKEN),
        ([AOT, AGAIN, COMPILED], CacheVerdict.BROKEN),
        ([FOLDER, TOTAL], CacheVerdict.UNKNOWN),
        ([TOTAL], CacheVerdict.UNKNOWN),
        ([], CacheVerdict.UNKNOWN),
    ],
)
def test_the_engines_own_lines(said: list[str], verdict: CacheVerdict) -> None:
    """Loaded, compiled and written, compiled only, tried to load; never from seconds."""
    assert verdict is judged(*said).verdict


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ([FOLDER, READ, FOLDER, CACHED, COMPILED], CacheVerdict.FILL),
        ([FOLDER, CACHED, COMPILED, FOLDER, READ], CacheVerdict.FILL),
        ([FOLDER, READ, FOLDER, COMPILED], CacheVerdict.MISS),
        ([AOT, FOLDER, AGAIN], CacheVerdict.BROKEN),
    ],
)
def test_a_start_has_the_worst_of_its_parts(said: list[str], verdict: CacheVerdict) -> None:
    """A backbone and a drafter's head are compiled each for itself."""
    assert verdict is judged(*said).verdict


def test_saying_once_that_a_graph_is_kept_holds_for_all_parts() -> None:
    """0.13 to 0.31 print that line once per process: a second part has none to print."""
    assert CacheVerdict.FILL is judged(FOLDER, CACHED, COMPILED, FOLDER, COMPILED).verdict
    assert (
        CacheVerdict.MISS is judged(FOLDER, CACHED, COMPILED, FOLDER, COMPILED, NOT_SAVED).verdict
    )


def test_each_rank_is_a_part() -> None:
    """One loads, the other compiles: the start waited for the other."""
    (group,) = groups(
        line(0, READ, by="Worker_TP0 pid=11"), line(0, COMPILED, by="Worker_TP1 pid=12")
    )

    assert CacheVerdict.MISS is judge(group, CacheWitness()).verdict


def test_the_reason_for_a_broken_cache_is_the_engines() -> None:
    """And the line that says so is the evidence."""
    cache = judged(AGAIN, COMPILED)

    assert cache.reason.endswith("corrupted.")
    assert "Compiling model again" in cache.evidence[0].text


@pytest.mark.parametrize(
    "said",
    [
        line(0, ENGINE.replace("eager=False", "eager=True")),
        line(0, ENGINE + ", compilation_config={'mode': <CompilationMode.NONE: 0>}"),
        line(0, ENGINE + ', compilation_config={"level":0}'),
        line(0, "non-default args: {'enforce_eager': True}", by=FRONT),
        line(0, "args: Namespace(enforce_eager=True)", by=FRONT),
        line(0, "Enforce eager set, disabling torch.compile and CUDAGraphs.", by=FRONT),
        line(0, "Enforce eager set, overriding optimization level to -O0", by=FRONT),
        line(0, "Cudagraph is disabled under eager mode", by=FRONT),
        "$ vllm serve m --enforce-eager",
        "$ vllm serve m -O0",
    ],
)
def test_compiling_may_be_switched_off(said: str) -> None:
    """By the config that the engine prints, by arguments, by the command itself."""
    (group,) = groups(said)

    assert CacheVerdict.OFF is judge(group, CacheWitness()).verdict


@pytest.mark.parametrize(
    "said",
    [
        line(
            0, "To run the model in eager mode, set 'enforce_eager=True' or use '--enforce-eager'"
        ),
        line(0, ENGINE),
        line(0, ENGINE.replace("V1", "V0") + ', compilation_config={"level":0}'),
        line(0, BANNER, by=FRONT),
        "$ vllm serve m -O3",
    ],
)
def test_advice_is_no_setting(said: str) -> None:
    """And V0 compiled only when asked to, so that it does not says nothing."""
    (group,) = groups(said)

    assert CacheVerdict.UNKNOWN is judge(group, CacheWitness()).verdict


@pytest.mark.parametrize(
    "said", ["Warmup finished in 49 secs", "Loading model with MODEL_IMPL_TYPE=flax_nnx"]
)
def test_engines_without_torch_compile(said: str) -> None:
    """Gaudi's and JAX's compile otherwise."""
    assert CacheVerdict.NOT_APPLICABLE is judged(said).verdict


@pytest.mark.parametrize(
    ("witness", "verdict", "proof"),
    [
        (CacheWitness(counters={"fxgraph_cache_hit": 3}), CacheVerdict.HIT, "probe"),
        (
            CacheWitness(counters={"fxgraph_cache_miss": 3}, new_files=5),
            CacheVerdict.FILL,
            "probe",
        ),
        (CacheWitness(counters={"fxgraph_cache_miss": 3}), CacheVerdict.MISS, "probe"),
        (CacheWitness(new_files=5), CacheVerdict.FILL, "listing"),
        (CacheWitness(new_files=0), CacheVerdict.HIT, "listing"),
        (CacheWitness(), CacheVerdict.UNKNOWN, "none"),
    ],
)
def test_witnesses_speak_where_the_engine_is_silent(
    witness: CacheWitness, verdict: CacheVerdict, proof: str
) -> None:
    """Counters before listings."""
    cache = judged(witness=witness)

    assert (verdict, proof) == (cache.verdict, cache.proof)


def test_the_engines_word_comes_first() -> None:
    """A witness does not overrule it."""
    seen = Evidence(artefact="listing", text="5 new")
    cache = judged(AOT, witness=CacheWitness(new_files=5, listing_evidence=seen))

    assert (CacheVerdict.HIT, "engine") == (cache.verdict, cache.proof)
    assert seen not in cache.evidence


def test_a_process_is_known_by_name_and_id() -> None:
    """Lines of one engine core are one story, whatever others say in between."""
    (group,) = groups(line(0, CACHED, by=CORE), line(1, "x", by=FRONT), line(2, COMPILED, by=CORE))

    assert CacheVerdict.FILL is judge(group, CacheWitness()).verdict

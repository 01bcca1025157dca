"""
What the compile cache did, and what proves it.

Order of proof: the engine's own line; the counters that the probe read in the
worker; the cache folder before and after. Never the seconds: a fast start is no
proof of a hit, and a hit is no promise of a fast start.

A start may compile several parts (a backbone, a drafter's head) on several
ranks; each is a section, and the start has the worst of their verdicts.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from firstlight.core.evidence import Evidence
from firstlight.core.starts import WORST_FIRST, CacheVerdict, CompileCache
from firstlight.explain.group import Group
from firstlight.readers.vllm_log import Observation
from firstlight.readers.wordings.wording import Say

_BROKEN = frozenset({Say.AOT_BROKEN})
_WROTE = frozenset({Say.GRAPH_SAVED, Say.AOT_SAVED})
_LOADED = frozenset({Say.GRAPH_LOADED, Say.AOT_LOADED})
_COMPILED = frozenset({Say.GRAPH_COMPILED, Say.AOT_NOT_SAVED})
_EAGER = re.compile(r"\benforce_eager(?:=|': )True\b")
_NO_COMPILE = re.compile(r"CompilationMode\.NONE\b|[\"']level[\"']: ?0\b")
_TELLING = _BROKEN | _WROTE | _LOADED | _COMPILED

_WHY = {
    CacheVerdict.BROKEN: "a cached result was found and could not be loaded, so it compiled again",
    CacheVerdict.MISS: "it compiled, and nothing says that the result was written",
    CacheVerdict.FILL: "it compiled and wrote the result",
    CacheVerdict.HIT: "it loaded what was compiled before",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheWitness:
    """What others than the log know; empty where nobody looked."""

    counters: Mapping[str, int] | None = None
    """Inductor's own counts in the worker, by the probe."""
    counters_evidence: Evidence | None = None
    new_files: int | None = None
    """Files in the cache folders after the start that were not there before."""
    listing_evidence: Evidence | None = None


def judge(group: Group, witness: CacheWitness) -> CompileCache:
    """The verdict for one start."""
    told = [o for o in group.observations if o.say in _TELLING]
    if told:
        return _by_sections(group, told)
    if off := _switched_off(group):
        return CompileCache(
            verdict=CacheVerdict.OFF,
            reason="eager execution: nothing is compiled",
            proof="engine",
            evidence=(group.quote(off.line),),
        )
    if _other_accelerator(group):
        return CompileCache(
            verdict=CacheVerdict.NOT_APPLICABLE,
            reason="this engine does not use torch.compile",
            proof="engine",
        )
    return _by_witness(witness)


def _by_sections(group: Group, told: Sequence[Observation]) -> CompileCache:
    """The worst verdict over the compiled parts, each judged for itself."""
    verdicts = [(_of_section(s), s) for s in _sections(told, group)]
    if any(v is CacheVerdict.FILL for v, _ in verdicts):
        # `Cache the graph` is said once per process and range (0.13-0.31), and by one rank:
        # a part that only says it compiled was written like the others.
        verdicts = [
            (CacheVerdict.FILL if v is CacheVerdict.MISS and _only_compiled(s) else v, s)
            for v, s in verdicts
        ]
    verdict, section = min(verdicts, key=lambda v: WORST_FIRST.index(v[0]))
    by = next((o for o in section if _speaks_for(o.say) is verdict), section[0])
    reason = _WHY[verdict]
    if verdict is CacheVerdict.BROKEN and (said_why := by.values.get("reason")):
        reason = f"{reason}: {said_why}"
    return CompileCache(
        verdict=verdict, reason=reason, proof="engine", evidence=(group.quote(by.line),)
    )


def _of_section(section: Sequence[Observation]) -> CacheVerdict:
    said = {o.say for o in section}
    if said & _BROKEN:
        return CacheVerdict.BROKEN
    if said & _WROTE:
        return CacheVerdict.FILL
    loaded = [o for o in section if o.say in _LOADED]
    # Beside a look-up, 0.6 and 0.7 print a short `Compiling a graph` too. Later versions
    # print both only where they loaded one range and compiled another.
    if loaded and (not said & _COMPILED or any(map(_is_look_up, loaded))):
        return CacheVerdict.HIT
    return CacheVerdict.MISS


def _is_look_up(observation: Observation) -> bool:
    words = ("Directly lookup the graph", "Directly load the compiled graph for")
    return any(w in observation.line.message for w in words)


def _only_compiled(section: Sequence[Observation]) -> bool:
    return {o.say for o in section} == {Say.GRAPH_COMPILED}


def _speaks_for(say: Say) -> CacheVerdict:
    if say in _BROKEN:
        return CacheVerdict.BROKEN
    if say in _WROTE:
        return CacheVerdict.FILL
    if say in _LOADED:
        return CacheVerdict.HIT
    return CacheVerdict.MISS


def _sections(told: Sequence[Observation], group: Group) -> list[list[Observation]]:
    """Cut each process's lines where a new part begins: a folder, or a new trace."""
    telling = {id(o) for o in told}
    open_sections: dict[tuple[str, int | None], list[Observation]] = {}
    sections: list[list[Observation]] = []
    for observation in group.observations:
        who = (observation.line.process, observation.line.pid)
        if observation.say is Say.CACHE_FOLDER and open_sections.get(who):
            open_sections.pop(who)
        if id(observation) not in telling:
            continue
        if who not in open_sections:
            open_sections[who] = []
            sections.append(open_sections[who])
        open_sections[who].append(observation)
    return sections


def _switched_off(group: Group) -> Observation | None:
    """The line that says so: the engine's config, the arguments, the command, a warning.

    Advice to set it (`set 'enforce_eager=True'`) is none of these.
    """
    if group.first(Say.DYNAMO_TOOK, Say.COMPILE_TOOK):
        return None
    # The engine's config is what holds; a drafter's own setting may stand in the arguments.
    decided = any("enforce_eager=False" in o.values.get("config", "") for o in group.observations)
    for observation in group.observations:
        words = observation.values
        told = words.get("config", "") + ("" if decided else words.get("arguments", ""))
        if _EAGER.search(told) or (observation.say is Say.SHELL_SERVE and _asks_eager(observation)):
            return observation
        # V0 compiled only when asked to, so its level 0 says nothing.
        of_v1 = observation.say is Say.ENGINE_BEGINS and "V1" in observation.line.message[:40]
        if of_v1 and _NO_COMPILE.search(told):
            return observation
    return group.first(Say.EAGER)


def _asks_eager(observation: Observation) -> bool:
    return re.search(r"\s(?:--enforce-eager|-O ?0)(?=\s|$)", observation.line.message) is not None


def _other_accelerator(group: Group) -> bool:
    if group.first(Say.BUCKETS_WARMED):
        return True
    return any("MODEL_IMPL_TYPE" in o.line.message for o in group.says(Say.LOAD_BEGINS))


def _by_witness(witness: CacheWitness) -> CompileCache:
    counters, new_files = witness.counters or {}, witness.new_files
    hits = sum(n for name, n in counters.items() if name.endswith("cache_hit"))
    misses = sum(n for name, n in counters.items() if name.endswith("cache_miss"))
    evidence = tuple(e for e in (witness.counters_evidence, witness.listing_evidence) if e)
    if hits or misses:
        counted = f"Inductor counted {hits} hits and {misses} misses"
        if not misses:
            verdict = CacheVerdict.HIT
        elif new_files:
            verdict = CacheVerdict.FILL
            counted = f"{counted}, and {new_files} files are new in the cache folders"
        else:
            verdict = CacheVerdict.MISS
        return CompileCache(
            verdict=verdict,
            reason=counted,
            proof="probe",
            evidence=evidence,
            in_part=bool(hits and misses),
        )
    if new_files is not None:
        verdict = CacheVerdict.FILL if new_files else CacheVerdict.HIT
        reason = (
            f"{new_files} files are new in the cache folders"
            if new_files
            else "no file is new in the cache folders"
        )
        return CompileCache(verdict=verdict, reason=reason, proof="listing", evidence=evidence)
    return CompileCache(
        verdict=CacheVerdict.UNKNOWN,
        reason="no line says whether a cache was used; the CPU engine prints nothing on a hit",
        proof="none",
    )

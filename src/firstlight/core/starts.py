"""
A start, explained: what the rest of the product talks about.

One engine start, from the ask to the answer or to its failure. The timeline
holds what marks prove; the facts hold what the engine printed; the two are kept
apart and never averaged. Every statement carries its evidence.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from firstlight.core.activities import Activity
from firstlight.core.effects import Effect
from firstlight.core.evidence import Evidence
from firstlight.core.findings import Finding
from firstlight.core.fingerprints import Fingerprint
from firstlight.core.signs import Sign, Signs
from firstlight.core.stakes import Stake
from firstlight.core.timeline import Span, Stretch, Timeline


class Outcome(StrEnum):
    """How far the start came."""

    READY = "ready"
    FAILED = "failed"
    INCOMPLETE = "incomplete"
    """The input ends, or was cut, before the start did."""


class CacheVerdict(StrEnum):
    """What the compile cache did for this start; worst first where sections differ."""

    BROKEN = "broken"
    MISS = "miss"
    FILL = "fill"
    HIT = "hit"
    OFF = "off"
    NOT_APPLICABLE = "not_applicable"
    UNKNOWN = "unknown"


WORST_FIRST = (CacheVerdict.BROKEN, CacheVerdict.MISS, CacheVerdict.FILL, CacheVerdict.HIT)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileCache:
    """The verdict, why, and what proves it."""

    verdict: CacheVerdict
    reason: str
    proof: str
    """"engine" (its own line), "probe" (Inductor's counters), "listing" (the cache folder
    before and after), or "none"."""
    evidence: tuple[Evidence, ...] = ()
    in_part: bool = False
    """Whether some of it was loaded, as Inductor counted, and the rest compiled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why a start did not come up: the cause, not the last words."""

    kind: str
    message: str
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A number the engine printed, in the unit its name says, exactly as printed."""

    printed: str
    evidence: Evidence

    @property
    def value(self) -> float:
        return float(self.printed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sleep:
    """One falling asleep."""

    level: int | None
    """None where nothing in the input tells it."""
    seconds: Fact


FACT_NAMES = (
    "weights_s",
    "model_load_s",
    "download_s",
    "stream_s",
    "dynamo_s",
    "compile_s",
    "cache_load_s",
    "profiling_s",
    "graph_capture_s",
    "mm_warmup_s",
    "engine_init_s",
    "engine_init_compile_s",
    "wake_s",
    "sleep_freed_gib",
    "sleep_in_use_gib",
    "checkpoint_gib",
    "model_gib",
    "kv_cache_gib",
    "image_bytes",
)
"""The facts of the JSON contract; each is a list, empty where the input holds none."""


IMAGE = "image, pulled and unpacked"
"""What a transfer is called that brought the engine's image."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transfer:
    """How fast bytes came in: the weights, or an image."""

    what: str
    bytes_: int
    seconds: float
    link_gbps: float | None
    """None where nobody told the speed of the link."""
    evidence: tuple[Evidence, ...] = ()

    @property
    def gigabytes_per_s(self) -> float:
        return self.bytes_ / 1e9 / self.seconds

    @property
    def gbps(self) -> float:
        return self.gigabytes_per_s * 8

    @property
    def link_share(self) -> float | None:
        return self.gbps / self.link_gbps if self.link_gbps else None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnexplainedStretch:
    """Time that nothing names, and the two lines around it."""

    stretch: Stretch
    within: str
    """The phase it lies in, or `unexplained`."""
    before: Evidence
    after: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Total:
    """A total with proven ends."""

    timeline: Timeline
    uncertainty_ns: int
    starts_at: str
    ends_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeAdvice:
    """How the kubelet asks now, and how it should, from what this start needed."""

    now: tuple[str, ...]
    """The probes there are, in words."""
    what: str
    """What to ask: `GET :8000/health`."""
    period_s: int
    failure_threshold: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """Where in a cluster a start happened, as far as its objects tell."""

    namespace: str = ""
    workload: str = ""
    """`deployment/vllm`; empty where no object tells."""
    pod: str = ""
    container: str = ""
    image: str = ""
    image_state: str | None = None
    """`pulled` (by the first container of the pod with this image), `already present`, or None
    where no event tells."""
    restarts: int = 0
    node: str = ""
    node_claim: str = ""
    instance_type: str = ""
    capacity_type: str = ""
    zone: str = ""
    skew_low_ns: int | None = None
    """The node's clock minus the control plane's is at least this; None where nothing tells."""
    skew_high_ns: int | None = None
    """It is at most this."""
    readiness_lag_ns: int | None = None
    """From a server that was up to Ready; None where one of the two is not proven."""
    probe: ProbeAdvice | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """One engine start."""

    source: str
    engine: str | None
    """None where no engine is seen: a node's or a pod's part of a start."""
    engine_version: str | None
    outcome: Outcome
    failure: Failure | None
    scenario: str | None
    """cold, warm or wake where somebody said so; a log alone does not know."""
    total: Total | None
    """None where one of the two ends is not proven."""
    phases: tuple[Span, ...]
    """With a total they partition it; without one, only those whose both ends are proven."""
    facts: Mapping[str, tuple[Fact, ...]]
    sleeps: tuple[Sleep, ...]
    compile_cache: CompileCache
    first_token_ns: int | None = None
    """From Ready to one generated token; None where no request was made."""
    watched_ns: int | None = None
    """From the pod's first sight to the sight of Ready, by the clock of whoever watched; a
    stopwatch beside the stamps, None where nobody watched."""
    seen_ns: int | None = None
    """Of a start that did not come up: from its beginning to its last line; None where the
    beginning is not in the input, or where there is a total."""
    unfinished: str | None = None
    """The phase such a start was in at its last line; None where that is not known."""
    transfers: tuple[Transfer, ...] = ()
    unexplained: tuple[UnexplainedStretch, ...] = ()
    findings: tuple[Finding, ...] = ()
    activities: tuple[Activity, ...] = ()
    """Everything that named a stretch, overlaps included; the phases are what is left of it."""
    timed: bool = True
    """False where no line has a stamp: durations are then printed, not timed."""
    notes: tuple[str, ...] = ()
    """What whoever measured or captured it noted, in their words."""
    placement: Placement | None = None
    """None for a start outside a cluster, or where only its log is known."""
    signs: Signs = field(default_factory=dict)
    """What it shows of techniques at work, each with where; empty where nothing tells."""
    effects: tuple[Effect, ...] = ()
    """What the signs mean by the cards; empty where nobody asked, techniques of which nothing
    is known left out."""
    at_stake: tuple[Stake, ...] | None = None
    """What has most seconds to take away, as estimates; None where nobody asked, or where the
    question makes no sense: it failed, or no engine is seen."""
    fingerprint: Fingerprint = field(default_factory=Fingerprint)
    """What must be alike before it is held against another start, as far as the input tells."""

    def phase_ns(self, name: str) -> int:
        """The length of a phase, a child after a slash; a start without it took no time in it."""
        phase, _, child = name.partition("/")
        spans = [span for span in self.phases if span.name == phase]
        if child:
            spans = [part for span in spans for part in span.parts(child)]
        return sum(span.length_ns for span in spans)

    @property
    def on_new_node(self) -> bool:
        """Whether a node was made for it, by what it shows, or what somebody said who made it."""
        said = self.scenario == "cold" and self.placement is not None
        return said or Sign.NODE_WAS_MADE in self.signs

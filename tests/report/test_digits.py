"""No more digits than the clocks can tell."""

from firstlight.core.activities import Activity
from firstlight.core.attribution import PhaseWindow, attribute
from firstlight.core.evidence import Evidence
from firstlight.core.marks import Clock, Mark, MarkKind
from firstlight.core.phases import Phase
from firstlight.explain.explain import explain_log
from firstlight.readers.vllm_log import read_log
from tests.report.test_text import printed

S = 1_000_000_000
WHOLE_SECONDS = b"""\
(APIServer pid=1) INFO 03-04 05:00:00 [a.py:1] vLLM API server version 0.26.0
(EngineCore pid=7) INFO 03-04 05:00:20 [a.py:1] Initializing a V1 LLM engine (v0.26.0) with config
(EngineCore pid=7) INFO 03-04 05:00:30 [a.py:1] Starting to load model /m...
(EngineCore pid=7) INFO 03-04 05:00:50 [a.py:1] Loading weights took 19.50 seconds
(APIServer pid=1) INFO 03-04 05:01:00 [a.py:1] Starting vLLM server on http://0.0.0.0:8000
"""


def test_stamps_of_whole_seconds_tell_whole_seconds() -> None:
    """A phase between two of them is known to two seconds, and shown without a fraction."""
    starts = explain_log(read_log("pod.log", [WHOLE_SECONDS]))

    (row,) = (line for line in printed(starts).splitlines() if line.startswith("process_init"))

    assert "30" == row.split()[1]
    assert 2 * S == starts[0].phases[0].uncertainty_ns


def test_a_part_is_as_uncertain_as_its_pieces_together() -> None:
    """Each piece has two ends of its own."""
    evidence = Evidence(artefact="a", text="x")

    def mark(at_s: int) -> Mark:
        return Mark(
            kind=MarkKind.LOAD_BEGINS,
            at_ns=at_s * S,
            resolution_ns=0,
            clock=Clock.OUTER,
            evidence=evidence,
        )

    def piece(start_s: int, end_s: int) -> Activity:
        return Activity(
            path=("imports", "torch"),
            depth=0,
            start_ns=start_s * S,
            end_ns=end_s * S,
            uncertainty_ns=7,
        )

    window = PhaseWindow(phase=Phase.PROCESS_INIT, begins=mark(0), ends=mark(9))

    timeline = attribute(
        start_ns=0, end_ns=9 * S, windows=[window], activities=[piece(1, 2), piece(3, 4)]
    )

    (imports,) = (c for c in timeline.spans[0].children if c.name == "imports")
    assert (14, 14) == (imports.uncertainty_ns, imports.children[0].uncertainty_ns)

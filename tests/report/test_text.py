"""Whole reports, compared whole: what a person sees is the product."""

import io

import pytest
from rich.console import Console

from firstlight.core.starts import Start
from firstlight.report.text import print_starts
from tests.report.samples import COLD, FAILED, SILENT, UNSTAMPED, starts_of

WIDTH = 100


def printed(starts: list[Start], *, everything: bool = False) -> str:
    """The report at a fixed width, without the blanks that fill up table rows."""
    out = io.StringIO()
    print_starts(Console(file=out, width=WIDTH), starts, everything=everything)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


A_COLD_START = """\
pod.log · vLLM 0.26.0 · ready in 183.0 s ± <1 ms (first log line → server line)

phase                                         seconds share                      what proves it
process_init                                     30.0  16 % ███                  8: Starting to loa…
  front end: arguments and model config          9.00   5 % ░                    3: Resolved archit…
  front end: engine config                       1.00   1 %                      4: Using max model…
  engine core: spawn, interpreter and imports    10.0   5 % ░                    5: Waiting for ini…
  engine core: hand-shake                        1.00   1 %                      6: Initializing a …
  worker: device and process group               9.00   5 % ░                    8: Starting to loa…
weight_load                                      83.0  45 % █████████            12: Model loading …
  module construction                            2.00   1 %                      9: Using FLASH_ATT…
  read weights                                   80.0  44 % ░░░░░░░░░            11: Loading weight…
  post-processing                                1.00   1 %                      12: Model loading …
engine_init                                      65.0  36 % ███████              21: init engine (p…
  unnamed                                        8.00   4 % ░
  compile: dynamo                                10.0   5 % ░                    14: Dynamo bytecod…
  compile: inductor                              30.0  16 % ░░░                  16: Compiling a gr…
  compile: finish                                1.00   1 %                      17: torch.compile …
  memory profiling                               5.00   3 % ░                    18: Available KV c…
  graph capture                                  9.00   5 % ░                    20: Graph capturin…
  2 smaller                                      2.00
api_start                                        5.00   3 % █                    25: Application st…
  engine reports to the front end                2.00   1 %                      22: Supported task…
  renderer and chat template                     1.00   1 %                      23: Starting vLLM …
  routes                                         1.00   1 %                      24: Route: /health…
  web server                                     1.00   1 %                      25: Application st…
total                                           183.0 100 %
unexplained, at the leaves: 8.00 s (4.4%)

the engine printed: loading weights 80.00 s · model loading 82.500000 s · dynamo 10.00 s ·
torch.compile 40.00 s · graph capture 9 s · init engine 64.90 s · checkpoint 31.20 GiB · model 31.22
GiB · KV cache 44.50 GiB
compile cache: fill (it compiled and wrote the result; proof: engine)
weights: 33.50 GB in 80 s = 0.42 GB/s = 3.4 Gbps, 7% of a link of 50 Gbps

unexplained: 7.00 s in engine_init, between
  12: (EngineCore pid=7) INFO 03-04 05:01:53 [core.py:1] Model loading took 31.22 GiB memory and 82…
  13: (EngineCore pid=7) INFO 03-04 05:02:00 [core.py:1] Using cache directory: /root/.cache/vllm/t…
unexplained: 1.00 s in engine_init, between
  19: (EngineCore pid=7) INFO 03-04 05:02:47 [core.py:1] GPU KV cache size: 123,456 tokens
  20: (EngineCore pid=7) INFO 03-04 05:02:57 [core.py:1] Graph capturing finished in 9 secs, took 0…

! link-not-the-limit pod.log:11: weights came at 3.4 of 50 Gbps (7% of the link)
  → not bandwidth: look at the path before buying more (a FUSE mount reads one range at a time;
stream from the store instead)
"""


def test_a_cold_start() -> None:
    """A complete start: phases with their parts, what was printed, the cache, the rate."""
    assert A_COLD_START == printed(starts_of(COLD, link_gbps=50)) + "\n"


A_FAILED_START = """\
pod.log · vLLM 0.26.0 · failed after 42.0 s, in engine_init
failed: ValueError: No available memory for the cache blocks. Try increasing it.  [pod.log:7]
  → lower --max-model-len, or raise --gpu-memory-utilization if memory is left

phase                                         seconds what proves it
process_init                                     30.0 3: Starting to load model /m...
  engine core: spawn, interpreter and imports    20.0 2: Initializing a V1 LLM engine (v0.26.0) wit…
  unnamed                                        10.0
weight_load                                      10.0 4: Model loading took 31.22 GiB memory and 9.…
engine_init                                      2.00 8: RuntimeError: Engine core initialization f…

the engine printed: model loading 9.500000 s · model 31.22 GiB
compile cache: unknown (no line says whether a cache was used; the CPU engine prints nothing on a
hit; proof: none)

unexplained: 10.0 s in process_init, between
  2: (EngineCore pid=7) INFO 03-04 05:00:20 [core.py:1] Initializing a V1 LLM engine (v0.26.0) with…
  3: (EngineCore pid=7) INFO 03-04 05:00:30 [core.py:1] Starting to load model /m...
unexplained: 10.0 s in weight_load, between
  3: (EngineCore pid=7) INFO 03-04 05:00:30 [core.py:1] Starting to load model /m...
  4: (EngineCore pid=7) INFO 03-04 05:00:40 [core.py:1] Model loading took 31.22 GiB memory and 9.5…
unexplained: 2.00 s in engine_init, between
  4: (EngineCore pid=7) INFO 03-04 05:00:40 [core.py:1] Model loading took 31.22 GiB memory and 9.5…
  8: (APIServer pid=1) ERROR 03-04 05:00:42 [api_server.py:1] RuntimeError: Engine core initializat…
"""


def test_a_failed_start() -> None:
    """The cause first, then how far it came; no total, for nothing was ready."""
    assert A_FAILED_START == printed(starts_of(FAILED)) + "\n"


AN_UNSTAMPED_LOG = """\
pod.log · vLLM · incomplete · the input does not show both ends: no total
no line has a stamp: durations are printed, not timed

the engine printed: loading weights 12.21 s · model loading 14.009442 s · torch.compile 6.80 s ·
cache load 5.88 s · graph capture 21 s · init engine 35.50 s · wake 0.97 s · model 6.50 GiB · sleep
level 1 12.8 s
compile cache: hit (it loaded what was compiled before; proof: engine)
"""


def test_an_unstamped_log() -> None:
    """Printed durations without a clock: neither total nor shares."""
    assert AN_UNSTAMPED_LOG == printed(starts_of(UNSTAMPED)) + "\n"


A_SILENT_START = """\
pod.log · vLLM 0.26.0 · ready in 46.0 s ± <1 ms (first log line → server line)

phase                                         seconds share                      what proves it
process_init                                     10.0  22 % ████                 2: Starting to loa…
  engine core: spawn, interpreter and imports    10.0  22 % ░░░░                 2: Starting to loa…
weight_load                                      2.00   4 % █                    3: Model loading t…
engine_init                                      33.0  72 % ██████████████       6: init engine (pr…
api_start                                        1.00   2 % ▏                    7: Application sta…
total                                            46.0 100 %
unexplained, at the leaves: 36.0 s (78.3%)

the engine printed: model loading 1.900000 s · init engine 33.0 s · model 3.00 GiB
compile cache: unknown (no line says whether a cache was used; the CPU engine prints nothing on a
hit; proof: none)

unexplained: 2.00 s in weight_load, between
  2: (EngineCore pid=7) INFO 03-04 05:00:10 [core.py:1] Starting to load model /m...
  3: (EngineCore pid=7) INFO 03-04 05:00:12 [core.py:1] Model loading took 3.00 GiB memory and 1.90…
unexplained: 33.0 s in engine_init, between
  4: (EngineCore pid=7) INFO 03-04 05:00:14 [core.py:1] Something that nobody knows
  5: (EngineCore pid=7) INFO 03-04 05:00:44 [core.py:1] Something else that nobody knows
unexplained: 1.00 s in api_start, between
  6: (EngineCore pid=7) INFO 03-04 05:00:45 [core.py:1] init engine (profile, create kv cache, warm…
  7: (APIServer pid=1) INFO 03-04 05:00:46 [api_server.py:1] Application startup complete.
"""


def test_a_silent_start() -> None:
    """What nobody can explain is quoted by the two lines around it."""
    assert A_SILENT_START == printed(starts_of(SILENT)) + "\n"


def test_several_starts_in_one_file() -> None:
    """Each is a report of its own, an empty line between them; lines are counted in the file."""
    text = printed(starts_of(FAILED + SILENT))

    assert A_FAILED_START + "\n" == text[: len(A_FAILED_START) + 1]
    assert "pod.log · vLLM 0.26.0 · ready in 46.0 s" in text[len(A_FAILED_START) :]
    assert "  12: (EngineCore pid=7) INFO 03-04 05:00:14 [core.py:1] Something that" in text


def test_everything_shows_the_smaller_parts_too() -> None:
    """What the short table adds up in one row, the long one names."""
    short, long = printed(starts_of(COLD)), printed(starts_of(COLD), everything=True)

    assert "  2 smaller" in short
    assert "smaller" not in long
    assert "\n  KV cache sizing  " in long
    assert "\n  engine core: scheduler  " in long
    assert "\n  KV cache sizing  " not in short


@pytest.mark.parametrize("width", [1, 10, 40, 79, 300])
def test_any_width_of_a_terminal_will_do(width: int) -> None:
    """A narrow window cuts columns, never the line that says how much is unexplained."""
    out = io.StringIO()
    print_starts(Console(file=out, width=width), starts_of(COLD))

    assert "unexplained,attheleaves:8.00s(4.4%)" in "".join(out.getvalue().split())


@pytest.mark.parametrize(
    ("resolution", "shown"),
    [("00Z", "± 2 s"), ("00.5Z", "± 0.2 s"), ("00.123Z", "± 0.002 s"), ("00.123456Z", "± <1 ms")],
)
def test_the_uncertainty_is_that_of_the_stamps(resolution: str, shown: str) -> None:
    """Two marks, each as exact as the clock that stamped it; never a power of ten."""
    log = (
        f"2026-03-04T05:01:{resolution} (APIServer pid=1) INFO 03-04 05:01:00 [a.py:1] "
        "vLLM API server version 0.26.0\n"
        f"2026-03-04T05:03:{resolution} (APIServer pid=1) INFO 03-04 05:03:00 [a.py:1] "
        "Application startup complete.\n"
    )

    assert f"ready in 120.0 s {shown} (" in printed(starts_of(log))

"""
What the world may hand over, for property tests.

Two worlds. Small integers of time, in which a brute-force model can look at every
instant: windows, marks and activities that nest, overlap, stick out, are empty or
run backwards. And logs: real wordings with numbers, in every dialect of line that
was met, cut anywhere, woven together, and mixed with bytes that are no log at all.
"""

import json
from itertools import pairwise

from hypothesis import strategies as st

from firstlight.core.activities import Activity
from firstlight.core.attribution import PhaseWindow
from firstlight.core.evidence import Evidence
from firstlight.core.marks import Clock, Mark, MarkKind
from firstlight.core.phases import Phase
from firstlight.core.timeline import Stretch

LAST_NS = 40
"""Windows lie in [0, LAST_NS]; activities may stick out by ten on either side."""

_PHASES = [phase for phase in Phase if phase is not Phase.UNEXPLAINED]


def evidence(text: str = "a line") -> Evidence:
    """Evidence whose words do not matter."""
    return Evidence(artefact="a.log", line=1, text=text)


def mark(at_ns: int, kind: MarkKind = MarkKind.LOAD_BEGINS, resolution_ns: int = 1) -> Mark:
    """A mark at a moment; its words tell the moment."""
    return Mark(
        kind=kind,
        at_ns=at_ns,
        resolution_ns=resolution_ns,
        clock=Clock.OUTER,
        evidence=evidence(f"at {at_ns}"),
    )


def activity(start_ns: int, end_ns: int, *path: str, depth: int = 0) -> Activity:
    """An activity; its evidence tells where it lies."""
    return Activity(
        path=path,
        depth=depth,
        start_ns=start_ns,
        end_ns=end_ns,
        evidence=(evidence(f"from {start_ns}"), evidence(f"to {end_ns}")),
    )


@st.composite
def moments(draw: st.DrawFn, *, fewest: int = 2, most: int = 9) -> list[int]:
    """Different moments in order."""
    picked = draw(st.sets(st.integers(0, LAST_NS), min_size=fewest, max_size=most))
    return sorted(picked)


@st.composite
def stretches(draw: st.DrawFn) -> tuple[Stretch, ...]:
    """Stretches in order, some of which touch."""
    cuts = draw(moments())
    pieces = [Stretch(start_ns=a, end_ns=b) for a, b in pairwise(cuts)]
    kept = [piece for piece in pieces if draw(st.booleans())]
    return tuple(kept or pieces[:1])


@st.composite
def windows(draw: st.DrawFn) -> list[PhaseWindow]:
    """Phases in order, some of which touch, with holes where nothing was proven."""
    cuts = draw(moments(most=len(_PHASES)))
    found = [
        PhaseWindow(phase=phase, begins=mark(begin), ends=mark(end))
        for phase, (begin, end) in zip(_PHASES, pairwise(cuts), strict=False)
    ]
    return [window for window in found if draw(st.booleans())]


@st.composite
def marks_in_any_order(draw: st.DrawFn) -> list[PhaseWindow]:
    """Phases whose marks lie anywhere: backwards, on one another, outside the window."""
    anywhere = st.integers(-10, LAST_NS + 10)
    return [
        PhaseWindow(
            phase=phase, begins=mark(draw(anywhere)), ends=mark(draw(anywhere), resolution_ns=2)
        )
        for phase in draw(st.lists(st.sampled_from(_PHASES), max_size=6))
    ]


_PATHS = st.lists(st.sampled_from(["imports", "torch", "load", "wait"]), min_size=1, max_size=3)


@st.composite
def activities(draw: st.DrawFn, *, most: int = 12) -> list[Activity]:
    """Any activities: overlapping, nested, outside, empty, running backwards."""
    anywhere = st.integers(-10, LAST_NS + 10)
    return [
        activity(draw(anywhere), draw(anywhere), *draw(_PATHS), depth=draw(st.integers(-2, 3)))
        for _ in range(draw(st.integers(0, most)))
    ]


@st.composite
def nested(draw: st.DrawFn) -> list[Activity]:
    """Activities that lie in one another like calls, each deeper than the one around it."""
    found: list[Activity] = []
    low, high, depth = 0, LAST_NS, 0
    while high - low > 1 and draw(st.booleans()):
        low = draw(st.integers(low, high - 1))
        high = draw(st.integers(low + 1, high))
        found.append(activity(low, high, *(["call"] * (depth + 1)), depth=depth))
        depth += 1
    return found


# Logs. A number is written by a strategy, so that what is printed is known.

_SECONDS = st.one_of(
    st.decimals(min_value=0, max_value=10_000, places=2).map(str),
    st.decimals(min_value=0, max_value=1, places=6).map(str),
    st.integers(0, 900).map(str),
)
_ODD_NUMBERS = st.sampled_from(
    [
        *("", ".", "...", "1.2.3", "-1.5", "1e5", "nan", "inf", "00012.50", "1,234.5", "0x1F"),
        *("1_000", "9" * 30, "9" * 400 + ".5", "9" * 5000, "12\x00.5", "1\x1b[31m9.5"),
        *("\u0661\u0669.\u0665", "\uff11\uff12", "\u00b2"),
    ]
)
"""Not a number, not a plain one, not one that any clock prints, and digits of other scripts."""
NUMBERS = st.one_of(_SECONDS, _SECONDS, _SECONDS, _ODD_NUMBERS)

_SAYINGS = (
    "vLLM API server version {n}",
    "vLLM API server version 0.26.0",
    "Automatically detected platform cuda.",
    "non-default args: {{'model': '/m', 'enforce_eager': True, 'enable_sleep_mode': True}}",
    "Resolved architecture: Qwen3ForCausalLM",
    "Using max model len 512",
    "Waiting for init message from front-end.",
    "Initializing a V1 LLM engine (v0.26.0) with config: model='/m', seed={n}",
    "world_size=1 rank=0 local_rank=0 distributed_init_method=tcp://127.0.0.1:{n}",
    "Starting to load model /m...",
    "Loading model from scratch...",
    "Time spent downloading weights for /m: {n} seconds",
    "Loading safetensors checkpoint shards:  {n}% Completed | 1/4 [00:01<00:03,  1.00s/it]",
    "Filesystem type for checkpoints: EXT4. Checkpoint size: {n} GiB. Available RAM: {n} GiB.",
    "[RunAI Streamer] Overall time to stream {n} GiB of all files: {n}s, {n} GiB/s",
    "Loading weights took {n} seconds",
    "Model loading took {n} GiB memory and {n} seconds",
    "Model loading took {n} GiB",
    "Loading drafter model...",
    "Using cache directory: /root/.cache/vllm/torch_compile_cache/0123/rank_0_0",
    "Dynamo bytecode transform time: {n} s",
    "Cache the graph for dynamic shape for later use",
    "Compiling a graph for dynamic shape takes {n} s",
    "Directly load the compiled graph(s) for dynamic shape from the cache, took {n} s",
    "saved AOT compiled function to /root/.cache/x",
    "Compiling model again due to a load failure from /root/.cache/x, reason: {n}",
    "torch.compile takes {n} s in total",
    "torch.compile and initial profiling/warmup run together took {n} s in total",
    "Memory profiling takes {n} seconds",
    "Initial profiling/warmup run took {n} s",
    (
        "Free memory on device ({n}/{n} GiB) on startup. Desired GPU memory utilization is "
        "(0.9, {n} GiB). Actual usage is {n} GiB for weight, -4.04 GiB for non-torch memory, and "
        "{n} GiB for CUDAGraph memory. `--kv-cache-memory={n}`"
    ),
    "Available KV cache memory: {n} GiB",
    "GPU KV cache size: {n} tokens",
    "Capturing CUDA graphs (mixed prefill-decode, PIECEWISE):  {n}%|#| 1/2",
    "Graph capturing finished in {n} secs, took 0.84 GiB",
    "init engine (profile, create kv cache, warmup model) took {n} seconds",
    "init engine (profile, create kv cache, warmup model) took {n} s (compilation: {n} s)",
    "Multi-modal warmup completed in {n}s",
    "Supported tasks: ['generate']",
    "Starting vLLM API server 0 on http://0.0.0.0:8000",
    "Available routes are:",
    "Route: /health, Methods: GET",
    "Started server process [{n}]",
    "Application startup complete.",
    '127.0.0.1:1 - "POST /sleep?level={n} HTTP/1.1" 200',
    "CuMemAllocator: sleep freed {n} GiB memory in total, of which {n} GiB is backed up in CPU",
    "Sleep mode freed {n} GiB memory, {n} GiB memory is still in use.",
    "It took {n} seconds to fall asleep.",
    "It took {n} seconds to wake up tags {{'weights'}}.",
    "EngineCore failed to start.",
    "Traceback (most recent call last):",
    (
        "ValueError: To serve at least one request with the models's max seq len ({n}), ({n} GiB "
        "KV cache is needed, which is larger than the available KV cache memory ({n} GiB)."
    ),
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {n} GiB.",
    "RuntimeError: Engine core initialization failed. See root cause above.",
    "api_server.py: error: unrecognized arguments: --{n}",
    "$ vllm serve /m --port {n}",
)
"""What vLLM prints, with `{n}` where a number stands."""

_BOUNDS = (
    "vLLM API server version 0.26.0",
    "Starting to load model /m...",
    "Model loading took {n} GiB memory and {n} seconds",
    "init engine (profile, create kv cache, warmup model) took {n} seconds",
    "Application startup complete.",
)
"""Those that bound phases, so that most stories have some."""

_PROCESSES = ("", "(APIServer pid=1) ", "(EngineCore pid=7) ", "(Worker_TP0 pid=9) ", "pid=9) ")
_HEADS = ("INFO {month}-{day} {time} [core.py:12] ", "INFO {month}-{day} {time} core.py:12] ")
_OUTER_LAYERS = (
    "{line}",
    "{date}T{time}.123456789Z {line}",
    "{date}T{time}Z stdout F {line}",
    "{date}T{time}.5Z stderr P {line}",
    "{date}T{time}+05:30 {line}",
    "[pod/a/b] {line}",
    "vllm-1  | {line}",
    "[{date}T{time}Z] {line}",
    "│ {line} │",
    "\x1b[36m{line}\x1b[0m",
    '{"log":"{line}\\n","stream":"stderr","time":"{date}T{time}Z"}',
)
_DAY_S = 86_400


def log_line(said: str, *, at_s: int, process: str, head: str, layer: str) -> bytes:
    """A statement as a line of one dialect, so many seconds into the year."""
    day, second = divmod(at_s, _DAY_S)
    date = {
        "month": f"{day // 28 % 12 + 1:02}",
        "day": f"{day % 28 + 1:02}",
        "time": f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}",
    }
    line = process + head.format(**date) + said
    if layer.startswith('{"'):
        line = json.dumps(line)[1:-1]
    framed = (
        layer.replace("{date}", f"2026-{date['month']}-{date['day']}")
        .replace("{time}", date["time"])
        .replace("{line}", line)
    )
    return framed.encode("utf-8", "surrogatepass")


@st.composite
def statements(draw: st.DrawFn, said: str | None = None) -> str:
    """One thing vLLM says, each number drawn for itself."""
    pieces = (said or draw(st.sampled_from(_SAYINGS))).split("{n}")
    text = pieces[0]
    for piece in pieces[1:]:
        text += draw(NUMBERS) + piece
    return text.replace("{{", "{").replace("}}", "}")


@st.composite
def log_lines(draw: st.DrawFn) -> bytes:
    """A statement in any dialect, at any time."""
    return log_line(
        draw(statements()),
        at_s=draw(st.integers(0, 336 * _DAY_S - 1)),
        process=draw(st.sampled_from(_PROCESSES)),
        head=draw(st.sampled_from([*_HEADS, "INFO: ", ""])),
        layer=draw(st.sampled_from(_OUTER_LAYERS)),
    )


@st.composite
def stories(draw: st.DrawFn) -> bytes:
    """A start as it is told: one dialect, time going on, lines missing and lines twice."""
    layer, head = draw(st.sampled_from(_OUTER_LAYERS)), draw(st.sampled_from(_HEADS))
    told = st.tuples(st.integers(0, len(_SAYINGS) - 1), st.integers(-1, 40))
    lines, at_s = [], draw(st.integers(0, 336 * _DAY_S - 5000))
    bounds = [(_SAYINGS.index(said), 9) for said in _BOUNDS if draw(st.integers(0, 4))]
    for number, gap_s in sorted(bounds + draw(st.lists(told, min_size=2, max_size=14))):
        at_s = max(at_s + gap_s, 0)
        said = draw(statements(_SAYINGS[number]))
        process = draw(st.sampled_from(_PROCESSES[:4]))
        lines.append(log_line(said, at_s=at_s, process=process, head=head, layer=layer))
    return b"\n".join(lines)


TRICKS = (
    b"[bold red]x[/] [/] [link=http://x]y[/link] :smile:",
    b"\x1b]0;title\x07\x1b]52;c;Zm9v\x07\x1b[2J\x1b[31m",
    "\u202eevil\u2066\ufeff\u200b".encode(),
    b"\x00\x00\x00",
    b"\xff\xfe\xfd\x80",
    b"\xed\xa0\x80",
    b"\r\r\r50%\r",
    b"{" * 300,
    b"[" * 300,
    b"; " * 300,
    b"{%s %d}",
)
"""Bytes that a careless printer would obey, and ones that a careless parser would choke on."""

_END = st.sampled_from([b"\n", b"\n", b"\n", b"\r\n", b"\r", b""])


@st.composite
def logs(draw: st.DrawFn) -> bytes:
    """A whole artefact: a story, or lines in no order with junk; sometimes cut somewhere."""
    line = st.one_of(log_lines(), log_lines(), log_lines(), st.sampled_from(TRICKS), st.binary())
    text = draw(stories()) + draw(_END) if draw(st.booleans()) else b""
    text += b"".join(draw(line) + draw(_END) for _ in range(draw(st.integers(0, 10))))
    if text and draw(st.integers(0, 3)) == 0:
        at = draw(st.integers(0, len(text)))
        text = draw(st.sampled_from([text[:at], text[at:], text[at:] + text[:at]]))
    return text


@st.composite
def woven_logs(draw: st.DrawFn) -> bytes:
    """Two artefacts with their lines shuffled into each other."""
    first, second = draw(logs()).splitlines(), draw(logs()).splitlines()
    woven: list[bytes] = []
    while first or second:
        take = first if first and (not second or draw(st.booleans())) else second
        woven.append(take.pop(0))
    return b"\n".join(woven)


@st.composite
def encoded_logs(draw: st.DrawFn) -> bytes:
    """An artefact in another encoding than UTF-8."""
    text = draw(logs()).decode("utf-8", "replace")
    encoding = draw(st.sampled_from(["utf-16", "utf-16-le", "utf-32", "utf-7", "cp1252"]))
    return text.encode(encoding, "replace")


ANY_BYTES = st.one_of(st.binary(max_size=400), logs(), logs(), woven_logs(), encoded_logs())


@st.composite
def pieces(draw: st.DrawFn, data: bytes) -> list[bytes]:
    """The bytes as a reader gets them: in chunks cut anywhere."""
    cuts = sorted(draw(st.lists(st.integers(0, len(data)), max_size=4)))
    return [data[a:b] for a, b in pairwise([0, *cuts, len(data)])]

"""Why a start did not come up."""

import pytest

from firstlight.core.starts import Start
from firstlight.explain.causes import CAUSES
from tests.explain.telling import BANNER, ENGINE, FRONT, KV_NEED, LOADS, READY, line, one, whole

REPORT = (
    "RuntimeError: Engine core initialization failed. See root cause above. "
    "Failed core proc(s): {'EngineCore': 1}"
)
TRACE = "Traceback (most recent call last):"
OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."
DEAD = (
    "vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue. "
    "See stack trace (above) for the root cause."
)
FREE = "ValueError: Free memory on device cuda:0 (31/47 GiB) on startup"
WORKER = "Worker_TP1 pid=12"


def error(second: int, said: str, *, by: str = "EngineCore pid=7") -> str:
    return line(second, said, by=by, level="ERROR")


def answer(start: Start) -> tuple[str, str | None, str | None]:
    """Outcome, kind and message."""
    if start.failure is None:
        return start.outcome.value, None, None
    return start.outcome.value, start.failure.kind, start.failure.message


def test_the_engine_core_says_why_and_the_front_end_only_that() -> None:
    """The report is printed last, and is never the answer."""
    start = one(
        line(0, BANNER, by=FRONT),
        error(9, "EngineCore failed to start."),
        error(9, TRACE),
        error(9, OOM),
        f"({FRONT}) {TRACE}",
        f"({FRONT}) {REPORT}",
    )

    assert ("failed", "out_of_gpu_memory", OOM) == answer(start)


def test_a_worker_is_believed_before_the_front_end_whoever_spoke_first() -> None:
    """Streams are flushed as they like."""
    start = one(
        line(0, BANNER, by=FRONT),
        f"({FRONT}) {TRACE}",
        f"({FRONT}) ValueError: the engine is gone",
        error(9, "WorkerProc failed to start.", by=WORKER),
        error(9, "ValueError: no such layer", by=WORKER),
    )

    assert ("failed", "exception", "ValueError: no such layer") == answer(start)


def test_a_known_cause_comes_before_an_exception_of_its_neighbour() -> None:
    """Rank 0 lost its peer because rank 1 had no memory."""
    start = one(
        error(9, "WorkerProc failed to start.", by="Worker_TP0 pid=11"),
        error(9, "RuntimeError: a peer went away", by="Worker_TP0 pid=11"),
        error(10, OOM, by=WORKER),
    )

    assert ("failed", "out_of_gpu_memory", OOM) == answer(start)


def test_only_a_report_means_the_cause_is_elsewhere() -> None:
    """That is said, with what to collect."""
    start = one(f"({FRONT}) {TRACE}", f"({FRONT}) {REPORT}")
    (finding,) = start.findings

    assert ("failed", "unknown") == answer(start)[:2]
    assert ("root-cause-missing", True) == (finding.code, "--previous" in finding.remedy)


@pytest.mark.parametrize(
    ("codes", "kind", "message"),
    [
        ("{'EngineCore': -9}", "killed", "EngineCore was ended by SIGKILL"),
        ("{'EngineCore_DP0': -11}", "crashed", "EngineCore_DP0 was ended by SIGSEGV"),
    ],
)
def test_a_process_that_a_signal_ended_cannot_say_why(codes: str, kind: str, message: str) -> None:
    """Whoever missed it knows the signal."""
    start = one(
        f"({FRONT}) {REPORT.replace(chr(123) + repr('EngineCore') + ': 1' + chr(125), codes)}"
    )

    assert ("failed", kind, message) == answer(start)


def test_sigterm_is_somebodys_wish() -> None:
    """The cause of being stopped is not in the log."""
    start = one(f"({FRONT}) {REPORT.replace(': 1', ': -15')}")

    assert ("failed", "unknown") == answer(start)[:2]


def test_a_worker_that_died() -> None:
    """With an exit code from 0.26 on."""
    start = one(
        error(
            9, "Worker proc VllmWorker-1 died unexpectedly (exit code: -9), shutting down executor."
        )
    )

    assert ("failed", "killed", "VllmWorker-1 was ended by SIGKILL") == answer(start)


BY_WORDING = {
    "gpu_memory_taken": [
        f"{FREE} is less than desired GPU memory utilization (0.95, 45.01 GiB).",
        f"{FREE} is less than the engine's budget after excluding external process's weights",
        "AssertionError: Error in memory profiling. Initial free memory 3",
    ],
    "kv_cache_too_small": [
        f"ValueError: {KV_NEED}",
        "ValueError: No available memory for the cache blocks. Try",
        "ValueError: Cannot auto-fit max_model_len: not enough GPU memory available",
        "ValueError: 8192 is larger than the number of tokens that can be stored in KV cache (9).",
    ],
    "out_of_gpu_memory": [
        OOM,
        "RuntimeError: CUDA out of memory occurred when warming up sampler with 1024 dummy",
        "torch.AcceleratorError: CUDA error: out of memory",
    ],
    "out_of_host_memory": [
        "ValueError: Available memory on node 0 (3/8 GiB) on startup is less than desired CPU",
    ],
    "weights_missing": [
        "RuntimeError: Cannot find any model weights with `/m`",
        "ValueError: Following weights were not initialized from checkpoint: {'x'}",
        "safetensors_rust.SafetensorError: Error while deserializing header",
    ],
    "model_not_found": [
        "OSError: m is not a local folder and is not a valid model identifier",
        "huggingface_hub.errors.OfflineModeIsEnabled: Cannot reach the hub",
        "  Value error, Invalid repository ID or local directory specified: '/m'",
    ],
    "model_unsupported": ["ValueError: Model architectures ['F'] are not supported for now."],
    "port_taken": ["OSError: [Errno 98] Address already in use"],
    "wrong_argument": ["ValueError: With `vllm serve`, you should provide the model as"],
    "main_guard_missing": [
        "        An attempt has been made to start a new process before the",
    ],
    "no_device": [
        "RuntimeError: No CUDA GPUs are available",
        "ImportError: libcuda.so.1: cannot open shared object file",
    ],
    "module_missing": ["ModuleNotFoundError: No module named 'x'"],
    "ranks_disconnected": ["RuntimeError: NCCL error in: x"],
    "timed_out": [
        "TimeoutError: Timed out waiting for engines to sendinitial message on input socket.",
    ],
}


@pytest.mark.parametrize(
    ("kind", "said"), [(kind, said) for kind, told in BY_WORDING.items() for said in told]
)
def test_causes_known_by_their_wording(kind: str, said: str) -> None:
    """Each has a finding with a remedy."""
    start = one(f"({FRONT}) {TRACE}", f"({FRONT}) {said}")
    (finding,) = start.findings

    assert ("failed", kind) == answer(start)[:2]
    assert kind.replace("_", "-") == finding.code
    assert finding.remedy


def test_every_cause_is_exercised() -> None:
    """One whose wording no test knows could be wrong."""
    assert {cause.kind for cause in CAUSES} == BY_WORDING.keys()


@pytest.mark.parametrize(
    "said",
    [
        "vllm: error: unrecognized arguments: --x",
        "vllm serve: error: argument --port: invalid int value: 'x'",
        "api_server.py: error: unrecognized arguments: --x",
    ],
)
def test_arguments_that_are_refused(said: str) -> None:
    """Argparse prints its usage, one line, and ends."""
    start = one("$ vllm serve m --x", "usage: vllm serve [model_tag] [options]", said)

    assert ("failed", "wrong_argument", said) == answer(start)


def test_a_compilers_error_is_no_argument_error() -> None:
    """`x.c:12: error: ...` has the same shape."""
    start = one(line(0, LOADS), "/tmp/x.c:12:1: error: unknown type name 'foo'")

    assert "incomplete" == answer(start)[0]


def test_what_validation_found_is_below_its_first_line() -> None:
    """`1 validation error for VllmConfig` says nothing."""
    start = one(
        f"({FRONT}) {TRACE}",
        f"({FRONT}) pydantic_core.ValidationError: 1 validation error for VllmConfig",
        f"({FRONT})   Value error, no such thing [type=value_error, input_value=x]",
    )

    assert "Value error, no such thing" in str(answer(start)[2])


def test_an_exception_that_was_survived_is_no_failure() -> None:
    """The same process went on, and its log ends later."""
    start = one(
        error(5, "JIT kernel warmup failed after 2.50s."),
        error(5, TRACE),
        error(5, "RuntimeError: Triton Error"),
        line(9, READY),
    )

    assert ("incomplete", None, None) == answer(start)


def test_another_rank_that_goes_on_survives_nothing() -> None:
    """One worker that failed is a start that failed."""
    start = one(
        error(5, "WorkerProc failed to start.", by=WORKER),
        error(5, OOM, by=WORKER),
        line(6, "Loading weights took 19.80 seconds", by="Worker_TP0 pid=11"),
    )

    assert ("failed", "out_of_gpu_memory") == answer(start)[:2]


def test_a_start_that_came_up_did_not_fail() -> None:
    """What a stopping engine complains about came later."""
    start = one(*whole(), error(90, TRACE), error(90, DEAD), error(91, OOM))

    assert ("ready", None, None) == answer(start)


def test_complaints_after_a_shutdown_are_no_failure() -> None:
    """Even where the start itself was not collected."""
    start = one(
        line(0, "[shutdown] EngineCore: trigger received signal=SIGTERM"),
        error(1, TRACE),
        error(1, DEAD),
    )

    assert ("incomplete", None, None) == answer(start)


@pytest.mark.parametrize(
    "said",
    [
        line(5, "Failed to import from vllm._C with ImportError('x')", level="WARNING"),
        line(5, "Cannot use FA version 2", level="ERROR"),
        f"({FRONT}) Exception ignored in: <function f>",
        "WARNING: something: ImportError: x",
    ],
)
def test_warnings_are_no_failures(said: str) -> None:
    """An exception's name inside a sentence was caught by whoever wrote it."""
    assert "incomplete" == answer(one(line(0, LOADS), said))[0]


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("Fatal Python error: Segmentation fault", "crashed"),
        ("!!!!!!! Segfault encountered !!!!!!!", "crashed"),
        ("terminate called after throwing an instance of 'c10::Error'", "crashed"),
        ("Killed", "killed"),
    ],
)
def test_last_words_of_native_code(said: str, kind: str) -> None:
    """No exception, and nothing after it."""
    assert ("failed", kind) == answer(one(line(0, LOADS), said))[:2]


def test_only_a_torn_traceback() -> None:
    """Its exception was cut off: that something failed is certain, and no more."""
    assert ("failed", "unknown") == answer(one(error(5, TRACE), error(5, "  File x")))[:2]


SLEEPY = "non-default args: {'model': 'm', 'enable_sleep_mode': True}"
ADVICE = (
    "Free memory on device (94.21/94.97 GiB) on startup. Desired GPU memory utilization is "
    "(0.9, 85.47 GiB). Actual usage is 31.22 GiB for weight, 1.02 GiB for peak activation, "
    "-4.04 GiB for non-torch memory, and 0.68 GiB for CUDAGraph memory. Replace "
    "gpu_memory_utilization config with `--kv-cache-memory=59786530816` (55.68 GiB) to fit"
)


def test_sleep_mode_plans_more_than_there_is() -> None:
    """The crash loop: the KV cache needs more than the budget, and sleep mode is on."""
    start = one(
        line(0, SLEEPY, by=FRONT),
        error(9, "EngineCore failed to start."),
        error(9, f"ValueError: {KV_NEED}"),
    )
    (finding,) = start.findings

    assert ("failed", "sleep_mode_memory") == answer(start)[:2]
    assert ("sleep-mode-memory", True) == (finding.code, "0.85" in finding.remedy)


def test_memory_outside_torch_cannot_be_negative() -> None:
    """The advice line has the size that works."""
    start = one(line(8, ADVICE), error(9, "EngineCore failed to start."), error(9, OOM))
    (finding,) = start.findings

    assert ("failed", "sleep_mode_memory") == answer(start)[:2]
    assert "--kv-cache-memory-bytes 59786530816" in finding.remedy


def test_sleep_mode_is_not_to_blame_for_everything() -> None:
    """A taken port is a taken port, and a small KV cache without sleep mode is small."""
    taken = one(
        line(0, SLEEPY, by=FRONT),
        line(8, ADVICE),
        f"({FRONT}) {TRACE}",
        f"({FRONT}) OSError: [Errno 98] Address already in use",
    )
    small = one(
        line(0, ENGINE), error(9, "EngineCore failed to start."), error(9, f"ValueError: {KV_NEED}")
    )

    assert ["port_taken", "kv_cache_too_small"] == [answer(taken)[1], answer(small)[1]]

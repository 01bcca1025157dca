import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from firstlight.core.errors import EngineFailed, OutsideFailed
from firstlight.edges.engine_process import EngineProcess
from firstlight.edges.process_table import descendants, everybody, send
from tests.fakes.processes import FakeEngine, left_over, wait_until_gone

# Real processes on a busy machine: they take well under a second on an idle one.
pytestmark = pytest.mark.timeout(20)

_MS = 1_000_000
_S = 1_000_000_000
_PYTHON = (sys.executable, "-S", "-B", "-c")
Start = Callable[..., EngineProcess]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "engine.log"


@pytest.fixture
def start(log: Path) -> Iterator[Start]:
    """Starts commands, and ends what a failing test would leave running."""
    engines: list[EngineProcess] = []

    def started(*command: str, env: dict[str, str] | None = None) -> EngineProcess:
        engine = EngineProcess.start(
            command=command,
            environment={"PATH": os.environ["PATH"], **(env or {})},
            log_path=str(log),
            unix_offset_ns=time.time_ns() - time.monotonic_ns(),
        )
        engines.append(engine)
        return engine

    yield started
    for engine in engines:
        engine.stop(grace_ns=0)


def finished(engine: EngineProcess) -> int | None:
    """The exit code, once it is there."""
    ended = engine.wait(timeout_ns=_S)
    assert ended is not None
    engine.stop(grace_ns=_S)
    return ended.exit_code


def contents(log: Path) -> list[bytes]:
    """The texts of the records, stream and tag in front."""
    return [line.split(b" ", 1)[1] for line in log.read_bytes().split(b"\n")[:-1]]


def command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


def wait_for_line(engine: EngineProcess, *words: str) -> None:
    """Until each of the words was printed."""
    until = time.monotonic() + 10
    missing = set(words)
    while missing:
        assert time.monotonic() < until, f"{missing} was never printed"
        for _, line in engine.new_lines():
            missing -= {word for word in missing if word in line}
        time.sleep(0.01)


def test_a_command_is_recorded_from_its_start_to_its_end(start: Start, log: Path) -> None:
    """Both streams, each line with its moment, and the exit code."""
    engine = start("sh", "-c", "echo one; sleep 0.05; echo two >&2; exit 7")

    assert finished(engine) == 7
    assert contents(log) == [b"stdout F one", b"stderr F two"]
    (one_ns, _), (two_ns, _) = engine.new_lines()
    assert engine.started_ns < engine.running_ns
    assert engine.started_ns < one_ns < two_ns


def test_death_by_a_signal_is_a_negative_exit_code(start: Start) -> None:
    """As Python has it."""
    assert finished(start("sh", "-c", "kill -SEGV $$")) == -signal.SIGSEGV


def test_the_environment_is_the_one_given(start: Start, log: Path) -> None:
    """Whole, and byte for byte, whatever the encoding."""
    odd = os.fsdecode(b"caf\xe9")

    finished(start(*_PYTHON, "import os; print(sorted(os.environb.items()))", env={"ODD": odd}))

    assert b"(b'ODD', b'caf\\xe9'), (b'PATH'" in contents(log)[0]


def test_there_is_no_input_to_wait_for(start: Start) -> None:
    """A command that asks its user gets an end of file, not a hang."""
    assert finished(start("cat")) == 0


_STANDARD = (1 << 31) - 1
"""Signals 1 to 31; the real-time ones are the C library's own, and whoever started us may ignore
one."""


def test_signals_have_their_default_meaning_in_the_command(start: Start, log: Path) -> None:
    """What Python ignores or catches for itself is not handed on."""
    finished(start("cat", "/proc/self/status"))

    signals = {
        int(line.split()[-1], 16) & _STANDARD
        for line in contents(log)
        if b" SigIgn" in line or b" SigCgt" in line
    }
    assert signals == {0}


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("nonesuch", None, "there is no such command"),
        ("./plain", "#!/bin/sh\n", "Permission denied"),
        ("./strange", "#!/no/such/interpreter\n", "the interpreter that its first line names"),
    ],
)
def test_a_command_that_cannot_be_started_is_said(
    start: Start, tmp_path: Path, name: str, content: str | None, words: str
) -> None:
    """One sentence that names the command and the reason."""
    if content is not None:
        name = str(tmp_path / name)
        Path(name).write_text(content)
        Path(name).chmod(0o755 if "strange" in name else 0o644)

    with pytest.raises(EngineFailed, match=words) as caught:
        start(name)

    assert caught.value.message.startswith(name)


def test_a_log_that_cannot_be_written_is_said_before_anything_starts(tmp_path: Path) -> None:
    """Nothing would be left of what the engine prints."""
    with pytest.raises(OutsideFailed, match="No such file or directory"):
        EngineProcess.start(
            command=["true"],
            environment={},
            log_path=str(tmp_path / "absent" / "engine.log"),
            unix_offset_ns=0,
        )


def test_ten_megabytes_without_a_line_end_are_kept_and_cost_little_memory(
    start: Start, log: Path
) -> None:
    """The line becomes records of 16 KiB; ours is not the memory that pays for it."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    finished(start(*_PYTHON, "print('x' * 10_000_000)"))

    grown_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    texts = [record.split(b" ", 2)[2] for record in contents(log)]
    assert sum(map(len, texts)) == 10_000_000
    assert max(map(len, texts)) == 16 * 1024
    assert grown_kb < 8 * 1024


def test_any_byte_may_be_printed(start: Start, log: Path) -> None:
    """NUL, invalid UTF-8, control characters: the log holds them as they came."""
    finished(start(*_PYTHON, "import os; os.write(1, bytes(b for b in range(256) if b != 13))"))

    kept = b"".join(
        text.split(b" ", 2)[2] + (b"\n" if b" F " in text else b"") for text in contents(log)
    )
    assert kept == bytes(b for b in range(256) if b != 13) + b"\n"


def test_an_obedient_engine_ends_with_its_own_exit_code(start: Start, fake: FakeEngine) -> None:
    """Nobody needed to be killed."""
    engine = start(*fake.command())
    wait_for_line(engine, "Starting vLLM server")

    stopped = engine.stop(grace_ns=_S)

    assert (stopped.exit_code, stopped.ignored_sigterm, stopped.killed) == (0, False, ())


def test_an_engine_that_ignores_sigterm_is_killed_after_the_grace(
    start: Start, fake: FakeEngine
) -> None:
    """And it is said that it had to be."""
    engine = start(*fake.command("--ignore-term"))
    wait_for_line(engine, "Starting vLLM server")

    stopped = engine.stop(grace_ns=100 * _MS)

    assert (stopped.exit_code, stopped.ignored_sigterm) == (-signal.SIGKILL, True)
    assert [f"(pid {engine.pid})" in who for who in stopped.killed] == [True]


def test_a_grandchild_in_a_session_of_its_own_does_not_outlive_the_engine(
    start: Start, fake: FakeEngine
) -> None:
    """Forked twice, ignoring SIGTERM, holding the engine's pipes open."""
    engine = start(*fake.command("--orphan"))
    wait_for_line(engine, "Starting vLLM server", "stubborn")
    running = len(left_over(fake.marker))

    stopped = engine.stop(grace_ns=400 * _MS)

    assert (running, left_over(fake.marker)) == (2, [])
    assert (stopped.exit_code, len(stopped.killed)) == (0, 1)


def test_what_a_command_leaves_behind_is_counted_and_stopped(
    start: Start, fake: FakeEngine
) -> None:
    """A launcher that forks the server and ends is over, and its server is not."""
    engine = start(*fake.command("--detach"))

    ended = engine.wait(timeout_ns=_S)

    assert ended is not None
    assert (ended.exit_code, ended.left) == (0, 1)
    engine.stop(grace_ns=50 * _MS)
    assert left_over(fake.marker) == []


def test_a_stopped_process_is_stopped_for_good(start: Start, fake: FakeEngine) -> None:
    """SIGSTOP holds back SIGTERM, but not SIGKILL."""
    engine = start(*fake.command())
    wait_for_line(engine, "Starting vLLM server")
    os.kill(engine.pid, signal.SIGSTOP)

    stopped = engine.stop(grace_ns=50 * _MS)

    assert stopped.exit_code == -signal.SIGKILL


_FIRST_THREAD_ENDS = """
import ctypes, signal, threading, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
threading.Thread(target=time.sleep, args=(60,)).start()
print("ready", flush=True)
ctypes.CDLL(None).pthread_exit(None)
"""


def test_an_engine_whose_first_thread_has_ended_is_stopped_too(start: Start) -> None:
    """To the kernel it looks dead, and its other threads run; in the end its exit is known."""
    engine = start(sys.executable, "-c", _FIRST_THREAD_ENDS)
    wait_for_line(engine, "ready")

    stopped = engine.stop(grace_ns=50 * _MS)

    assert (stopped.exit_code, stopped.ignored_sigterm) == (-signal.SIGKILL, True)


_SHARES_MEMORY = """
import signal, time
from multiprocessing.shared_memory import SharedMemory
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print(SharedMemory(create=True, size=4096).name, flush=True)
time.sleep(60)
"""


def test_shared_memory_is_given_back_by_an_engine_that_had_to_be_killed(
    start: Start, log: Path
) -> None:
    """A container has 64 MB of it, and each engine that is killed would keep its part."""
    engine = start(sys.executable, "-c", _SHARES_MEMORY)
    wait_for_line(engine, "psm_")
    segment = Path("/dev/shm") / contents(log)[0].decode().split()[-1]
    before = segment.exists()

    stopped = engine.stop(grace_ns=50 * _MS)

    assert (before, segment.exists(), stopped.exit_code) == (True, False, -signal.SIGKILL)


def test_stopping_twice_is_stopping_once(start: Start) -> None:
    """The second time says the same."""
    engine = start("sleep", "60")

    assert engine.stop(grace_ns=_S) is engine.stop(grace_ns=_S)


def test_it_is_known_where_a_grandchild_listens(start: Start, fake: FakeEngine) -> None:
    """The whole tree is looked at, also what lost its parent."""
    engine = start(*fake.command("--detach"))
    wait_for_line(engine, "Starting vLLM server")

    found = engine.listeners()

    engine.stop(grace_ns=0)
    assert [one.port for one in found] == [fake.port]


_OWNER = """
import os, sys, time
from firstlight.edges.engine_process import EngineProcess
from firstlight.edges.interrupts import Interrupts
log, *command = sys.argv[1:]
with Interrupts().raising():
    engine = EngineProcess.start(
        command=command, environment=dict(os.environ), log_path=log, unix_offset_ns=0
    )
    try:
        while not any("Starting" in line for _, line in engine.new_lines()):
            time.sleep(0.01)
        print("started", flush=True)
        time.sleep(60)
    finally:
        engine.stop(grace_ns=200_000_000)
"""


@pytest.fixture
def owner(log: Path, fake: FakeEngine) -> Iterator[subprocess.Popen[str]]:
    """Another process that measures an engine with a stubborn orphan."""
    with subprocess.Popen(
        [sys.executable, "-c", _OWNER, str(log), *fake.command("--orphan")],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        yield process
        process.kill()


def wait_for_start(owner: "subprocess.Popen[str]") -> None:
    assert owner.stdout is not None
    assert owner.stdout.readline() == "started\n"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_nothing_is_left_when_we_are_killed(
    owner: "subprocess.Popen[str]", fake: FakeEngine, number: signal.Signals
) -> None:
    """By whatever signal: not the engine, not the grandchild that left its session."""
    wait_for_start(owner)

    owner.send_signal(number)

    assert wait_until_gone(fake.marker) == []


def test_the_engine_is_killed_when_its_guard_is(start: Start, fake: FakeEngine) -> None:
    """With its session, workers that ignore SIGTERM included; nobody can say how it ended."""
    engine = start(*fake.command("--worker"))
    wait_for_line(engine, "Starting vLLM server", "stubborn")
    running = len(left_over(fake.marker))
    os.kill(engine._guard.guard.pid, signal.SIGKILL)

    ended = engine.wait(timeout_ns=_S)

    assert (running, wait_until_gone(fake.marker)) == (2, [])
    assert ended is not None
    assert ended.exit_code is None
    assert engine.stop(grace_ns=_S).exit_code is None


def test_the_kernel_kills_the_engine_when_both_of_us_are_killed(
    owner: "subprocess.Popen[str]", fake: FakeEngine
) -> None:
    """Somebody kills everything of ours with one command; nobody is left to clear up."""
    wait_for_start(owner)
    (guard,) = [row for row in descendants(owner.pid) if row.parent == owner.pid]

    owner.send_signal(signal.SIGSTOP)
    os.kill(guard.pid, signal.SIGKILL)
    owner.kill()

    engine_left = wait_until_gone(f"--port\0{fake.port}")
    send(signal.SIGKILL, [row for row in everybody() if fake.marker in command_line(row.pid)])
    wait_until_gone(fake.marker)
    assert engine_left == []


def test_what_was_printed_survives_our_death(
    owner: "subprocess.Popen[str]", log: Path, fake: FakeEngine
) -> None:
    """Each line is in the file before the next is read."""
    wait_for_start(owner)

    owner.kill()

    assert wait_until_gone(fake.marker) == []
    assert b"Starting vLLM server" in log.read_bytes()

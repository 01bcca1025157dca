"""
`firstlight explain` on a log of a hundred megabytes: seconds and peak memory.

Two logs are made, both realistic in what they repeat. One engine starts, serves for
hours (access log, statistics) and sleeps now and then. The other debugs, reloads its
model's layers one by one and never becomes ready. Each is explained by a fresh process,
three times; the best time and the highest peak count.

    python benchmarks/explain_100mb.py [--megabytes 100]

Exits with 1 where a limit (2 s, 200 MB) is missed.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

LIMIT_S = 2.0
LIMIT_MB = 200
_TRIES = 3
_MB = 1_000_000

_START = """\
(APIServer pid=1) INFO 05-01 12:00:00 [utils.py:299]        █     █     █▄   ▄█
(APIServer pid=1) INFO 05-01 12:00:00 [utils.py:299]  ▄▄ ▄█ █     █     █ ▀▄▀ █  version 0.20.2
(APIServer pid=1) INFO 05-01 12:00:00 [utils.py:299]   █▄█▀ █     █     █     █  model   org/m
(APIServer pid=1) INFO 05-01 12:00:01 [utils.py:233] non-default args: {'model': 'org/m'}
(EngineCore pid=77) INFO 05-01 12:00:21 [core.py:109] Initializing a V1 LLM engine (v0.20.2) \
with config: model='org/m', enforce_eager=False
(EngineCore pid=77) INFO 05-01 12:00:25 [gpu_model_runner.py:4777] Starting to load model org/m...
(EngineCore pid=77) INFO 05-01 12:00:55 [default_loader.py:384] Loading weights took 29.50 seconds
(EngineCore pid=77) INFO 05-01 12:00:56 [gpu_model_runner.py:4879] Model loading took 17.62 GiB \
memory and 30.695716 seconds
"""
_READY = """\
(EngineCore pid=77) INFO 05-01 12:01:40 [core.py:299] init engine (profile, create kv cache, \
warmup model) took 44.10 s (compilation: 21.20 s)
(APIServer pid=1) INFO 05-01 12:01:41 [api_server.py:689] Starting vLLM server on http://0.0.0.0:80
(APIServer pid=1) INFO:     Started server process [1]
(APIServer pid=1) INFO:     Application startup complete.
"""
_SLEEP = """\
(APIServer pid=1) INFO:     10.0.3.7:40112 - "POST /sleep?level=1 HTTP/1.1" 200 OK
(EngineCore pid=77) INFO {stamp} [cumem.py:228] CuMemAllocator: sleep freed 83.04 GiB memory in \
total, of which 75.16 GiB is backed up in CPU and the rest 7.88 GiB is discarded directly.
(EngineCore pid=77) INFO {stamp} [executor_base.py:189] It took 6.523925 seconds to fall asleep.
(EngineCore pid=77) INFO {stamp} [executor_base.py:205] It took 1.544127 seconds to wake up tags \
{{'weights', 'kv_cache'}}.
"""


def _stamp(second: int) -> str:
    """Of vLLM's kind, so long after noon on the first of May."""
    day, rest = divmod(12 * 3600 + second, 86400)
    return f"05-{1 + day % 30:02} {rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}"


def serving(size: int) -> Iterator[str]:
    """One start, then hours of requests and statistics, and a nap every few minutes."""
    yield _START + _READY
    written, second = 0, 0
    while written < size:
        second += 1
        stamp = _stamp(second)
        lines = "".join(
            f"(APIServer pid=1) INFO:     10.0.{n}.{second % 250}:{40000 + n} - "
            f'"POST /v1/chat/completions HTTP/1.1" 200 OK\n'
            for n in range(8)
        )
        lines += (
            f"(APIServer pid=1) INFO:     10.0.0.1:50{second % 1000:03} - "
            f'"GET /health HTTP/1.1" 200 OK\n'
        )
        lines += (
            f"(APIServer pid=1) INFO {stamp} [loggers.py:271] Engine 000: Avg prompt throughput: "
            f"{second % 900}.4 tokens/s, Avg generation throughput: {second % 700}.1 tokens/s, "
            "Running: 8 reqs, Waiting: 0 reqs, GPU KV cache usage: 12.0%, "
            "Prefix cache hit rate: 31.0%\n"
        )
        if second % 300 == 0:
            lines += _SLEEP.format(stamp=stamp)
        written += len(lines)
        yield lines


def debugging(size: int) -> Iterator[str]:
    """A start at VLLM_LOGGING_LEVEL=DEBUG that loads for ever and never becomes ready."""
    yield _START
    written, second = 0, 0
    while written < size:
        second += 1
        stamp = _stamp(second)
        head = f"(EngineCore pid=77) DEBUG {stamp}"
        lines = "".join(
            f"{head} [model_executor/models/utils.py:183] Loaded weight model.layers.{n}.mlp."
            f"experts.{second % 128}.down_proj.weight with shape torch.Size([4096, 1536])\n"
            for n in range(12)
        )
        lines += "".join(
            f"{head} [compilation/backends.py:{483 + n}] {path}\n"
            for n, path in enumerate(("'VLLM_USE_V1': True,", "/opt/vllm/models/qwen2.py"))
        )
        lines += (
            f"(APIServer pid=1) DEBUG {stamp} [v1/engine/utils.py:741] Waiting for 1 local, 0 "
            "remote core engine proc(s) to start.\n"
            f"{head} [v1/worker/gpu_worker.py:{100 + second % 40}] step {second}\n"
        )
        written += len(lines)
        yield lines


def measured(log: Path) -> tuple[float, float]:
    """Seconds, and megabytes at the peak, of one fresh `firstlight explain`."""
    command = [sys.executable, "-m", "firstlight.cli.main", "explain", "--output", "json", str(log)]
    began = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as child:
        _, status, usage = os.wait4(child.pid, 0)
        took = time.perf_counter() - began
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"explain ended with {child.returncode} on {log}")
    return took, usage.ru_maxrss / 1000


def main() -> int:
    """Make, explain and delete each log; print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    parser.add_argument("--megabytes", type=int, default=100)
    size = parser.parse_args().megabytes * _MB
    missed = False
    with tempfile.TemporaryDirectory() as folder:
        for name, lines in (("serving", serving(size)), ("debugging", debugging(size))):
            log = Path(folder) / f"{name}.log"
            with log.open("w", encoding="utf-8") as out:
                out.writelines(lines)
            runs = [measured(log) for _ in range(_TRIES)]
            best_s, peak_mb = min(s for s, _ in runs), max(mb for _, mb in runs)
            ok = best_s <= LIMIT_S and peak_mb <= LIMIT_MB
            missed = missed or not ok
            print(
                f"{name:10} {log.stat().st_size / _MB:6.1f} MB  {best_s:5.2f} s  "
                f"{peak_mb:5.0f} MB peak  {'ok' if ok else 'MISSED'}"
            )
            log.unlink()
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())

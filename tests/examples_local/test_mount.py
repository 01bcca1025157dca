"""A real mount of a real bucket, which never stays behind."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import mount as module
import pytest
from mount import Mount, clear_stale, mounted, mounts
from origin import Endpoint, origin

from firstlight.core.errors import BadInput, OutsideFailed
from tests.examples_local.conftest import LOCAL

BUCKET = "weights"

# Each starts and ends a process or two.
pytestmark = [pytest.mark.usefixtures("fuse"), pytest.mark.timeout(20)]


@pytest.fixture(scope="module")
def endpoint(
    fuse: None,  # noqa: ARG001
    folder: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Endpoint]:
    with origin(folder, BUCKET, into=tmp_path_factory.mktemp("origin")) as served:
        yield served


def there(at: Path) -> list[Mount]:
    """What is mounted there."""
    return [mount for mount in mounts() if mount.at == at]


def eventually_gone(at: Path) -> bool:
    """Whether it is unmounted within ten seconds."""
    deadline = time.monotonic() + 10
    while there(at) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not there(at)


def test_shows_the_objects_as_files(
    endpoint: Endpoint, tmp_path: Path, objects: Mapping[str, bytes]
) -> None:
    """Every key is a path, with its bytes."""
    with mounted(endpoint.url, BUCKET, tmp_path / "at") as path:
        got = {
            file.relative_to(path).as_posix(): file.read_bytes()
            for file in path.rglob("*")
            if file.is_file()
        }

    assert objects == got


def test_is_read_only_and_gone_with_the_block(endpoint: Endpoint, tmp_path: Path) -> None:
    """Nothing can be written through it, and afterwards the folder is an empty one."""
    with mounted(endpoint.url, BUCKET, tmp_path / "at") as path:
        assert 1 == len(there(path))
        with pytest.raises(OSError, match="Read-only"):
            (path / "new").write_text("new")

    assert [] == there(path)
    assert [] == list(path.iterdir())


def test_reads_from_the_bucket_again_each_time(endpoint: Endpoint, tmp_path: Path) -> None:
    """No cache is kept: a second opening of a file fetches all its bytes anew."""

    def fetched() -> int:
        time.sleep(0.2)
        return endpoint.access_log.read_text().count('"range":"bytes=')

    with mounted(endpoint.url, BUCKET, tmp_path / "at") as path:
        file = path / "model" / "model-00001-of-00002.safetensors"
        counts = [fetched()]
        for _ in range(2):
            file.read_bytes()
            counts.append(fetched())

    assert counts[0] < counts[1] < counts[2]


def test_is_gone_also_while_a_file_is_open(endpoint: Endpoint, tmp_path: Path) -> None:
    """Whoever forgot to close one cannot keep the mount; and an error does not keep it either."""
    held = None
    with suppress(ZeroDivisionError), mounted(endpoint.url, BUCKET, tmp_path / "at") as path:
        held = (path / "model" / "config.json").open("rb")
        raise ZeroDivisionError

    assert held is not None
    with suppress(OSError):
        held.close()
    assert [] == there(tmp_path / "at")


def test_is_gone_when_we_are_killed(folder: Path, tmp_path: Path) -> None:
    """SIGKILL leaves neither the mount nor the server."""
    script = (
        f"import sys; sys.path.insert(0, {str(LOCAL)!r})\n"
        "import time\nfrom pathlib import Path\n"
        "from origin import origin\nfrom mount import mounted\n"
        f"with origin(Path({str(folder)!r}), 'weights', into=Path({str(tmp_path / 'o')!r})) as e:\n"
        f"    with mounted(e.url, 'weights', Path({str(tmp_path / 'at')!r})) as path:\n"
        "        print(e.url, flush=True)\n"
        "        time.sleep(60)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None
        assert running.stdout.readline().startswith("http://127.0.0.1:")
        assert 1 == len(there(tmp_path / "at"))

        running.send_signal(signal.SIGKILL)

    assert eventually_gone(tmp_path / "at")
    nginx = Path("/proc") / (tmp_path / "o" / "nginx.pid").read_text().strip()
    deadline = time.monotonic() + 10
    while nginx.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not nginx.exists()


@pytest.fixture
def left_behind(endpoint: Endpoint, tmp_path: Path) -> Iterator[tuple[Path, Path, Path]]:
    """
    Three mounts by hand: of a process of ours that is gone, of one that lives, of a stranger.
    """
    password = tmp_path / "password"
    password.touch(mode=0o600)
    password.write_text("nobody:nothing")
    alive = f"firstlight-{os.getpid()}-{module._born(os.getpid())}"
    running = []
    paths = [tmp_path / name for name in ("firstlight-1-1", alive, "somebody-1-1")]
    for path in paths:
        path.mkdir()
        options = f"url={endpoint.url},use_path_request_style,ro,passwd_file={password}"
        command = ["s3fs", BUCKET, str(path), "-f", "-o", f"{options},fsname={path.name}"]
        running.append(subprocess.Popen(command, stderr=subprocess.DEVNULL))
    while not all(there(path) for path in paths):
        time.sleep(0.02)
    yield paths[0], paths[1], paths[2]
    for path, process in zip(paths, running, strict=True):
        subprocess.run(
            ["fusermount3", "-u", "-z", path],  # noqa: S607
            check=False,
            capture_output=True,
        )
        process.terminate()
        process.wait()


def test_the_next_one_clears_what_a_dead_one_left(
    left_behind: tuple[Path, Path, Path], endpoint: Endpoint, tmp_path: Path
) -> None:
    """And touches neither what a living process of ours mounted, nor what strangers did."""
    dead, alive, strange = left_behind
    assert [1, 1, 1] == [len(there(path)) for path in left_behind]

    with mounted(endpoint.url, BUCKET, tmp_path / "at"):
        assert [0, 1, 1] == [len(there(path)) for path in (dead, alive, strange)]

    assert [] == clear_stale(shutil.which("fusermount3") or "")


def test_a_folder_with_something_in_it_is_refused(endpoint: Endpoint, tmp_path: Path) -> None:
    """What is in it would be hidden."""
    (tmp_path / "mine").write_text("")

    with pytest.raises(BadInput, match="is not empty"), mounted(endpoint.url, BUCKET, tmp_path):
        pass


def test_two_at_one_place_are_refused(endpoint: Endpoint, tmp_path: Path) -> None:
    """The first one stays."""
    with mounted(endpoint.url, BUCKET, tmp_path / "at") as path:
        with (
            pytest.raises(BadInput, match="is mounted there"),
            mounted(endpoint.url, BUCKET, path, into=tmp_path / "second"),
        ):
            pass
        assert b"{}" == (path / "model" / "config.json").read_bytes()


def test_a_bucket_that_is_not_there_is_a_sentence(endpoint: Endpoint, tmp_path: Path) -> None:
    """It names the place and where to read more, and nothing stays mounted."""
    with (
        pytest.raises(OutsideFailed, match="could not be mounted") as failed,
        mounted(endpoint.url, "other", tmp_path / "at"),
    ):
        pass

    assert "s3fs" in failed.value.remedy
    assert [] == there(tmp_path / "at")


def test_no_s3fs_says_how_to_get_it(
    endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One sentence, and the command."""
    monkeypatch.setenv("PATH", str(tmp_path))

    with (
        pytest.raises(OutsideFailed, match="s3fs is not there") as missing,
        mounted(endpoint.url, BUCKET, tmp_path / "at"),
    ):
        pass

    assert "apt-get install s3fs fuse3" in missing.value.remedy


def test_no_fuse_is_a_sentence(
    endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a container without the device."""
    monkeypatch.setattr(module, "DEVICE", tmp_path / "fuse")

    with (
        pytest.raises(OutsideFailed, match="a mount needs it"),
        mounted(endpoint.url, BUCKET, tmp_path / "at"),
    ):
        pass


def test_paths_with_spaces_are_read_from_the_table(endpoint: Endpoint, tmp_path: Path) -> None:
    """The kernel writes a space as digits."""
    with mounted(endpoint.url, BUCKET, tmp_path / "at a place") as path:
        assert ["fuse"] == [mount.kind.partition(".")[0] for mount in there(path)]

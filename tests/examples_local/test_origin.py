"""An S3 origin of nginx and a listing, as its clients see it."""

import json
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import origin as module
import pytest
from botocore.exceptions import ClientError  # type: ignore[import-untyped]
from origin import Endpoint, free_port, origin, requests_in_flight

from firstlight.core.errors import BadInput, OutsideFailed

BUCKET = "weights"
SHARD = "model/model-00001-of-00002.safetensors"


@pytest.fixture(scope="module")
def endpoint(
    nginx: None,  # noqa: ARG001
    folder: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Endpoint]:
    with origin(folder, BUCKET, into=tmp_path_factory.mktemp("origin")) as served:
        yield served


@pytest.fixture(scope="module")
def s3(endpoint: Endpoint, client: Callable[[str], Any]) -> Any:
    return client(endpoint.url)


def logged(endpoint: Endpoint, key: str, *, at_least: int = 1) -> list[dict[str, Any]]:
    """What the access log says of an object; nginx writes a line when it has sent the last byte."""
    deadline = time.monotonic() + 1
    while True:
        lines = [json.loads(line) for line in endpoint.access_log.read_text().splitlines()]
        found = [line for line in lines if line["key"] == f"/{BUCKET}/{key}"]
        if len(found) >= at_least or time.monotonic() > deadline:
            return found
        time.sleep(0.01)


def refused(asked: Callable[[], object]) -> tuple[str, int]:
    """The code and the status of a refusal."""
    with pytest.raises(ClientError) as said:
        asked()
    answer = said.value.response
    return answer["Error"]["Code"], answer["ResponseMetadata"]["HTTPStatusCode"]


def test_gives_each_object(s3: Any, objects: Mapping[str, bytes]) -> None:
    """All bytes of all keys, those with odd names too."""
    got = {key: s3.get_object(Bucket=BUCKET, Key=key)["Body"].read() for key in objects}

    assert objects == got


def test_a_listing_and_the_object_say_the_same(s3: Any) -> None:
    """Size, ETag and time: a client may compare them and take a difference for a change."""
    for one in s3.list_objects_v2(Bucket=BUCKET)["Contents"]:
        head = s3.head_object(Bucket=BUCKET, Key=one["Key"])

        assert one["Size"] == head["ContentLength"]
        assert one["ETag"] == head["ETag"]
        assert one["LastModified"] == head["LastModified"]


def test_a_range_is_that_range_and_logged(
    s3: Any, endpoint: Endpoint, objects: Mapping[str, bytes]
) -> None:
    """The bytes asked for, status 206, and a line that tells which."""
    before = len(logged(endpoint, SHARD, at_least=0))
    got = s3.get_object(Bucket=BUCKET, Key=SHARD, Range="bytes=100-299")

    line = logged(endpoint, SHARD, at_least=before + 1)[-1]
    assert objects[SHARD][100:300] == got["Body"].read()
    assert 206 == got["ResponseMetadata"]["HTTPStatusCode"]
    assert ("GET", "bytes=100-299", 206, 200) == (
        line["method"],
        line["range"],
        line["status"],
        line["bytes"],
    )


@pytest.mark.parametrize("key", ["nothing", "model", "model/", "model/deep"])
def test_what_is_no_object_is_not_found(s3: Any, key: str) -> None:
    """A folder is none: neither is it redirected to, nor listed."""
    assert ("NoSuchKey", 404) == refused(lambda: s3.get_object(Bucket=BUCKET, Key=key))
    assert ("404", 404) == refused(lambda: s3.head_object(Bucket=BUCKET, Key=key))


def test_nothing_can_be_written(s3: Any, folder: Path) -> None:
    """Not a new object, and no old one is removed."""
    assert ("AccessDenied", 403) == refused(
        lambda: s3.put_object(Bucket=BUCKET, Key="new", Body=b"new")
    )
    assert ("AccessDenied", 403) == refused(lambda: s3.delete_object(Bucket=BUCKET, Key="a"))
    assert not (folder / "new").exists()
    assert (folder / "a").exists()


def test_another_bucket_is_not_there(s3: Any) -> None:
    """It is said so, as S3 does."""
    assert ("NoSuchBucket", 404) == refused(lambda: s3.list_objects_v2(Bucket="other"))


def test_keys_cannot_leave_the_folder(endpoint: Endpoint) -> None:
    """Dots in a path lead nowhere."""
    at = urlsplit(endpoint.url)
    for path in ("/weights/../nginx.conf", "/weights/%2e%2e/%2e%2e/nginx.conf", "/nginx.conf"):
        with socket.create_connection((at.hostname or "", at.port or 0), timeout=2) as line:
            line.sendall(f"GET {path} HTTP/1.0\r\n\r\n".encode())
            answer = b"".join(iter(lambda: line.recv(4096), b""))

        assert b"200" != answer.split()[1]
        assert b"daemon off" not in answer


@pytest.mark.usefixtures("nginx")
def test_a_connection_is_held_to_its_rate(
    folder: Path, tmp_path: Path, client: Callable[[str], Any]
) -> None:
    """1 MB at 0.6 MB/s; nginx lets the first second's worth through at once."""
    with origin(folder, BUCKET, into=tmp_path, per_connection_bytes_per_s=600_000) as slow:
        began = time.monotonic()
        client(slow.url).get_object(Bucket=BUCKET, Key=SHARD)["Body"].read()
        took = time.monotonic() - began

    assert 0.7 <= took


@pytest.mark.usefixtures("nginx")
def test_ends_with_the_block(folder: Path, tmp_path: Path) -> None:
    """Also when the block ends in an error: nobody listens there any more."""
    ports = []
    with suppress(ZeroDivisionError), origin(folder, BUCKET, into=tmp_path) as served:
        ports.append(urlsplit(served.url).port or 0)
        raise ZeroDivisionError

    with socket.socket() as line:
        assert 0 != line.connect_ex(("127.0.0.1", ports[0]))


@pytest.mark.usefixtures("nginx")
@pytest.mark.timeout(15)  # nginx tries for two seconds to get the port it was told
def test_a_port_that_was_taken_is_left_to_its_owner(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    client: Callable[[str], Any],
) -> None:
    """Somebody was faster once: another port is tried."""
    find = module.free_port
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        ports = iter([taken.getsockname()[1]])
        monkeypatch.setattr(module, "free_port", lambda: next(ports, None) or find())
        with origin(folder, BUCKET, into=tmp_path) as served:
            assert 1 == client(served.url).list_objects_v2(Bucket=BUCKET, MaxKeys=1)["KeyCount"]
            assert taken.getsockname()[1] != urlsplit(served.url).port


@pytest.mark.usefixtures("nginx")
def test_no_folder_is_a_sentence(tmp_path: Path) -> None:
    """It is named, and nothing was started."""
    with (
        pytest.raises(BadInput, match="is no folder"),
        origin(tmp_path / "none", BUCKET, into=tmp_path / "into"),
    ):
        pass

    assert not (tmp_path / "into").exists()


@pytest.mark.usefixtures("nginx")
def test_a_path_that_nginx_would_misread_is_refused(folder: Path, tmp_path: Path) -> None:
    """A semicolon ends a line of its configuration."""
    with (
        pytest.raises(BadInput, match="configuration"),
        origin(folder, BUCKET, into=tmp_path / "a;b"),
    ):
        pass


@pytest.mark.usefixtures("nginx")
def test_a_path_with_a_space_serves(
    folder: Path, tmp_path: Path, client: Callable[[str], Any]
) -> None:
    """Spaces are no reason to refuse."""
    with origin(folder, BUCKET, into=tmp_path / "a run") as served:
        assert (
            b"{}"
            == client(served.url).get_object(Bucket=BUCKET, Key="model/config.json")["Body"].read()
        )


def test_no_nginx_says_how_to_get_it(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One sentence, and the command."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(module, "SBIN", ())

    with (
        pytest.raises(OutsideFailed, match="nginx is not there") as missing,
        origin(folder, BUCKET, into=tmp_path),
    ):
        pass

    assert "apt-get install nginx" in missing.value.remedy


def test_tells_clients_where_it_is() -> None:
    """The streamer has a name of its own for the address, and must not use the bucket's as host."""
    served = Endpoint(url="http://127.0.0.1:1", access_log=Path("/none"))

    said = served.environment

    assert said["AWS_ENDPOINT_URL"] == served.url == said["RUNAI_STREAMER_S3_ENDPOINT"]
    assert "0" == said["RUNAI_STREAMER_S3_USE_VIRTUAL_ADDRESSING"]


def line(ended: float, took: float, **other: object) -> str:
    """Make a line as nginx writes it."""
    said = {"method": "GET", "key": "/weights/a", "bytes": 1, **other}
    return json.dumps({"ended_unix_s": ended, "took_s": took, **said})


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([], None),
        ([line(1, 1, method="HEAD")], None),
        ([line(1, 1, key="/weights")], None),
        ([line(1, 1), line(2, 1)], 1.0),
        ([line(1, 1), line(1, 1), line(1, 1)], 3.0),
        # Half of the first overlaps the second; the pause before the third does not count.
        ([line(2, 2), line(3, 2), line(10, 1)], 5 / 4),
    ],
)
def test_counts_requests_in_flight(lines: list[str], expected: float | None) -> None:
    """Seconds of requests over seconds in which there was one; None where there was none."""
    assert expected == requests_in_flight(lines)


@pytest.mark.usefixtures("nginx")
def test_it_is_served_where_it_was_before(folder: Path, tmp_path: Path) -> None:
    """On a port that is given: a run that goes on has the address in its plan."""
    port = free_port()

    for _ in range(2):
        with origin(folder, BUCKET, into=tmp_path, port=port) as served:
            assert f"http://127.0.0.1:{port}" == served.url


@pytest.mark.usefixtures("nginx")
def test_a_folder_that_cannot_be_written_is_a_sentence(folder: Path, tmp_path: Path) -> None:
    """A file stands where the folder would be."""
    file = tmp_path / "file"
    file.write_text("")

    with pytest.raises(OutsideFailed, match="cannot be written"), origin(folder, BUCKET, into=file):
        pass

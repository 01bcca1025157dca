"""Whoever heals a place is not alone: what became whole meanwhile stays, and nothing is made up."""

import http.client
import multiprocessing
from collections.abc import Callable
from functools import partial
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from firstlight.caches.layout import Place
from firstlight.caches.publishing import State
from firstlight.caches.signatures import key_id
from firstlight.core.errors import OutsideFailed
from firstlight.edges.object_store import ObjectStore
from tests.caching.faulty import Spoils, faulty
from tests.caching.small import FILES, PUBLIC, pulled, pushed, read, write

pytestmark = pytest.mark.timeout(60)
BETTER = {**FILES, "vllm/better": b"better"}


@pytest.fixture(params=["folder", "bucket"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A store of either kind."""
    if request.param == "folder":
        return f"file://{tmp_path}/store"
    return str(request.getfixturevalue("bucket"))


@pytest.fixture
def place(tmp_path: Path) -> str:
    """Where a manifest of ours lies on any store."""
    made = pushed(f"file://{tmp_path}/measured", write(tmp_path / "root"))
    return Place(key=made.key, signer=key_id(PUBLIC)).path


@pytest.fixture
def while_uploading(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], None]:
    """Let something happen while the next archive is on its way."""

    def arrange(happens: Callable[[], object]) -> None:
        upload, left = ObjectStore.put_file, [happens]

        def slowly(store: ObjectStore, path: str, file: Path) -> None:
            if left:
                left.pop()()
            upload(store, path, file)

        monkeypatch.setattr(ObjectStore, "put_file", slowly)

    return arrange


def test_one_that_another_healed_meanwhile_stays(
    url: str,
    place: str,
    tmp_path: Path,
    while_uploading: Callable[[Callable[[], object]], None],
) -> None:
    """An older one over it would look like a store that was set back to whoever took it."""
    ObjectStore(url).put(place, b"{}")
    write(tmp_path / "better", BETTER)
    others = []
    while_uploading(lambda: others.append(pushed(url, tmp_path / "better")))

    late = pushed(url, tmp_path / "root")

    (first,) = others
    assert first.manifest is not None
    assert (None, State.WHOLE) == (late.manifest, late.found.state)
    assert first.manifest == pulled(url, tmp_path / "into" / "engine").manifest
    assert BETTER == read(tmp_path / "into" / "engine")


def test_what_nobody_could_take_and_came_meanwhile_is_replaced_too(
    url: str,
    place: str,
    tmp_path: Path,
    while_uploading: Callable[[Callable[[], object]], None],
) -> None:
    """Whoever put it there first has published nothing."""
    while_uploading(lambda: ObjectStore(url).put(place, b"{}"))

    done = pushed(url, tmp_path / "root")

    assert State.WRONG is done.found.state
    assert done.manifest == pulled(url, tmp_path / "into" / "engine").manifest


def deletes_and_conflicts(endpoint: str) -> Spoils:
    """As S3 answers the first conditional write of a manifest during which it is deleted."""
    left = [409]

    def spoil(ask: BaseHTTPRequestHandler, _: bytes) -> bool:
        if ask.command != "PUT" or "/manifests/" not in ask.path or not left:
            return False
        at = urlsplit(endpoint)
        deleting = http.client.HTTPConnection(at.hostname or "", at.port, timeout=5)
        signed = {"Authorization": ask.headers["Authorization"]}
        deleting.request("DELETE", urlsplit(ask.path).path, headers=signed)
        assert 204 == deleting.getresponse().status
        deleting.close()
        data = b"<Error><Code>ConditionalRequestConflict</Code></Error>"
        ask.send_response(left.pop())
        ask.send_header("Content-Length", str(len(data)))
        ask.end_headers()
        ask.wfile.write(data)
        return True

    return spoil


def test_a_conflict_is_not_taken_for_a_cache(
    bucket: str, endpoint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The library says of a 409 that something is there; S3 means that one should try again."""
    root = write(tmp_path / "root")
    with faulty(endpoint, deletes_and_conflicts(endpoint)) as before:
        monkeypatch.setenv("AWS_ENDPOINT_URL", before)
        done = pushed(bucket, root)
    monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)

    assert done.manifest is not None
    assert done.manifest == pulled(bucket, tmp_path / "into" / "engine").manifest


def _folder(at: Path) -> None:
    at.mkdir(parents=True)


def _link(at: Path) -> None:
    at.parent.mkdir(parents=True)
    at.symlink_to(at.parent / "nowhere")


@pytest.mark.parametrize("block", [_folder, _link])
def test_what_blocks_a_place_and_cannot_be_found_is_no_cache(
    place: str, tmp_path: Path, block: Callable[[Path], None]
) -> None:
    """A push that ended well would be believed."""
    url = f"file://{tmp_path}/store"
    block(tmp_path / "store" / place)

    with pytest.raises(OutsideFailed, match="cannot be found, though it is refused") as refused:
        pushed(url, tmp_path / "root")

    assert place in refused.value.message
    assert "--replace" in refused.value.remedy


def test_a_link_to_nowhere_is_replaced_when_told(place: str, tmp_path: Path) -> None:
    """As its remedy says."""
    url = f"file://{tmp_path}/store"
    _link(tmp_path / "store" / place)

    assert pushed(url, tmp_path / "root", replaces=True).manifest is not None

    pulled(url, tmp_path / "into" / "engine")
    assert FILES == read(tmp_path / "into" / "engine")


def _heals(url: str, root: Path) -> bool:
    return pushed(url, root).manifest is not None


def test_several_that_heal_at_once_leave_one_that_is_whole(
    bucket: str, place: str, tmp_path: Path
) -> None:
    """Each would publish a folder of its own."""
    ObjectStore(bucket).put(place, b"{}")
    roots = [
        write(tmp_path / f"root-{number}", {**FILES, "vllm/x": bytes([number])})
        for number in range(4)
    ]

    with multiprocessing.get_context("spawn").Pool(4) as pool:
        done = pool.map(partial(_heals, bucket), roots, chunksize=1)

    assert any(done)
    pulled(bucket, tmp_path / "into" / "engine")
    assert read(tmp_path / "into" / "engine") in [read(root) for root in roots]
    assert not _heals(bucket, roots[0])

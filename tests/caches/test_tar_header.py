"""The header that we write is the one that Python's tarfile writes."""

import tarfile

from hypothesis import given
from hypothesis import strategies as st

from firstlight.caches.manifest import File
from firstlight.caches.tar_stream import header, mode

NUMBERS = st.one_of(st.integers(0, 2**53), st.sampled_from([0, 8**11 - 1, 8**11]))


@given(st.text("aé/x", min_size=1, max_size=130), NUMBERS, NUMBERS, st.booleans())
def test_a_header_is_tarfiles(path: str, size: int, mtime: int, executable: bool) -> None:
    """Byte for byte, whichever way it was made."""
    file = File(path=path, size_bytes=size, sha256="0" * 64, mtime_s=mtime, executable=executable)
    info = tarfile.TarInfo(path)
    info.size, info.mtime, info.mode = size, mtime, mode(file)

    assert info.tobuf(tarfile.GNU_FORMAT, "utf-8", "strict") == header(file)

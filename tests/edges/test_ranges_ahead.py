"""Ranges of an object at once, in order."""

import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.core.errors import OutsideFailed
from firstlight.edges.ranges_ahead import RangesAhead


@given(
    st.binary(max_size=200),
    st.integers(1, 50),
    st.integers(1, 5),
    st.lists(st.integers(1, 60), min_size=1, max_size=5),
)
def test_the_bytes_come_in_order(data: bytes, part: int, at_once: int, sizes: list[int]) -> None:
    """However large the parts are, and however they are read."""
    source = RangesAhead(lambda a, b: data[a:b], len(data), part_bytes=part, at_once=at_once)
    found = b""
    with source:
        while piece := source.read(sizes[len(found) % len(sizes)]):
            found += piece
        assert b"" == source.read(1)
    assert data == found


def test_so_many_are_asked_at_once_and_not_more() -> None:
    """Also when nobody reads on: what waits is bounded."""
    lock, now, most, asked = threading.Lock(), [0], [0], [0]

    def read_range(begin: int, end: int) -> bytes:
        with lock:
            now[0] += 1
            asked[0] += 1
            most[0] = max(most[0], now[0])
        time.sleep(0.02)
        with lock:
            now[0] -= 1
        return bytes(end - begin)

    with RangesAhead(read_range, 1000, part_bytes=10, at_once=4) as source:
        source.read(1)
        time.sleep(0.1)
        assert 5 >= asked[0]
        while source.read(10):
            pass
    assert 4 == most[0]
    assert 100 == asked[0]


def test_what_is_wrong_with_a_range_is_raised_where_it_would_have_come() -> None:
    """Those before it are read."""

    def read_range(begin: int, end: int) -> bytes:
        if begin == 20:
            raise OutsideFailed("no", remedy="none")
        return bytes(end - begin)

    with RangesAhead(read_range, 50, part_bytes=10, at_once=3) as source:
        assert 20 == len(source.read(10) + source.read(10))
        with pytest.raises(OutsideFailed, match="no"):
            source.read(10)

"""Whatever the bytes are: an answer, no traceback, and no number that is not in them."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.robustness.explaining import check, explain
from tests.strategies import ANY_BYTES, encoded_logs, logs, pieces, woven_logs

# Each of these tries many whole artefacts; on a busy machine that takes its time.
pytestmark = pytest.mark.timeout(60)
_patient = settings(suppress_health_check=[HealthCheck.too_slow], max_examples=60)


@_patient
@given(st.binary(max_size=2000))
def test_random_bytes(data: bytes) -> None:
    """Noise is read to its end, and nothing is found in it that is not there."""
    check(data)


@_patient
@given(logs())
def test_logs_of_any_lines_cut_anywhere(data: bytes) -> None:
    """Lines of vLLM in no order that it ever prints, truncated, with junk in between."""
    check(data)


@_patient
@given(woven_logs())
def test_interleaved_logs(data: bytes) -> None:
    """Two logs written into one file at once."""
    check(data)


@_patient
@given(encoded_logs())
def test_wrong_encodings(data: bytes) -> None:
    """UTF-16 by a Windows shell, UTF-32, UTF-7, a code page: an answer or none, no damage."""
    check(data)


@_patient
@given(ANY_BYTES.flatmap(lambda data: st.tuples(st.just(data), pieces(data))))
def test_chunks_do_not_matter(given_in: tuple[bytes, list[bytes]]) -> None:
    """A pipe cuts where it likes; the answer is that of the whole."""
    data, chunks = given_in

    assert explain(data) == explain(data, chunks)

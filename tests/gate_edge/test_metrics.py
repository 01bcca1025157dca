"""Which exchanges show how long a first token takes."""

import pytest

from firstlight.edges.gate.door import End, Exchanged
from firstlight.edges.gate.metrics import Metrics


@pytest.mark.parametrize(
    ("method", "status", "end", "counts"),
    [
        ("POST", 200, End.WHOLE, True),
        ("POST", 201, End.CLIENT_GONE, True),
        ("POST", 200, End.ENGINE_FAILED, False),
        ("POST", 404, End.WHOLE, False),
        ("POST", 500, End.WHOLE, False),
        ("GET", 200, End.WHOLE, False),
    ],
)
def test_only_what_was_generated_has_a_time_to_its_first_token(
    method: str, status: int, end: End, counts: bool
) -> None:
    metrics = Metrics(["awake"])
    metrics.passed(
        Exchanged(
            method=method,
            end=end,
            status=status,
            request_bytes=0,
            response_bytes=9,
            first_byte_s=0.3,
            lasted_s=0.4,
        )
    )
    lines = metrics.page().decode().splitlines()
    assert f"firstlight_gate_ttft_seconds_count {float(counts)}" in lines

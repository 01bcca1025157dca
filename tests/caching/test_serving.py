"""Whoever publishes beside an engine waits until it has answered once, and no longer."""

import time
from pathlib import Path

import pytest

from firstlight.caches.job_files import ENGINE_ENDED
from firstlight.core.errors import BadInput, EngineFailed, OutsideFailed
from firstlight.wiring.caching.serving import Served, until_served
from firstlight.wiring.caching.shared_folder import SharedFolder
from firstlight.wiring.caching.steps import Event, Step
from tests.caching.engine import own_certificate, serving
from tests.fakes.canned_server import canned
from tests.fakes.processes import free_port

pytestmark = pytest.mark.timeout(20)


def wait(
    url: str,
    *,
    key: str | None = None,
    wait_s: float = 10,
    shared: SharedFolder | None = None,
) -> list[Step]:
    """The steps that were told."""
    told: list[Step] = []
    until_served(Served(url=url, api_key=key, wait_s=wait_s), shared, told.append)
    return told


def test_it_is_asked_for_one_token_when_it_is_healthy() -> None:
    """Not before, and not twice."""
    with serving(healthy_after_s=0.5) as engine:
        told = wait(engine.url)

    assert "/health" == engine.asked[0]
    assert ["/v1/models", "/v1/completions"] == engine.asked[-2:]
    assert {Event.WAITING} == {step.event for step in told}
    assert any("GET /health answered 503" in (step.why or "") for step in told)


def test_a_key_is_handed_over() -> None:
    """As the engine was given it; without it the reason is said."""
    with serving(api_key="sesame") as engine:
        wait(engine.url, key="sesame")
        assert "/v1/completions" == engine.asked[-1]
        with pytest.raises(OutsideFailed, match="asks for an API key") as refused:
            wait(engine.url)

    assert "VLLM_API_KEY" in refused.value.remedy


def test_an_own_certificate_is_taken_on_loopback(tmp_path: Path) -> None:
    """The engine is in the same pod."""
    with serving(certificate=own_certificate(tmp_path / "engine.pem")) as engine:
        wait(engine.url)

    assert "/v1/completions" == engine.asked[-1]


def test_an_own_certificate_of_another_host_is_refused_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would not become a better one by waiting."""
    monkeypatch.setattr("firstlight.edges.http_exchange._is_loopback", lambda _: False)

    with (
        serving(certificate=own_certificate(tmp_path / "engine.pem")) as engine,
        pytest.raises(OutsideFailed, match="a certificate that nobody here vouches for"),
    ):
        wait(engine.url)


def test_an_engine_that_ended_is_not_waited_for(tmp_path: Path) -> None:
    """Its container leaves word."""
    (tmp_path / ENGINE_ENDED).touch()
    began_s = time.monotonic()

    with pytest.raises(EngineFailed, match="the engine ended before it answered a request"):
        wait(f"http://127.0.0.1:{free_port()}", shared=SharedFolder(tmp_path))

    assert time.monotonic() - began_s < 1


def test_waiting_ends() -> None:
    """With what came last instead of an answer."""
    port = free_port()
    expected = f"within 0.2 s: nobody listens on 127.0.0.1:{port}"
    with pytest.raises(OutsideFailed, match=expected):
        wait(f"http://127.0.0.1:{port}", wait_s=0.2)


def test_an_engine_that_is_silent_is_not_waited_for_longer() -> None:
    """A question is not asked for longer than there is patience."""
    began_s = time.monotonic()
    with canned(hold_open=True) as server, pytest.raises(OutsideFailed, match=r"within 0\.5 s"):
        wait(server.url, wait_s=0.5)

    assert time.monotonic() - began_s < 2


def test_an_engine_without_tokens_is_no_reason_to_publish() -> None:
    """It is healthy, and refuses both routes."""
    with serving() as engine:
        engine.gives_tokens = False
        with pytest.raises(OutsideFailed, match="is there and gave no token: POST /v1/compl"):
            wait(engine.url)

    assert ["/v1/completions", "/v1/chat/completions"] == engine.asked[-2:]


@pytest.mark.parametrize(
    "url", ["127.0.0.1:8000", "ftp://h/", "http://", "http://h:port", "s3://b"]
)
def test_what_is_no_server_is_said(url: str) -> None:
    """At once."""
    with pytest.raises(BadInput, match="is no server's URL"):
        wait(url)

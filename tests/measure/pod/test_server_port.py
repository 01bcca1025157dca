"""Where in a pod the engine's server listens."""

from typing import Any

import pytest

from firstlight.measure.pod.engine_container import engine_container
from firstlight.measure.pod.server_port import ServerPort, server_port
from tests.measure.pod.fake_cluster import pod


def container(name: str = "vllm", **more: Any) -> dict[str, Any]:
    return {"name": name, **more}


def probe(port: int | str, **more: str) -> dict[str, Any]:
    return {"httpGet": {"path": "/health", "port": port, **more}}


NAMED = [{"name": "metrics", "containerPort": 9090}, {"name": "http", "containerPort": 8080}]


@pytest.mark.parametrize(
    ("containers", "given", "expected"),
    [
        ([container(readinessProbe=probe(8001))], None, ServerPort(number=8001)),
        ([container(readinessProbe=probe("http"), ports=NAMED)], None, ServerPort(number=8080)),
        (
            [container(startupProbe=probe(8001), ports=NAMED)],
            None,
            ServerPort(number=8001),
        ),
        (
            [container(readinessProbe=probe(8443, scheme="HTTPS"))],
            None,
            ServerPort(number=8443, https=True),
        ),
        (
            [container(readinessProbe=probe(8443, scheme="HTTPS"))],
            9000,
            ServerPort(number=9000, https=True),
        ),
        ([container(ports=NAMED)], None, ServerPort(number=8080)),
        ([container(ports=NAMED[:1])], None, ServerPort(number=9090)),
        ([container(readinessProbe=probe("gone"))], None, None),
        ([container(readinessProbe={"exec": {}})], None, None),
        ([container()], 8000, ServerPort(number=8000)),
        ([container()], None, None),
        (
            [container("proxy", ports=[{"containerPort": 15001}]), container(ports=NAMED)],
            None,
            ServerPort(number=8080),
        ),
    ],
)
def test_the_port_is_read_from_the_pod(
    containers: list[dict[str, Any]], given: int | None, expected: ServerPort | None
) -> None:
    """What is given counts, then what is probed, then what is declared; nothing is guessed."""
    one = pod(1, containers=containers)

    assert expected == server_port(one, container=engine_container(one), given=given)

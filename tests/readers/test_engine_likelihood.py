"""How much speaks for a container being the engine's."""

from typing import Any

import pytest

from firstlight.readers.engine_likelihood import Likelihood, engine_likelihood

SERVE = "vllm serve m --port 8000"
NOTHING: dict[str, Any] = {
    "name": "a",
    "image": "busybox",
    "command": [],
    "args": [],
    "gpus": False,
}


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ({}, Likelihood.NONE),
        ({"gpus": True}, Likelihood.GPU),
        ({"name": "vllm-router"}, Likelihood.MENTIONED),
        ({"image": "x/VLLM-exporter:1"}, Likelihood.MENTIONED),
        ({"args": ["--target=http://vllm:8000"]}, Likelihood.MENTIONED),
        ({"name": "vllm", "gpus": True}, Likelihood.LIKELY),
        ({"command": SERVE.split()}, Likelihood.STARTED),
        ({"command": ["numactl", "vllm"], "args": ["serve", "m"]}, Likelihood.STARTED),
        ({"command": ["sh", "-c", f"echo hello; exec {SERVE}"]}, Likelihood.STARTED),
        ({"command": ["sh", "-c"], "args": [SERVE]}, Likelihood.STARTED),
        ({"command": ["sh", "-c", f"{SERVE} 'never closed"]}, Likelihood.MENTIONED),
        ({"command": ["echo", *SERVE.split()]}, Likelihood.MENTIONED),
        ({"image": "x/vllm-openai:1", "args": ["--model", "m"]}, Likelihood.STARTED),
        ({"image": "x/vllm-openai:1"}, Likelihood.MENTIONED),
        ({"image": "x/vllm-openai:1", "command": ["sleep"], "args": ["9"]}, Likelihood.MENTIONED),
        ({"image": "x/vllm-openai:1", "args": ["sh", "-c", "sleep 9"]}, Likelihood.MENTIONED),
        ({"image": "x/vllm-openai:1", "command": ["vllm", "bench", "serve"]}, Likelihood.NONE),
        ({"command": ["sh", "-c", "vllm bench throughput"], "gpus": True}, Likelihood.GPU),
        ({"command": ["sh", "-c", "vllm serve m & vllm bench serve"]}, Likelihood.STARTED),
        ({"image": "x/my-vllm:1", "args": ["--model", "m"]}, Likelihood.MENTIONED),
        ({"image": "x/my-vllm:1", "args": ["--model", "m"], "gpus": True}, Likelihood.STARTED),
    ],
)
def test_what_starts_the_engine_is_more_than_what_speaks_of_it(
    told: dict[str, Any], expected: Likelihood
) -> None:
    """Exporters, routers and clients have its name too; an image's own arguments go to it."""
    assert expected is engine_likelihood(**{**NOTHING, **told})


def test_levels_have_an_order() -> None:
    """The likeliest container is the highest."""
    assert [
        Likelihood.NONE,
        Likelihood.GPU,
        Likelihood.MENTIONED,
        Likelihood.LIKELY,
        Likelihood.STARTED,
    ] == sorted(Likelihood)

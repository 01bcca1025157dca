"""
The real engine reads its weights both ways: through the mount, and streamed from the bucket.

With the tiny model, for it is the way that is tested here and not how long it takes.
"""

import os
import shutil
import socket
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from mount import mounted
from origin import Endpoint, origin, requests_in_flight

from firstlight.core.signs import Sign
from firstlight.core.starts import Outcome, Start
from firstlight.wiring.measuring import measure_once

BUCKET = "weights"

pytestmark = [pytest.mark.engine, pytest.mark.timeout(900)]

Begin = Callable[[str, str, Mapping[str, str], list[str]], Start]


@pytest.fixture(scope="module")
def endpoint(
    nginx: None,  # noqa: ARG001
    engine_folder: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Endpoint]:
    """A bucket with the tiny model in it, under the key `model`."""
    folder = tmp_path_factory.mktemp("bucket")
    shutil.copytree(engine_folder / "model", folder / "model")
    with origin(folder, BUCKET, into=tmp_path_factory.mktemp("origin")) as served:
        yield served


@pytest.fixture(scope="module")
def begin(engine_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Begin:
    """Start the engine once. Both share a compile cache: the second start is shorter for it."""
    caches = tmp_path_factory.mktemp("caches")

    def started(label: str, model: str, variables: Mapping[str, str], more: list[str]) -> Start:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = str(free.getsockname()[1])
        serve = [str(engine_folder / "venv" / "bin" / "vllm"), "serve", model]
        return measure_once(
            [*serve, "--port", port, "--max-model-len", "512", *more],
            into=tmp_path_factory.getbasetemp() / "local-runs",
            label=label,
            progress=lambda _: None,
            environment={
                **os.environ,
                "HF_HUB_OFFLINE": "1",
                "VLLM_NO_USAGE_STATS": "1",
                "VLLM_CPU_KVCACHE_SPACE": "1",
                "VLLM_USE_AOT_COMPILE": "0",
                "VLLM_CACHE_ROOT": str(caches / "vllm"),
                "VLLM_ASSETS_CACHE": str(caches / "assets"),
                "TORCHINDUCTOR_CACHE_DIR": str(caches / "inductor"),
                **variables,
            },
            probe=True,
        ).start

    return started


@pytest.mark.slow
@pytest.mark.usefixtures("fuse")
def test_weights_through_the_mount(endpoint: Endpoint, begin: Begin, tmp_path: Path) -> None:
    """It comes up, what was read was read from files, and those from a mount."""
    with mounted(endpoint.url, BUCKET, tmp_path / "at") as path:
        start = begin("mounted", str(path / "model"), {}, [])

    assert Outcome.READY is start.outcome
    assert {Sign.WEIGHTS_FROM_FILES, Sign.WEIGHTS_MOUNTED} <= set(start.signs)
    assert Sign.WEIGHTS_STREAMED not in start.signs
    assert requests_in_flight(endpoint.access_log.read_text().splitlines()) is not None


def test_weights_streamed_from_the_bucket(endpoint: Endpoint, begin: Begin) -> None:
    """It comes up, and the weights came from the bucket with no file in between."""
    variables = endpoint.environment | {"RUNAI_STREAMER_LOG_TO_STDERR": "1"}

    start = begin(
        "streamed", f"s3://{BUCKET}/model", variables, ["--load-format", "runai_streamer"]
    )

    assert Outcome.READY is start.outcome
    assert Sign.WEIGHTS_STREAMED in start.signs
    assert Sign.WEIGHTS_FROM_FILES not in start.signs
    assert start.first_token_ns is not None

"""One start of the real engine."""

import os
import socket
from pathlib import Path
from typing import Protocol

import pytest

from firstlight.wiring.measuring import MeasuredRound, measure_once


class StartEngine(Protocol):
    """One start of the real engine."""

    def __call__(
        self, label: str, caches: Path, *, probe: bool = True, **switches: str
    ) -> MeasuredRound: ...


@pytest.fixture(scope="session")
def start_engine(engine_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> StartEngine:
    """Start the real engine once, with the caches and switches given, and explain it."""

    def start(label: str, caches: Path, *, probe: bool = True, **switches: str) -> MeasuredRound:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        return measure_once(
            [
                str(engine_folder / "venv" / "bin" / "vllm"),
                "serve",
                str(engine_folder / "model"),
                "--port",
                str(port),
                "--max-model-len",
                "512",
            ],
            into=tmp_path_factory.getbasetemp() / "runs",
            label=label,
            progress=lambda _: None,
            environment={
                **os.environ,
                "HF_HUB_OFFLINE": "1",
                "VLLM_NO_USAGE_STATS": "1",
                "VLLM_CPU_KVCACHE_SPACE": "1",
                "VLLM_CACHE_ROOT": str(caches / "vllm"),
                "TORCHINDUCTOR_CACHE_DIR": str(caches / "torchinductor"),
                **switches,
            },
            probe=probe,
        )

    return start

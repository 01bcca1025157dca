"""What `cache explain` is given is read once, whatever it is."""

import gzip
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from firstlight.core.errors import NothingFound
from firstlight.readers.compile_factors import CompileFactors
from firstlight.wiring.caching.sides import side
from tests.cli.console import HEAD, START

FACTORS = "torch.compile cache factors: env=0e0e cfg=0c0c comp=1212 code=3434 dir=/cache/vllm/a"
LOG = START + f"{HEAD.format('05')}{FACTORS}\n".encode()


def hashes(found: CompileFactors | None) -> dict[str, str]:
    assert found is not None
    return dict(found.hashes)


EXPECTED = {"env": "0e0e", "cfg": "0c0c", "comp": "1212", "code": "3434"}


@contextmanager
def fed(pipe: Path, data: bytes) -> Iterator[None]:
    """A pipe that somebody writes to, once."""
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=[data])
    writer.start()
    yield
    writer.join()


def test_a_pipe_tells_as_much_as_a_file(tmp_path: Path) -> None:
    """`cache explain <(kubectl logs ONE) <(kubectl logs OTHER)`: what came through it is gone."""
    (tmp_path / "file.log").write_bytes(LOG)

    by_file = side(str(tmp_path / "file.log"))
    with fed(tmp_path / "pipe.log", LOG):
        by_pipe = side(str(tmp_path / "pipe.log"))

    assert EXPECTED == hashes(by_file.compiled) == hashes(by_pipe.compiled)
    assert by_file.factors == by_pipe.factors
    assert "0.26.0" == by_pipe.factors.vllm


def test_a_compressed_log_tells_as_much(tmp_path: Path) -> None:
    """Its bytes are those of the log inside."""
    file = tmp_path / "engine.log.gz"
    file.write_bytes(gzip.compress(LOG))

    assert EXPECTED == hashes(side(str(file)).compiled)


def test_a_log_is_not_read_before_it_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its first letters tell it from a document, which is read whole."""
    file = tmp_path / "engine.log"
    file.write_bytes(LOG)

    def never(_: Path) -> bytes:
        raise AssertionError

    monkeypatch.setattr("firstlight.wiring.caching.sides.read_given", never)

    assert EXPECTED == hashes(side(str(file)).compiled)


def test_what_tells_of_no_start_is_said(tmp_path: Path) -> None:
    """With what would."""
    file = tmp_path / "other.log"
    file.write_bytes(b"nothing of the kind\n" * 10)

    with pytest.raises(NothingFound, match="no line of a vLLM start is in it"):
        side(str(file))

"""
What `cache explain` says of keys that the engine's own functions made.

A CPU never gets as far as vLLM's key, but its functions are there: the variables that are hashed,
and the digest of a whole configuration. Two pods are played with them; what differs between the
two must be named, and nothing else.
"""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from firstlight.caches.explaining import Explained, Side, explained
from firstlight.caches.factors import Factors
from firstlight.caches.hashed import hashed_arguments
from firstlight.readers.compile_factors import of_file

pytestmark = [pytest.mark.engine, pytest.mark.timeout(300)]
ASK = """
import json, sys
import vllm.envs as envs
from vllm.engine.arg_utils import EngineArgs
config = EngineArgs(model=sys.argv[1], **json.loads(sys.argv[2])).create_engine_config()
print(json.dumps({"env": envs.compile_factors(), "config_hash": config.compute_hash(),
                  "compiler_hash": "same", "code_hash": "same"}, default=str))
"""
Told = Callable[..., Side]


@pytest.fixture(scope="module")
def told(engine_folder: Path) -> Told:
    """A pod's key, as the engine makes it of variables and arguments."""

    def ask(name: str, environment: dict[str, str] | None = None, **arguments: Any) -> Side:
        done = subprocess.run(
            [
                *(engine_folder / "venv" / "bin" / "python", "-c", ASK, engine_folder / "model"),
                json.dumps(arguments),
            ],
            capture_output=True,
            check=True,
            text=True,
            env={
                "HF_HUB_OFFLINE": "1",
                "VLLM_NO_USAGE_STATS": "1",
                "VLLM_LOGGING_LEVEL": "ERROR",
                "PATH": "/usr/bin:/bin",
                **(environment or {}),
            },
        )
        given = {f"--{k.replace('_', '-')}": str(v) for k, v in arguments.items()}
        return Side(
            name=name,
            factors=Factors(model="m", arguments=hashed_arguments(given)),
            compiled=of_file(done.stdout.splitlines()[-1].encode()),
            environment=environment or {},
        )

    return ask


@pytest.fixture(scope="module")
def plain(told: Told) -> Side:
    """The pod that filled the cache."""
    return told("filled", {"VLLM_LOOPBACK_IP": "10.1.2.3"}, max_num_seqs=8)


def lines(found: Explained) -> list[str]:
    return [cause.line for cause in found.causes]


def test_the_address_of_the_pod(told: Told, plain: Side) -> None:
    """In a variable that is hashed."""
    found = explained(plain, told("missed", {"VLLM_LOOPBACK_IP": "10.1.2.9"}, max_num_seqs=8))

    expected = "environment VLLM_LOOPBACK_IP is 10.1.2.3 in filled and 10.1.2.9 in missed"
    assert [expected] == lines(found)
    assert {"configuration", "compiler", "traced code"} == set(found.same)


def test_another_argument(told: Told, plain: Side) -> None:
    """By its name and values, beside the digest that differs."""
    found = explained(plain, told("missed", {"VLLM_LOOPBACK_IP": "10.1.2.3"}, max_num_seqs=16))

    assert "--max-num-seqs is 8 in filled and 16 in missed" == lines(found)[0]
    assert any("configuration is another" in line for line in lines(found))


def test_what_is_not_hashed_makes_no_other_key(told: Told, plain: Side) -> None:
    """A log level, and a seed."""
    environment = {"VLLM_LOOPBACK_IP": "10.1.2.3", "VLLM_LOGGING_LEVEL": "WARNING"}

    assert [] == lines(explained(plain, told("missed", environment, max_num_seqs=8, seed=3)))


@pytest.mark.parametrize("port", ["8000", "tcp://10.0.0.7:8000"])
def test_the_port_of_a_service(told: Told, plain: Side, port: str) -> None:
    """The engine that is given VLLM_PORT leaves it out of its key; it is named beside it."""
    linked = {
        "VLLM_LOOPBACK_IP": "10.1.2.3",
        "VLLM_PORT": port,
        "VLLM_SERVICE_HOST": "10.0.0.7",
        "VLLM_SERVICE_PORT": "8000",
        "VLLM_PORT_8000_TCP": "tcp://10.0.0.7:8000",
        "VLLM_PORT_8000_TCP_ADDR": "10.0.0.7",
    }
    found = explained(plain, told("missed", linked, max_num_seqs=8))

    assert [] == lines(found)
    assert {"configuration", "compiler", "traced code"} == set(found.same)
    (said,) = (line for line in found.beside if line.startswith("VLLM_PORT is"))
    assert f"VLLM_PORT is not there in filled and {port} in missed: no part of the key" in said
    assert ("enableServiceLinks: false" in said) == port.startswith("tcp://")


def test_the_port_that_vllm_hashes(told: Told, plain: Side) -> None:
    """Its name is that of a Service's link, and it makes another key all the same."""
    given = {"VLLM_LOOPBACK_IP": "10.1.2.3", "VLLM_NIXL_SIDE_CHANNEL_PORT": "5700"}
    found = explained(plain, told("missed", given, max_num_seqs=8))

    expected = "environment VLLM_NIXL_SIDE_CHANNEL_PORT is 5600 in filled and 5700 in missed"
    assert [expected] == lines(found)


def test_what_the_engine_does_with_a_link(engine_folder: Path) -> None:
    """Where it asks for its port it ends; so a link costs a start, and no compilation."""
    ask = "import vllm.envs as envs; print(envs.VLLM_PORT)"
    done = subprocess.run(
        [engine_folder / "venv" / "bin" / "python", "-c", ask],
        capture_output=True,
        check=False,
        text=True,
        env={"PATH": "/usr/bin:/bin", "VLLM_PORT": "tcp://10.0.0.7:8000"},
    )

    assert 1 == done.returncode
    assert "appears to be a URI" in done.stderr

import json
import os
import platform
import socket
from pathlib import Path

import pytest

from firstlight.edges.host_facts import HostFacts, nic_speeds, nvidia_facts


def test_the_facts_of_a_host_are_the_same_at_each_look() -> None:
    """What differs between two looks would keep two rounds from being compared."""
    assert HostFacts().fixed() == HostFacts().fixed()


def test_the_facts_describe_this_host() -> None:
    """A few of them have a second source."""
    facts = HostFacts().fixed()

    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert (facts["kernel"], facts["cpu_count"]) == (platform.release(), os.cpu_count())
    assert isinstance(facts["memory_bytes"], int)
    assert abs(facts["memory_bytes"] - pages) < pages // 100


def test_the_name_of_the_host_is_not_among_them() -> None:
    """A digest tells two hosts apart just as well."""
    assert socket.gethostname() not in json.dumps(HostFacts().fixed()).split('"')


def test_what_is_the_case_now_can_be_recorded() -> None:
    """The load is a fact; what the page cache holds is not known, and said to be so."""
    now = json.loads(json.dumps(HostFacts().now()))

    assert (len(now["load_average"]), now["page_cache"]) == (3, "unknown")


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        (
            "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19\nGCC 12.3.0\n",
            "535.104.05",
        ),
        (
            "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.10  Release Build\n",
            "570.86.10",
        ),
        ("something else\n", None),
    ],
)
def test_the_driver_tells_its_version_and_its_gpus(
    tmp_path: Path, version: str, expected: str | None
) -> None:
    """Both kinds of its kernel module; a GPU that says no model is not counted."""
    (tmp_path / "version").write_text(version)
    for bus, words in (("1", "Model: \t\t NVIDIA L4\nIRQ:  \t\t 10\n"), ("2", "IRQ: 11\n")):
        (tmp_path / "gpus" / bus).mkdir(parents=True)
        (tmp_path / "gpus" / bus / "information").write_text(words)

    assert {"accelerators": ["NVIDIA L4"], "nvidia_driver": expected} == nvidia_facts(tmp_path)


def test_a_host_without_that_driver_has_none(tmp_path: Path) -> None:
    """Nothing there is no error."""
    assert {"accelerators": [], "nvidia_driver": None} == nvidia_facts(tmp_path / "none")


def nic(devices: Path, name: str, speed: str, *, real: bool) -> None:
    """An interface as /sys shows it."""
    (devices / name).mkdir(parents=True)
    (devices / name / "speed").write_text(speed)
    if real:
        (devices / name / "device").mkdir()


def test_interfaces_of_containers_are_none_of_the_machine(tmp_path: Path) -> None:
    """They come and go with pods, and a start before and after is the same start."""
    nic(tmp_path, "eth0", "25000\n", real=True)
    nic(tmp_path, "eth1", "-1\n", real=True)
    nic(tmp_path, "veth1a2b", "10000\n", real=False)
    nic(tmp_path, "docker0", "10000\n", real=False)

    assert {"eth0": 25_000} == nic_speeds(tmp_path, tmp_path / "routes")


def test_inside_a_container_its_way_out_is_its_network(tmp_path: Path) -> None:
    """There is no other."""
    nic(tmp_path / "net", "eth0", "10000\n", real=False)
    nic(tmp_path / "net", "other", "1000\n", real=False)
    (tmp_path / "routes").write_text(
        "Iface\tDestination\tGateway\neth0\t00000000\t0100A8C0\nother\t0000A8C0\t00000000\n"
    )

    assert {"eth0": 10_000} == nic_speeds(tmp_path / "net", tmp_path / "routes")

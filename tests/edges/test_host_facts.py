import json
import os
import platform
import socket
from pathlib import Path

import pytest

from firstlight.edges.host_facts import HostFacts, nvidia_facts


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

import json
import os
import platform
import socket

from firstlight.edges.host_facts import HostFacts


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

from collections.abc import Sequence
from dataclasses import dataclass

from firstlight.measure.command import ServerAddress
from firstlight.measure.heard import Heard
from firstlight.measure.ports import Ended, Stopped
from firstlight.measure.whereabouts import Elsewhere, Move, Whereabouts, connectable

_S = 1_000_000_000
_URL = "http://127.0.0.1:8000"


@dataclass(frozen=True, kw_only=True)
class At:
    """A listener."""

    port: int
    host: str = "0.0.0.0"  # noqa: S104 - what an engine listens on


class Listening:
    """An engine of which only the ports are looked at; the looks are scripted."""

    started_ns = running_ns = 0

    def __init__(self, *looks: Sequence[int]) -> None:
        self.looks = list(looks)

    def listeners(self) -> list[At]:
        return [At(port=port) for port in (self.looks.pop(0) if self.looks else [])]

    def new_lines(self) -> list[tuple[int, str]]:
        raise NotImplementedError

    def wait(self, *, timeout_ns: int) -> Ended | None:
        raise NotImplementedError

    def stop(self, *, grace_ns: int) -> Stopped:
        raise NotImplementedError


def news(
    *lines: str,
    looks: Sequence[Sequence[int]] = (),
    given: bool = False,
    named: bool = False,
    times: Sequence[int] = (1, 2, 3, 4),
) -> list[Move | Elsewhere | None]:
    """What is said each second, all lines having come in second 1."""
    heard = Heard()
    heard.take((1 * _S, line) for line in lines)
    where = Whereabouts(ServerAddress(url=_URL, given=given, port_named=named), elsewhere_ns=2 * _S)
    engine = Listening(*looks)
    return [
        where.news(url=_URL, heard=heard, engine=engine, now_ns=second * _S) for second in times
    ]


def test_the_engines_own_line_is_followed_wherever_it_says() -> None:
    """Even if the command named another port: a wrapper may have changed it."""
    (found,) = news("Starting vLLM server on http://0.0.0.0:9000", named=True, times=[1])

    assert isinstance(found, Move)
    assert (found.url, found.not_before_ns) == ("http://127.0.0.1:9000", 1 * _S)


def test_a_line_that_says_what_is_known_changes_nothing() -> None:
    """The normal case."""
    assert news("Starting vLLM server on http://0.0.0.0:8000", times=[9]) == [None]


def test_a_given_url_is_never_left_but_found_wrong_after_a_while() -> None:
    """Something in between may have needed a moment."""
    found = news("Starting vLLM server on http://0.0.0.0:9000", given=True)

    assert found[:2] == [None, None]
    assert found[2] == Elsewhere(where="http://127.0.0.1:9000")


def test_a_given_url_with_the_same_port_is_right_whatever_the_host() -> None:
    """The host has many names."""
    found = news("Starting vLLM server on http://10.0.0.7:8000", given=True, times=[9])

    assert found == [None]


def test_a_unix_socket_is_elsewhere_at_once() -> None:
    """It will never be polled."""
    assert news("Starting vLLM server on unix:/tmp/s", times=[1]) == [
        Elsewhere(where="unix:/tmp/s")
    ]


def test_the_only_open_port_of_an_unknown_engine_is_followed_at_the_second_look() -> None:
    """Once could be by chance."""
    found = news(looks=[[9000], [9000]])

    assert found[0] is None
    assert isinstance(found[1], Move)
    assert found[1].url == "http://127.0.0.1:9000"


def test_a_port_that_changes_is_not_followed_before_it_stays() -> None:
    """A passing listener is no server."""
    found = news(looks=[[9000], [9001], [9001]])

    assert found[:2] == [None, None]
    assert isinstance(found[2], Move)
    assert found[2].url == "http://127.0.0.1:9001"


def test_ports_are_looked_at_once_a_second() -> None:
    """The whole tree's descriptors are read for it."""
    found = news(looks=[[9000], [9000]], times=[1, 1, 1, 2])

    assert [one is None for one in found] == [True, True, True, False]


def test_several_open_ports_are_not_guessed_at() -> None:
    """One of them belongs to the workers."""
    assert news(looks=[[9000, 29500]] * 4) == [None] * 4


def test_the_ports_of_vllm_are_left_alone() -> None:
    """Before its server listens, its workers do; and it will say where its server is."""
    assert news("vLLM server version 0.32.0", looks=[[29500]] * 4) == [None] * 4


def test_ports_are_not_looked_at_if_the_port_is_named() -> None:
    """Then that is where it will be."""
    assert news(looks=[[9000]] * 4, named=True) == [None] * 4


def test_what_a_server_prints_becomes_a_url_to_ask() -> None:
    """Or nothing, where it is no TCP address."""
    printed = ["http://[::]:80", "https://h:1/x", "unix:/s", "http://h", "http://h:port", "-"]

    assert [connectable(said) for said in printed] == [
        "http://[::1]:80",
        "https://h:1",
        None,
        None,
        None,
        None,
    ]

import os
import socket

from firstlight.edges.listening import Listener, listeners


def test_a_listening_socket_of_a_process_is_found() -> None:
    """With its port and the address it is bound to; a bound one that does not listen is not."""
    with socket.socket() as listens, socket.socket() as only_bound:
        listens.bind(("127.0.0.1", 0))
        listens.listen()
        only_bound.bind(("127.0.0.1", 0))

        found = listeners([os.getpid()])

        assert Listener(port=listens.getsockname()[1], host="127.0.0.1") in found
        assert only_bound.getsockname()[1] not in {one.port for one in found}


def test_ipv6_addresses_are_read_in_the_byte_order_of_the_kernel() -> None:
    """Four words, each the wrong way round on most machines."""
    with socket.socket(socket.AF_INET6) as listens:
        listens.bind(("::1", 0))
        listens.listen()

        assert Listener(port=listens.getsockname()[1], host="::1") in listeners([os.getpid()])


def test_a_process_that_is_gone_listens_on_nothing() -> None:
    """Pid 0 is never anybody's."""
    assert () == listeners([0])

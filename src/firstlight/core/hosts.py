"""Addresses that a server listens on."""

import ipaddress


def is_loopback(host: str) -> bool:
    """Whether only the machine itself reaches it; a name other than `localhost` is no proof."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"

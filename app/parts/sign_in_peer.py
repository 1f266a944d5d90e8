"""Where a request comes from, as far as Streamlit tells."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import streamlit as st

FORWARDED_VARIABLE = "FORWARDED_ALLOW_IPS"
_LOOPBACK = "127.0.0.1"
_FORWARDING = ("x-forwarded-for", "x-forwarded-host", "forwarded", "via", "x-real-ip")


@dataclass(frozen=True)
class Request:
    """The handshake of one browser session.

    Args:
        peer: the address of the other end of the connection, or None where nobody knows.
        headers: every value of each header, by its name in lower case.
        rewritten: whether the server lets X-Forwarded-For stand for the peer's address.
    """

    peer: str | None
    headers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    rewritten: bool = False

    def only(self, name: str) -> str | None:
        """Return the header's value where it was sent exactly once and is not empty."""
        values = self.headers.get(name.lower(), ())
        return values[0] if len(values) == 1 and values[0].strip() else None

    def came_through_a_proxy(self) -> bool:
        """Return whether a header says that somebody forwarded the request."""
        return any(self.headers.get(name) for name in _FORWARDING)


def current_request() -> Request:
    """Return the request of this session.

    Streamlit gives a loopback peer as None, the same as no peer at all; without headers there
    was no connection. The server beneath it puts X-Forwarded-For in the place of a loopback peer
    unless FORWARDED_ALLOW_IPS is set and empty, as `judgekit label` does.
    """
    headers = {name.lower(): tuple(st.context.headers.get_all(name)) for name in st.context.headers}
    address = st.context.ip_address  # Streamlit's own test harness gives no text here
    peer = address if isinstance(address, str) else (_LOOPBACK if headers else None)
    return Request(peer=peer, headers=headers, rewritten=os.environ.get(FORWARDED_VARIABLE) != "")


def is_among(peer: str | None, networks: tuple[str, ...]) -> bool:
    """Return whether `peer` is one of the addresses or lies in one of the networks."""
    address = _address(peer)
    return address is not None and any(
        address in ip_network(network, strict=False) for network in networks
    )


def is_loopback(peer: str | None) -> bool:
    """Return whether `peer` is this machine."""
    address = _address(peer)
    return address is not None and address.is_loopback


def _address(peer: str | None) -> IPv4Address | IPv6Address | None:
    try:
        address = ip_address(peer or "")
    except ValueError:  # no address at all: then it is among no peers
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address

"""Whether the packets of a link are 802.1Q tagged: a property of the link, told by either end."""

from __future__ import annotations

from roce_lint.model.fabric import Fabric, Link
from roce_lint.model.interface import Interface


def settle_tags(fabric: Fabric) -> None:
    """Give an end that does not tell whether its packets are tagged what the other end tells.

    A routed or access port sends and takes untagged packets, so that the other end of its cable
    does. A port behind a link that is only assumed learns nothing.
    """
    for link in fabric.links:
        if not link.assumed:
            _settle(link)


def _settle(link: Link) -> None:
    one, other = link.a.interface, link.b.interface
    if one.tagged is None and other.tagged is False:
        _learn(one, other)
    elif other.tagged is None and one.tagged is False:
        _learn(other, one)


def _learn(port: Interface, peer: Interface) -> None:
    if not port.tagged_vlans:  # a trunk may carry tagged packets of others beside
        port.tagged = peer.tagged

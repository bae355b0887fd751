"""Whether the packets of a link are 802.1Q tagged: a property of the link, told by either end."""

from __future__ import annotations

from roce_lint.model.fabric import Fabric


def settle_tags(fabric: Fabric) -> None:
    """Give an end that does not tell whether its packets are tagged what the other end tells.

    A routed or access port sends and takes untagged packets, so that the other end of its cable
    does. A port behind a link that is only assumed learns nothing.
    """
    for link in fabric.links:
        if link.assumed:
            continue
        for end, far in (link.ends, link.ends[::-1]):
            port, peer = end.interface, far.interface
            # A trunk may carry tagged packets of others beside.
            if port.tagged is None and peer.tagged is False and not port.tagged_vlans:
                port.tagged = peer.tagged
                fabric.told.append(port)


def forget_tags(fabric: Fabric) -> None:
    """Take back what ends were told: another state of the fabric may share their devices."""
    for port in fabric.told:
        port.tagged = None
    fabric.told.clear()

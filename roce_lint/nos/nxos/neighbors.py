"""`show lldp neighbors detail`: who is at the other end of each port."""

from __future__ import annotations

import re

from roce_lint.model.interface import Interface, Neighbor
from roce_lint.nos.nxos import naming
from roce_lint.nos.reading import Reader, Reading

LLDP = "lldp"
"""Name of the source."""

DOTTED_MAC = re.compile(r"[0-9a-f]{4}(?:\.[0-9a-f]{4}){2}", re.IGNORECASE)

EMPTY = frozenset({"null", "not advertised", ""})
"""What NX-OS prints for a TLV that did not come."""


def add_neighbors(reading: Reading, interfaces: dict[str, Interface]) -> None:
    """Hang each neighbour on its port; a port that no configuration names is made for it."""
    for legend in reading.groups(LLDP, "legend"):
        legend.text("legend")  # what the letters of the capabilities mean
    for reader in reading.groups(LLDP, "neighbor"):
        port = reader.text("local_port")
        if port.value is None:
            continue
        name = naming.canonical(port.value)
        interface = interfaces.get(name)
        if interface is None:
            interface = interfaces[name] = reading.build(
                Interface,
                port.position,
                name=name,
                aliases=naming.aliases(name),
                kind=naming.kind_of(name),
            )
        neighbor = _neighbor(reader)
        interface.neighbors = (*interface.neighbors, neighbor)
        interface.at.setdefault("neighbors", port.position)


def _neighbor(reader: Reader) -> Neighbor:
    """The neighbour of one block. One without a name is known by its chassis alone."""
    reader.take()
    values = {
        name: reader.text(name).map(_plain)
        for name in ("chassis", "port_id", "description", "system_name")
    }
    device = values["system_name"].or_else(values["chassis"])
    names = [values[key].value for key in ("port_id", "description")]
    neighbor = reader.build(
        Neighbor,
        device=device.value or "",
        names=tuple(dict.fromkeys(name for name in names if name)),
        by="LLDP",
    )
    neighbor.at["device"] = device.position or reader.begin
    neighbor.at["names"] = values["port_id"].position or reader.begin
    return neighbor


def _plain(text: str) -> str | None:
    """A TLV's text; a MAC in Cisco's groups of four is spelled as others spell it."""
    if text in EMPTY:
        return None
    if not DOTTED_MAC.fullmatch(text):
        return text
    digits = text.replace(".", "").lower()
    return ":".join(digits[i : i + 2] for i in range(0, 12, 2))

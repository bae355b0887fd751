"""Neighbours heard by LLDP: `show lldp table` and `show lldp neighbors`."""

from __future__ import annotations

from roce_lint.model.device import Device
from roce_lint.model.interface import Interface, Neighbor
from roce_lint.nos.reading import Reader, Reading

TABLE = "lldp-table"
DETAIL = "lldp-neighbors"


def read_neighbors(reading: Reading, device: Device) -> None:
    """Add what LLDP heard to the ports; a neighbour that both outputs name counts once."""
    for source in (TABLE, DETAIL):
        for heading in reading.groups(source, "legend"):
            heading.all("legend")
        for row in reading.groups(source, "neighbor"):
            _add(reading, device, row)


def _add(reading: Reading, device: Device, row: Reader) -> None:
    """One neighbour. Adapters whose firmware speaks LLDP send no name, only a chassis address."""
    local = row.text("local")
    chassis = row.text("chassis")
    name = row.text("device").or_else(chassis)
    port_id = row.text("port_id")
    description = row.text("port_description")
    if local.value is None or name.value is None:
        return
    port = device.interfaces.get(local.value)
    if port is None:
        if device.interfaces and not device.partial:
            return
        port = reading.build(Interface, local.position, name=local.value)
        device.interfaces[local.value] = port
    # What somebody wrote for people is no name of a port; a single word may be one.
    words = (description.value or "").split()
    names = (port_id.value, words[0] if len(words) == 1 else None)
    known = tuple(dict.fromkeys(word for word in names if word))
    if any(other.device == name.value and other.names == known for other in port.neighbors):
        return
    neighbor = reading.build(Neighbor, row.begin, device=name, names=known)
    if port_id.position:
        neighbor.at["names"] = port_id.position
    port.neighbors += (neighbor,)

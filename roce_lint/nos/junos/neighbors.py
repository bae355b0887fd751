"""Who was heard at the other end: `show lldp neighbors`."""

from __future__ import annotations

from roce_lint.model.interface import Interface, Neighbor
from roce_lint.nos.reading import Reading, Value

LLDP = "lldp"


def add_neighbors(reading: Reading, interfaces: dict[str, Interface]) -> None:
    """Give every port the neighbours that LLDP shows on it."""
    for heading in reading.groups(LLDP, "legend"):
        heading.text("legend")
    for row in reading.groups(LLDP, "neighbor"):
        local = row.text("local").value or ""
        port = interfaces.get(local) or interfaces.get(local.rpartition(".")[0])
        device, port_id = row.text("system"), row.text("port")
        chassis = row.text("chassis")
        row.text("parent")
        if port is None or device.value is None:
            continue
        heard = row.build(
            Neighbor,
            device=device,
            names=Value(tuple(v for v in (port_id.value, chassis.value) if v), port_id.position),
        )
        port.neighbors = (*port.neighbors, heard)

"""LLDP neighbours as EOS prints them."""

from __future__ import annotations

from roce_lint.nos.base import Signature
from roce_lint.nos.lldp import Blocks, Columns, Tree, neighbors

LLDP = (
    neighbors(
        "lldp",
        r"show lldp neighbors(?: \S+)? detail",
        Blocks(
            {"ieee802.3 maximum frame size": "max_frame"},
            above=r"Interface (?P<port>\S+) detected ",
            begins=r"Neighbor (?P<chassis>[^/\s]+)/",
            # Other values of the same names, such as the id of a channel, are bare numbers.
            value=r'"(.*)"|([0-9a-f]{4}(?:\.[0-9a-f]{4}){2})|(\d+) bytes',
        ),
        Signature(r"^Interface \S+ detected \d+ LLDP neighbors:", 10, "LLDP neighbours of a port"),
        run="show lldp neighbors detail",
    ),
    neighbors(
        "lldp-brief",
        r"show lldp neighbors(?: (?!detail)\S+)?",
        Columns("Port=port, Neighbor Device ID=system, Neighbor Port ID=port_id"),
    ),
    neighbors(
        "lldp-detail-json",
        r"show lldp neighbors(?: \S+)? detail *\| *json",
        Tree(
            ("lldpNeighbors", "**", "lldpNeighborInfo", "*"),
            {
                "chassisId": "chassis",
                "systemName": "system",
                "neighborInterfaceInfo/interfaceId": "port_id",
                "neighborInterfaceInfo/interfaceId_v2": "port_id",
                "neighborInterfaceInfo/interfaceDescription": "description",
                "neighborInterfaceInfo/maxFrameSize": "max_frame",
            },
        ),
        Signature(r'"lldpNeighborInfo": *\[', 14, "neighbours of a port"),
    ),
    neighbors(
        "lldp-brief-json",
        r"show lldp neighbors(?: (?!detail)[^\s|]+)? *\| *json",
        Tree(
            ("lldpNeighbors", "*"),
            {"port": "port", "neighborDevice": "system", "neighborPort": "port_id"},
        ),
        Signature(r'"lldpNeighbors": *\[', 10, "list of the neighbours"),
        Signature(r'"neighborDevice": *"', 2, "a neighbour"),
    ),
)

"""LLDP neighbours as EOS prints them."""

from __future__ import annotations

from roce_lint.nos.base import Form, Plane, Signature, Source
from roce_lint.nos.lldp import Blocks, Columns, Tree
from roce_lint.nos.lldpcli import REFUSAL

LLDP = (
    Source(
        "lldp",
        form=Form.RAW,
        plane=Plane.STATE,
        command=r"show lldp neighbors(?: \S+)? detail",
        run="show lldp neighbors detail",
        signatures=(
            Signature(
                r"^Interface \S+ detected \d+ LLDP neighbors:", 10, "LLDP neighbours of a port"
            ),
        ),
        neighbors=Blocks(
            {
                "chassis id": "chassis",
                "port id": "port_id",
                "port description": "description",
                "system name": "system",
                "ieee802.3 maximum frame size": "max_frame",
                "maximum frame size": "max_frame",
            },
            above=r"Interface (?P<port>\S+) detected ",
            begins=r"Neighbor (?P<chassis>[^/\s]+)/",
            # Other values of the same names, such as the id of a channel, are bare numbers.
            value=r'"(.*)"|([0-9a-f]{4}(?:\.[0-9a-f]{4}){2})|(\d+) bytes',
        ),
    ),
    Source(
        "lldp-brief",
        form=Form.RAW,
        plane=Plane.STATE,
        command=r"show lldp neighbors(?: (?!detail)\S+)?",
        signatures=(
            Signature(
                r"^Port +Neighbor Device ID +Neighbor Port ID +TTL", 12, "titles of the neighbours"
            ),
        ),
        neighbors=Columns(
            {"Port": "port", "Neighbor Device ID": "system", "Neighbor Port ID": "port_id"}
        ),
    ),
    Source(
        "lldp-detail-json",
        form=Form.JSON,
        plane=Plane.STATE,
        command=r"show lldp neighbors(?: \S+)? detail *\| *json",
        signatures=(Signature(r'"lldpNeighborInfo": *\[', 14, "neighbours of a port"),),
        refusal=REFUSAL,
        neighbors=Tree(
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
    ),
    Source(
        "lldp-brief-json",
        form=Form.JSON,
        plane=Plane.STATE,
        command=r"show lldp neighbors(?: (?!detail)[^\s|]+)? *\| *json",
        signatures=(
            Signature(r'"lldpNeighbors": *\[', 10, "list of the neighbours"),
            Signature(r'"neighborDevice": *"', 2, "a neighbour"),
        ),
        refusal=REFUSAL,
        neighbors=Tree(
            ("lldpNeighbors", "*"),
            {"port": "port", "neighborDevice": "system", "neighborPort": "port_id"},
        ),
    ),
)

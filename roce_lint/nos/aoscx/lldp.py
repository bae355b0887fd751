"""LLDP neighbours as AOS-CX prints them."""

from __future__ import annotations

from roce_lint.nos.base import Signature
from roce_lint.nos.lldp import Blocks, Columns, neighbors

LLDP = (
    neighbors(
        "lldp-detail",
        r"show lldp neighbor-info(?: detail| \d\S*)",
        Blocks(
            {
                "port": "port",
                "neighbor chassis-id": "chassis",
                "neighbor chassis-name": "system",
                "neighbor system-name": "system",
                "neighbor port-id": "port_id",
                "neighbor port-desc": "description",
                "neighbor max-frame-size": "max_frame",
            },
            begins=r"Port +:",
        ),
        Signature(r"^Neighbor Chassis-ID +:", 10, "chassis of a neighbour"),
        Signature(r"^Neighbor Port-ID +:", 4, "port of a neighbour"),
        run="show lldp neighbor-info detail",
    ),
    neighbors(
        "lldp-brief",
        r"show lldp neighbor-info",
        Columns(
            "LOCAL-PORT=port, CHASSIS-ID=chassis, PORT-ID=port_id, PORT-DESC=description,"
            " SYS-NAME=system"
        ),
    ),
)

"""LLDP neighbours as OS10 prints them."""

from __future__ import annotations

from roce_lint.nos.base import Signature
from roce_lint.nos.lldp import Blocks, Columns, neighbors

_COMMAND = r"show lldp neighbors(?: interface \S+(?: (?!detail)\S+)?)?"

LLDP = (
    neighbors(
        "lldp-brief",
        _COMMAND,
        Columns(
            "Loc PortID=port, Rem Host Name=system, Rem Port Id=port_id, Rem Chassis Id=chassis"
        ),
        run="show lldp neighbors",
    ),
    neighbors(
        "lldp-detail",
        rf"{_COMMAND} detail",
        Blocks(
            {
                "remote chassis id": "chassis",
                "remote port id": "port_id",
                "remote port description": "description",
                "local port id": "port",
                "remote system name": "system",
                "remote max frame size": "max_frame",
            },
            begins=r"Remote Chassis ID Subtype:",
        ),
        Signature(r"^Remote Chassis ID Subtype:", 8, "a neighbour"),
        Signature(r"^Locally assigned remote Neighbor Index:", 6, "number of a neighbour"),
    ),
)

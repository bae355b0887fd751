"""LLDP neighbours as OS10 prints them."""

from __future__ import annotations

from roce_lint.nos.base import Form, Plane, Signature, Source
from roce_lint.nos.lldp import Blocks, Columns

LLDP = (
    Source(
        "lldp-brief",
        form=Form.RAW,
        plane=Plane.STATE,
        command=r"show lldp neighbors(?: interface \S+(?: (?!detail)\S+)?)?",
        run="show lldp neighbors",
        signatures=(
            Signature(r"^Loc PortID +Rem Host Name +Rem Port Id", 12, "titles of the neighbours"),
        ),
        neighbors=Columns(
            {
                "Loc PortID": "port",
                "Rem Host Name": "system",
                "Rem Port Id": "port_id",
                "Rem Chassis Id": "chassis",
            }
        ),
    ),
    Source(
        "lldp-detail",
        form=Form.RAW,
        plane=Plane.STATE,
        command=r"show lldp neighbors(?: interface \S+(?: \S+)?)? detail",
        signatures=(
            Signature(r"^Remote Chassis ID Subtype:", 8, "a neighbour"),
            Signature(r"^Locally assigned remote Neighbor Index:", 6, "number of a neighbour"),
        ),
        neighbors=Blocks(
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
    ),
)

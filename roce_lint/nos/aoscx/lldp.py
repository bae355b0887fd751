"""LLDP neighbours as AOS-CX prints them."""

from __future__ import annotations

from roce_lint.nos.base import Form, Plane, Signature, Source
from roce_lint.nos.lldp import Blocks, Columns

LLDP = (
    Source(
        "lldp-detail",
        form=Form.RAW,
        plane=Plane.STATE,
        command=r"show lldp neighbor-info(?: detail| \d\S*)",
        run="show lldp neighbor-info detail",
        signatures=(
            Signature(r"^Neighbor Chassis-ID +:", 10, "chassis of a neighbour"),
            Signature(r"^Neighbor Port-ID +:", 4, "port of a neighbour"),
        ),
        neighbors=Blocks(
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
    ),
    Source(
        "lldp-brief",
        form=Form.RAW,
        plane=Plane.STATE,
        command=r"show lldp neighbor-info",
        signatures=(
            Signature(r"^LOCAL-PORT +CHASSIS-ID +PORT-ID", 12, "titles of the neighbours"),
        ),
        neighbors=Columns(
            {
                "LOCAL-PORT": "port",
                "CHASSIS-ID": "chassis",
                "PORT-ID": "port_id",
                "PORT-DESC": "description",
                "SYS-NAME": "system",
            }
        ),
    ),
)

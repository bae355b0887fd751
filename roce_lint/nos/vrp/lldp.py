"""LLDP neighbours as CloudEngine switches prints them."""

from __future__ import annotations

from roce_lint.nos.base import Form, Plane, Signature, Source
from roce_lint.nos.lldp import Blocks, Columns

LLDP = (
    Source(
        "lldp-detail",
        form=Form.RAW,
        plane=Plane.STATE,
        command=r"display lldp neighbor(?: interface \S+(?: \d\S*)?)?",
        run="display lldp neighbor",
        signatures=(
            Signature(r"^\S+ has \d+ neighbor(?:s|\(s\))?:?", 10, "neighbours of a port"),
            Signature(r"^Neighbor index +:", 4, "number of a neighbour"),
        ),
        neighbors=Blocks(
            {
                "chassis id": "chassis",
                "port id": "port_id",
                "port description": "description",
                "system name": "system",
                "maximum frame size": "max_frame",
            },
            above=r"(?P<port>\S+) has \d+ neighbor",
            begins=r"Neighbor index *:",
        ),
    ),
    Source(
        "lldp-brief",
        form=Form.RAW,
        plane=Plane.STATE,
        command=r"display lldp neighbor(?: interface \S+(?: \d\S*)?)? brief",
        signatures=(
            Signature(
                r"^Local Interface +Exptime ?\(s\) +Neighbor Interface +Neighbor Device",
                12,
                "titles of the neighbours",
            ),
            Signature(r"^Local Intf +Neighbor Dev +Neighbor Intf", 12, "titles of the neighbours"),
        ),
        neighbors=Columns(
            {
                "Local Interface": "port",
                "Local Intf": "port",
                "Neighbor Interface": "port_id",
                "Neighbor Intf": "port_id",
                "Neighbor Device": "system",
                "Neighbor Dev": "system",
            }
        ),
    ),
)

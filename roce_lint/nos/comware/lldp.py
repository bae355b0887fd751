"""LLDP neighbours as Comware prints them."""

from __future__ import annotations

from roce_lint.nos.base import Form, Plane, Signature, Source
from roce_lint.nos.lldp import Blocks, Columns

_COMMAND = r"display lldp neighbor-information(?: interface \S+(?: \d\S*)?)?"

LLDP = (
    Source(
        "lldp-list",
        form=Form.RAW,
        plane=Plane.STATE,
        command=rf"{_COMMAND} list(?: system-name .*)?",
        run="display lldp neighbor-information list",
        signatures=(
            Signature(
                r"^System Name +Local Interface +Chassis ID +Port ID",
                12,
                "titles of the neighbours",
            ),
            Signature(
                r"^Local Interface +Chassis ID +Port ID +System Name",
                12,
                "titles of the neighbours",
            ),
        ),
        neighbors=Columns(
            {
                "System Name": "system",
                "Local Interface": "port",
                "Chassis ID": "chassis",
                "Port ID": "port_id",
            }
        ),
    ),
    Source(
        "lldp-detail",
        form=Form.RAW,
        plane=Plane.STATE,
        command=rf"{_COMMAND}(?: (?:agent \S+|verbose|brief))*",
        signatures=(
            Signature(r"^LLDP neighbor-information of port \d+\[", 12, "LLDP neighbours of a port"),
        ),
        neighbors=Blocks(
            {
                "chassis id": "chassis",
                "chassisid/subtype": "chassis",
                "port id": "port_id",
                "portid/subtype": "port_id",
                "port description": "description",
                "system name": "system",
                "maximum frame size": "max_frame",
            },
            above=r"LLDP neighbor-information of port \d+\[(?P<port>[^\]]+)\]",
            begins=r"LLDP neighbor index *:",
            value=r"(.*)/(?:MAC address|Interface (?:name|alias)|Locally assigned|Network address"
            r"(?:/\S+)?|Port component|Chassis component)|(.*)",
        ),
    ),
)

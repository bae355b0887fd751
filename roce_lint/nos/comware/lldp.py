"""LLDP neighbours as Comware prints them."""

from __future__ import annotations

from roce_lint.nos.base import Signature
from roce_lint.nos.lldp import Blocks, Columns, neighbors

_COMMAND = r"display lldp neighbor-information(?: interface \S+(?: \d\S*)?)?"
_TITLES = "titles of the neighbours"

LLDP = (
    neighbors(
        "lldp-list",
        rf"{_COMMAND} list(?: system-name .*)?",
        Columns("System Name=system, Local Interface=port, Chassis ID=chassis, Port ID=port_id"),
        Signature(r"^System Name +Local Interface +Chassis ID +Port ID", 12, _TITLES),
        Signature(r"^Local Interface +Chassis ID +Port ID +System Name", 12, _TITLES),
        run="display lldp neighbor-information list",
    ),
    neighbors(
        "lldp-detail",
        rf"{_COMMAND}(?: (?:agent \S+|verbose|brief))*",
        Blocks(
            {"chassisid/subtype": "chassis", "portid/subtype": "port_id"},
            above=r"LLDP neighbor-information of port \d+\[(?P<port>[^\]]+)\]",
            begins=r"LLDP neighbor index *:",
            value=r"(.*)/(?:MAC address|Interface (?:name|alias)|Locally assigned|Network address"
            r"(?:/\S+)?|Port component|Chassis component)|(.*)",
        ),
        Signature(r"^LLDP neighbor-information of port \d+\[", 12, "LLDP neighbours of a port"),
    ),
)

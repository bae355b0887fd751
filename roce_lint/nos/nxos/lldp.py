"""LLDP neighbours as NX-OS prints them."""

from __future__ import annotations

from roce_lint.nos.base import Signature
from roce_lint.nos.lldp import Blocks, Columns, Tree, neighbors

_COMMAND = r"show lldp neighbors(?: interface \S+(?: (?!detail)\S+)?)?"
_JSON = r" *\| *json(?:-pretty)?"
_TITLES = r"^Device ID +Local Intf +Hold-time +Capability +Port ID"
_ROW = r"[^\n]*(?:\n[^\n]*){0,2}?\n\S* +(?:Eth\d+/|mgmt\d)"

LLDP = (
    neighbors(
        "lldp",
        rf"{_COMMAND} detail",
        Blocks({"local port id": "port"}, begins=r"Chassis id:"),
        Signature(r"^[ \t]*Local Port id: (?:Eth|mgmt)", 9, "local port in the short form"),
        Signature(r"^[ \t]*Local Port id: \S", 3, "local port id"),
        Signature(r"^[ \t]*Chassis id: \S", 2, "LLDP neighbour block"),
        Signature(r"^Total entries displayed: \d", 2, "count of neighbours"),
        run="show lldp neighbors detail",
    ),
    neighbors(
        "lldp-brief",
        _COMMAND,
        Columns("Device ID=system, Local Intf=port, Port ID=port_id"),
        Signature(_TITLES, 7, "titles of the neighbours"),
        Signature(rf"{_TITLES}{_ROW}", 5, "local port in the short form"),
    ),
    neighbors(
        "lldp-detail-json",
        rf"{_COMMAND} detail{_JSON}",
        Tree(
            ("TABLE_nbor_detail", "ROW_nbor_detail", "*"),
            {
                "l_port_id": "port",
                "chassis_id": "chassis",
                "sys_name": "system",
                "port_id": "port_id",
                "port_desc": "description",
            },
        ),
        Signature(r'"ROW_nbor_detail": *[\[{]', 12, "rows of the neighbours"),
    ),
    neighbors(
        "lldp-brief-json",
        rf"{_COMMAND}{_JSON}",
        Tree(
            ("TABLE_nbor", "ROW_nbor", "*"),
            {"l_port_id": "port", "chassis_id": "system", "port_id": "port_id"},
        ),
        Signature(r'"ROW_nbor": *[\[{]', 12, "rows of the neighbours"),
    ),
)

"""LLDP neighbours as NX-OS prints them."""

from __future__ import annotations

from roce_lint.nos.base import Form, Plane, Signature, Source
from roce_lint.nos.lldp import Blocks, Columns, Tree
from roce_lint.nos.lldpcli import REFUSAL

LLDP = (
    Source(
        "lldp",
        form=Form.RAW,
        plane=Plane.STATE,
        command=r"show lldp neighbors(?: interface \S+(?: \S+)?)? detail",
        run="show lldp neighbors detail",
        signatures=(
            Signature(r"^[ \t]*Local Port id: (?:Eth|mgmt)", 9, "local port in the short form"),
            Signature(r"^[ \t]*Local Port id: \S", 3, "local port id"),
            Signature(r"^[ \t]*Chassis id: \S", 2, "LLDP neighbour block"),
            Signature(r"^Total entries displayed: \d", 2, "count of neighbours"),
        ),
        neighbors=Blocks(
            {
                "chassis id": "chassis",
                "port id": "port_id",
                "local port id": "port",
                "port description": "description",
                "system name": "system",
            },
            begins=r"Chassis id:",
        ),
    ),
    Source(
        "lldp-brief",
        form=Form.RAW,
        plane=Plane.STATE,
        command=r"show lldp neighbors(?: interface \S+(?: (?!detail)\S+)?)?",
        signatures=(
            Signature(
                r"^Device ID +Local Intf +Hold-time +Capability +Port ID",
                7,
                "titles of the neighbours",
            ),
            Signature(r"^(?:\S+)? +(?:Eth\d+/|mgmt\d)", 5, "local port in the short form"),
        ),
        neighbors=Columns({"Device ID": "system", "Local Intf": "port", "Port ID": "port_id"}),
    ),
    Source(
        "lldp-detail-json",
        form=Form.JSON,
        plane=Plane.STATE,
        command=r"show lldp neighbors(?: interface \S+(?: \S+)?)? detail *\| *json(?:-pretty)?",
        signatures=(Signature(r'"ROW_nbor_detail": *[\[{]', 12, "rows of the neighbours"),),
        refusal=REFUSAL,
        neighbors=Tree(
            ("TABLE_nbor_detail", "ROW_nbor_detail", "*"),
            {
                "l_port_id": "port",
                "chassis_id": "chassis",
                "sys_name": "system",
                "port_id": "port_id",
                "port_desc": "description",
            },
        ),
    ),
    Source(
        "lldp-brief-json",
        form=Form.JSON,
        plane=Plane.STATE,
        command=r"show lldp neighbors(?: interface \S+(?: \d\S*)?)? *\| *json(?:-pretty)?",
        signatures=(Signature(r'"ROW_nbor": *[\[{]', 12, "rows of the neighbours"),),
        refusal=REFUSAL,
        neighbors=Tree(
            ("TABLE_nbor", "ROW_nbor", "*"),
            {"l_port_id": "port", "chassis_id": "system", "port_id": "port_id"},
        ),
    ),
)

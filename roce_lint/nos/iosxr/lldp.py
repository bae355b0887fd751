"""LLDP neighbours as IOS-XR prints them."""

from __future__ import annotations

from roce_lint.nos.base import Signature
from roce_lint.nos.lldp import Blocks, Columns, neighbors

_TITLES = r"^Device ID +Local Intf +Hold-time +Capability +Port ID"
_ROW = r"[^\n]*(?:\n[^\n]*){0,2}?\n\S* +(?:Gi|Te|TF|Fo|Fi|Hu|TH|FH|EH|Mg|BE)\w*\d/\w+/\d+/\d+"

LLDP = (
    neighbors(
        "lldp-detail",
        r"show lldp neighbors(?: \S+)? detail",
        Blocks({"local interface": "port"}, begins=r"Local Interface:"),
        Signature(r"^Local Interface: [A-Za-z]+\d+/", 10, "the local port"),
        Signature(r"^Chassis id: \S", 2, "LLDP neighbour block"),
        run="show lldp neighbors detail",
    ),
    neighbors(
        "lldp-brief",
        r"show lldp neighbors(?: (?!detail)\S+)?",
        Columns("Device ID=system, Local Intf=port, Port ID=port_id"),
        Signature(_TITLES, 7, "titles of the neighbours"),
        Signature(rf"{_TITLES}{_ROW}", 5, "local port by four numbers"),
    ),
)

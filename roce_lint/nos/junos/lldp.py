"""LLDP neighbours as Junos prints them."""

from __future__ import annotations

from roce_lint.nos.base import Signature
from roce_lint.nos.lldp import Blocks, Columns, Tree, neighbors

_END = r"(?: *\| *no-more)?"

LLDP = (
    neighbors(
        "lldp",
        rf"show lldp neighbors{_END}",
        Columns("Local Interface=port, Chassis Id=chassis, Port info=port_id, System Name=system"),
        Signature(
            r"^Local Interface +Parent Interface +Chassis Id +Port info +System Name",
            14,
            "titles of the neighbours",
        ),
        run="show lldp neighbors | no-more",
        file_name=r"show[-_ ]lldp[-_ ]neighbors",
    ),
    neighbors(
        "lldp-detail",
        rf"show lldp neighbors (?:detail|interface \S+){_END}",
        Blocks({"local interface": "port"}, begins=r"Local Interface +:"),
        Signature(r"^LLDP Neighbor Information:", 8, "heading of a neighbour"),
        Signature(r"^Local Interface +: \S", 6, "the local port"),
    ),
    neighbors(
        "lldp-json",
        rf"show lldp neighbors(?: (?:detail|interface \S+))? *\| *display json{_END}",
        Tree(
            ("lldp-neighbors-information", "lldp-neighbor-information", "*"),
            {
                "lldp-local-port-id": "port",
                "lldp-local-interface": "port",
                "lldp-remote-chassis-id": "chassis",
                "lldp-remote-system-name": "system",
                "lldp-remote-port-id": "port_id",
                "lldp-remote-port-description": "description",
            },
        ),
        Signature(r'"lldp-neighbors-information"', 12, "neighbours of the device"),
    ),
)

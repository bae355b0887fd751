"""LLDP neighbours as Junos prints them."""

from __future__ import annotations

from roce_lint.nos.base import Form, Plane, Signature, Source
from roce_lint.nos.lldp import Blocks, Columns, Tree
from roce_lint.nos.lldpcli import REFUSAL

_END = r"(?: *\| *no-more)?"

LLDP = (
    Source(
        "lldp",
        form=Form.RAW,
        plane=Plane.STATE,
        command=rf"show lldp neighbors{_END}",
        run="show lldp neighbors | no-more",
        file_name=r"show[-_ ]lldp[-_ ]neighbors",
        signatures=(
            Signature(
                r"^Local Interface +Parent Interface +Chassis Id +Port info +System Name",
                14,
                "columns of show lldp neighbors",
            ),
        ),
        neighbors=Columns(
            {
                "Local Interface": "port",
                "Chassis Id": "chassis",
                "Port info": "port_id",
                "System Name": "system",
            }
        ),
    ),
    Source(
        "lldp-detail",
        form=Form.RAW,
        plane=Plane.STATE,
        command=rf"show lldp neighbors (?:detail|interface \S+){_END}",
        signatures=(
            Signature(r"^LLDP Neighbor Information:", 8, "heading of a neighbour"),
            Signature(r"^Local Interface +: \S", 6, "the local port"),
        ),
        neighbors=Blocks(
            {
                "local interface": "port",
                "chassis id": "chassis",
                "port id": "port_id",
                "port description": "description",
                "system name": "system",
            },
            begins=r"Local Interface +:",
        ),
    ),
    Source(
        "lldp-json",
        form=Form.JSON,
        plane=Plane.STATE,
        command=rf"show lldp neighbors(?: (?:detail|interface \S+))? *\| *display json{_END}",
        signatures=(Signature(r'"lldp-neighbors-information"', 12, "neighbours of the device"),),
        refusal=REFUSAL,
        neighbors=Tree(
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
    ),
)

"""LLDP neighbours as IOS-XR prints them."""

from __future__ import annotations

from roce_lint.nos.base import Form, Plane, Signature, Source
from roce_lint.nos.lldp import Blocks, Columns

_PORT = r"(?:Gi|Te|TF|Fo|Fi|Hu|TH|FH|EH|Mg|BE)\w*\d"

LLDP = (
    Source(
        "lldp-detail",
        form=Form.RAW,
        plane=Plane.STATE,
        command=r"show lldp neighbors(?: \S+)? detail",
        run="show lldp neighbors detail",
        signatures=(
            Signature(r"^Local Interface: [A-Za-z]+\d+/", 10, "the local port"),
            Signature(r"^Chassis id: \S", 2, "LLDP neighbour block"),
        ),
        neighbors=Blocks(
            {
                "local interface": "port",
                "chassis id": "chassis",
                "port id": "port_id",
                "port description": "description",
                "system name": "system",
            },
            begins=r"Local Interface:",
        ),
    ),
    Source(
        "lldp-brief",
        form=Form.RAW,
        plane=Plane.STATE,
        command=r"show lldp neighbors(?: (?!detail)\S+)?",
        signatures=(
            Signature(
                r"^Device ID +Local Intf +Hold-time +Capability +Port ID",
                7,
                "titles of the neighbours",
            ),
            Signature(rf"^\S+ +{_PORT}/\w+/\d+/\d+", 5, "local port by four numbers"),
        ),
        neighbors=Columns({"Device ID": "system", "Local Intf": "port", "Port ID": "port_id"}),
    ),
)

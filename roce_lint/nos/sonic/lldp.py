"""LLDP neighbours as SONiC prints them."""

from __future__ import annotations

from roce_lint.nos.base import Form, Plane, Signature, Source
from roce_lint.nos.lldp import Columns
from roce_lint.nos.lldpcli import lldpcli_sources, read_text

_TREE, _, _KEYVALUE = lldpcli_sources(r"Ethernet\d+")

LLDP = (
    Source(
        "lldp-table",
        form=Form.RAW,
        plane=Plane.STATE,
        command=r"show lldp table",
        run="show lldp table",
        file_name=r"show[-_ ]lldp[-_ ]table",
        signatures=(
            Signature(
                r"^[ \t]*LocalPort +RemoteDevice +RemotePortID", 10, "header of show lldp table"
            ),
            Signature(r"^Capability codes: \(R\) Router", 4, "what the letters mean"),
        ),
        neighbors=Columns(
            {
                "LocalPort": "port",
                "RemoteDevice": "system",
                "RemotePortID": "port_id",
                "RemotePortDescr": "description",
            }
        ),
    ),
    Source(
        "lldp-neighbors",
        form=Form.RAW,
        plane=Plane.STATE,
        command=r"show lldp neighbors(?: \S+)?|(?:sudo )?(?:docker exec (?:-\S+ )*lldp\d* )?"
        r"lldpc(?:li|tl)\b(?!.* -f).*",
        signatures=(
            Signature(
                r"^Interface: +Ethernet\d+, via: LLDP", 14, "a port EthernetN that heard LLDP"
            ),
        ),
        neighbors=read_text,
    ),
    _TREE,
    _KEYVALUE,
)

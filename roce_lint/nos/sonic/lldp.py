"""LLDP neighbours as SONiC prints them."""

from __future__ import annotations

from roce_lint.nos.base import Signature
from roce_lint.nos.lldp import Columns, neighbors
from roce_lint.nos.lldpcli import COMMAND, lldpcli_sources, read_text

_TREE, _, _KEYVALUE = lldpcli_sources(r"Ethernet\d+")

LLDP = (
    neighbors(
        "lldp-table",
        r"show lldp table",
        Columns(
            "LocalPort=port, RemoteDevice=system, RemotePortID=port_id, RemotePortDescr=description"
        ),
        Signature(r"^[ \t]*LocalPort +RemoteDevice +RemotePortID", 10, "titles of the neighbours"),
        Signature(r"^Capability codes: \(R\) Router", 4, "meaning of the letters"),
        run="show lldp table",
        file_name=r"show[-_ ]lldp[-_ ]table",
    ),
    neighbors(
        "lldp-neighbors",
        rf"show lldp neighbors(?: \S+)?|{COMMAND}(?!.* -f).*",
        read_text,
        Signature(r"^Interface: +Ethernet\d+, via: LLDP", 14, "a port EthernetN that heard LLDP"),
    ),
    _TREE,
    _KEYVALUE,
)

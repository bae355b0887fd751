"""LLDP neighbours as Enterprise SONiC prints them."""

from __future__ import annotations

from roce_lint.nos.base import Signature
from roce_lint.nos.lldp import Blocks, Columns, neighbors
from roce_lint.nos.lldpcli import lldpcli_sources

LLDP = (
    neighbors(
        "lldp-table",
        r"show lldp table(?: *\| *no-more)?",
        Columns(
            "LocalPort=port, RemoteDevice=system, RemotePortID=port_id, RemotePortDescr=description"
        ),
        Signature(r"^[ \t]*LocalPort +RemoteDevice +RemotePortID", 9, "titles of the neighbours"),
        Signature(r"^Eth\d+/\d+", 5, "ports by slot and number"),
        run="show lldp table",
    ),
    neighbors(
        "lldp-neighbor",
        r"show lldp neighbor(?: \S+)?(?: *\| *no-more)?",
        Blocks(
            {
                "chassisid": "chassis",
                "sysname": "system",
                "portid": "port_id",
                "portdescr": "description",
            },
            begins=r"Interface: +(?P<port>[^\s,]+),",
        ),
        Signature(r"^Interface: +\S+,via:LLDP", 12, "a port that heard LLDP"),
        Signature(r"^Interface: +Eth\d+/\d+", 5, "ports by slot and number"),
    ),
    *lldpcli_sources(r"Eth\d+(?:/\d+)+"),
)

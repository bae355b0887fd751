"""LLDP neighbours as Enterprise SONiC prints them."""

from __future__ import annotations

from roce_lint.nos.base import Form, Plane, Signature, Source
from roce_lint.nos.lldp import Blocks, Columns
from roce_lint.nos.lldpcli import lldpcli_sources

LLDP = (
    Source(
        "lldp-table",
        form=Form.RAW,
        plane=Plane.STATE,
        command=r"show lldp table(?: *\| *no-more)?",
        run="show lldp table",
        signatures=(
            Signature(
                r"^[ \t]*LocalPort +RemoteDevice +RemotePortID", 9, "titles of the neighbours"
            ),
            Signature(r"^Eth\d+/\d+", 5, "ports by slot and number"),
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
        "lldp-neighbor",
        form=Form.RAW,
        plane=Plane.STATE,
        command=r"show lldp neighbor(?: \S+)?(?: *\| *no-more)?",
        signatures=(
            Signature(r"^Interface: +\S+,via:LLDP", 12, "a port that heard LLDP"),
            Signature(r"^Interface: +Eth\d+/\d+", 5, "ports by slot and number"),
        ),
        neighbors=Blocks(
            {
                "chassisid": "chassis",
                "sysname": "system",
                "portid": "port_id",
                "portdescr": "description",
            },
            begins=r"Interface: +(?P<port>[^\s,]+),",
        ),
    ),
    *lldpcli_sources(r"Eth\d+(?:/\d+)+"),
)

"""LLDP neighbours as Cumulus Linux prints them."""

from __future__ import annotations

from roce_lint.nos.base import Signature
from roce_lint.nos.lldp import Columns, neighbors
from roce_lint.nos.lldpcli import lldpcli_sources

LLDP = (
    *lldpcli_sources(r"swp\d+(?:s\d)?"),
    neighbors(
        "nvue-interfaces",
        r"(?:sudo )?nv show interface(?: (?:-o|--output) auto)?",
        Columns("Interface=port, Remote Host=system, Remote Port=port_id"),
        Signature(
            r"^Interface +(?:[A-Z]\w* .*)?Remote Host +Remote Port", 12, "titles of the neighbours"
        ),
        run="nv show interface",
    ),
    neighbors(
        "nclu-lldp",
        r"(?:sudo )?net show lldp",
        Columns("LocalPort=port, RemoteHost=system, RemotePort=port_id"),
        Signature(
            r"^LocalPort +Speed +Mode +RemoteHost +RemotePort", 12, "titles of the neighbours"
        ),
    ),
)

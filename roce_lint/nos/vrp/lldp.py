"""LLDP neighbours as CloudEngine switches print them."""

from __future__ import annotations

from roce_lint.nos.base import Signature
from roce_lint.nos.lldp import Blocks, Columns, neighbors

_COMMAND = r"display lldp neighbor(?: interface \S+(?: \d\S*)?)?"
_TITLES = r"^Local Interface +Exptime ?\(s\) +Neighbor Interface +Neighbor Device"

LLDP = (
    neighbors(
        "lldp-detail",
        _COMMAND,
        Blocks(above=r"(?P<port>\S+) has \d+ neighbor", begins=r"Neighbor index *:"),
        Signature(r"^\S+ has \d+ neighbor(?:s|\(s\))?:?", 10, "neighbours of a port"),
        Signature(r"^Neighbor index +:", 4, "number of a neighbour"),
        run="display lldp neighbor",
    ),
    neighbors(
        "lldp-brief",
        rf"{_COMMAND} brief",
        Columns(
            "Local Interface=port, Local Intf=port, Neighbor Interface=port_id,"
            " Neighbor Intf=port_id, Neighbor Device=system, Neighbor Dev=system"
        ),
        Signature(_TITLES, 12, "titles of the neighbours"),
        Signature(r"^Local Intf +Neighbor Dev +Neighbor Intf", 12, "titles of the neighbours"),
    ),
)

"""LLDP neighbours as SR Linux prints them."""

from __future__ import annotations

import re

from roce_lint.nos.base import Signature
from roce_lint.nos.lldp import Blocks, Columns, Tree, neighbors

_STATE = r"info(?: (?:flat|detail))*(?: from state)(?: (?:flat|detail))* /? ?system[ /]+lldp\b[^|]*"
_TOP = r'\A\s*\{\s*"(?:[\w-]+:)?system": *\{\s*"(?:[\w-]+:)?lldp": *\{'
_TITLES = r"^[ \t]*\|[^\n]*\| +Neighbor System Name +\| +Neighbor Chassis ID"
_NAMES = {
    "chassis-id": "chassis",
    "system-name": "system",
    "port-id": "port_id",
    "port-description": "description",
}

LLDP = (
    neighbors(
        "lldp-json",
        rf"{_STATE}\| *as json",
        Tree(("system", "lldp", "interface", "*", "neighbor", "*"), {"name": "port", **_NAMES}),
        Signature(_TOP, 14, "state of LLDP"),
        run="info from state system lldp | as json",
    ),
    neighbors(
        "lldp-state",
        _STATE,
        Blocks(
            _NAMES,
            above=r"interface (?P<port>\S+) \{",
            begins=r"neighbor \S+ \{",
            line=re.compile(r"(?P<key>[a-z-]+) (?P<value>.*)"),
            value=r'"(.*)"|(.*)',
        ),
        Signature(r"^[ \t]*neighbor [0-9A-Fa-f:]{17} \{", 14, "a neighbour of a port"),
    ),
    neighbors(
        "lldp-neighbor",
        r"show /? ?system[ /]+lldp neighbor(?: interface \S+)?",
        Columns(
            "Name=port, Neighbor System Name=system, Neighbor Chassis ID=chassis,"
            " Neighbor Port=port_id"
        ),
        Signature(_TITLES, 14, "titles of the neighbours"),
    ),
)

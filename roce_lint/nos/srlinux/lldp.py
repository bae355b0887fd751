"""LLDP neighbours as SR Linux prints them."""

from __future__ import annotations

import re

from roce_lint.nos.base import Form, Plane, Signature, Source
from roce_lint.nos.lldp import Blocks, Columns, Tree
from roce_lint.nos.lldpcli import REFUSAL

_STATE = r"info(?: (?:flat|detail))*(?: from state)(?: (?:flat|detail))* /? ?system[ /]+lldp\b[^|]*"

LLDP = (
    Source(
        "lldp-json",
        form=Form.JSON,
        plane=Plane.STATE,
        command=rf"{_STATE}\| *as json",
        run="info from state system lldp | as json",
        signatures=(
            Signature(
                r'\A\s*\{\s*"(?:[\w-]+:)?system": *\{\s*"(?:[\w-]+:)?lldp": *\{',
                14,
                "state of LLDP",
            ),
        ),
        refusal=REFUSAL,
        neighbors=Tree(
            ("system", "lldp", "interface", "*", "neighbor", "*"),
            {
                "name": "port",
                "chassis-id": "chassis",
                "system-name": "system",
                "port-id": "port_id",
                "port-description": "description",
            },
        ),
    ),
    Source(
        "lldp-state",
        form=Form.RAW,
        plane=Plane.STATE,
        command=_STATE,
        signatures=(
            Signature(r"^[ \t]*neighbor [0-9A-Fa-f:]{17} \{", 14, "a neighbour of a port"),
        ),
        neighbors=Blocks(
            {
                "chassis-id": "chassis",
                "system-name": "system",
                "port-id": "port_id",
                "port-description": "description",
            },
            above=r"interface (?P<port>\S+) \{",
            begins=r"neighbor \S+ \{",
            line=re.compile(r"(?P<key>[a-z-]+) (?P<value>.*)"),
            value=r'"(.*)"|(.*)',
        ),
    ),
    Source(
        "lldp-neighbor",
        form=Form.RAW,
        plane=Plane.STATE,
        command=r"show /? ?system[ /]+lldp neighbor(?: interface \S+)?",
        signatures=(
            Signature(
                r"^[ \t]*\|[^\n]*\| +Neighbor System Name +\| +Neighbor Chassis ID",
                14,
                "titles of the neighbours",
            ),
        ),
        neighbors=Columns(
            {
                "Name": "port",
                "Neighbor System Name": "system",
                "Neighbor Chassis ID": "chassis",
                "Neighbor Port": "port_id",
            }
        ),
    ),
)

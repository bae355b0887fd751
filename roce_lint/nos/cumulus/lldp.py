"""LLDP neighbours as Cumulus Linux prints them."""

from __future__ import annotations

from roce_lint.nos.base import Form, Plane, Signature, Source
from roce_lint.nos.lldp import Columns
from roce_lint.nos.lldpcli import lldpcli_sources

_TREE, _TEXT, _KEYVALUE = lldpcli_sources(r"swp\d+(?:s\d)?")

INTERFACES = Source(
    "nvue-interfaces",
    form=Form.RAW,
    plane=Plane.STATE,
    command=r"(?:sudo )?nv show interface(?: (?:-o|--output) auto)?",
    run="nv show interface",
    signatures=(
        Signature(
            r"^Interface +(?:[A-Z]\w* .*)?Remote Host +Remote Port", 12, "titles of the interfaces"
        ),
    ),
    neighbors=Columns(
        {"Interface": "port", "Remote Host": "system", "Remote Port": "port_id"},
    ),
)

NCLU_LLDP = Source(
    "nclu-lldp",
    form=Form.RAW,
    plane=Plane.STATE,
    command=r"(?:sudo )?net show lldp",
    signatures=(
        Signature(
            r"^LocalPort +Speed +Mode +RemoteHost +RemotePort", 12, "titles of the neighbours"
        ),
    ),
    neighbors=Columns({"LocalPort": "port", "RemoteHost": "system", "RemotePort": "port_id"}),
)

LLDP = (_TREE, _TEXT, _KEYVALUE, INTERFACES, NCLU_LLDP)

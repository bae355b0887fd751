"""`show lldp neighbors detail`: who is at the other end of each port."""

from __future__ import annotations

import re

from roce_lint.model.interface import Interface, Neighbor
from roce_lint.nos.eos import naming
from roce_lint.nos.reading import Reader, Reading, Value

LLDP = "lldp"
"""Name of the source."""

_DOTTED_MAC = re.compile(r"[0-9a-f]{4}(?:\.[0-9a-f]{4}){2}", re.IGNORECASE)


def add_neighbors(reading: Reading, interfaces: dict[str, Interface]) -> None:
    """Hang each neighbour on its port; a port that no configuration names is made for it."""
    for port in reading.groups(LLDP, "port"):
        spelled = port.text("name")
        expanded = naming.expand(spelled.value or "").names
        name = expanded[0] if len(expanded) == 1 else spelled.value or ""
        found = tuple(_neighbor(child) for child in port.children("neighbor"))
        if not found:
            continue
        interface = interfaces.get(name)
        if interface is None:
            interface = interfaces[name] = port.build(
                Interface, name=name, aliases=naming.aliases(name), kind=naming.kind_of(name)
            )
        interface.neighbors = (*interface.neighbors, *found)
        interface.at.setdefault("neighbors", port.begin)


def _neighbor(reader: Reader) -> Neighbor:
    """The neighbour of one block. One without a name is known by its chassis alone."""
    heard = reader.text("heard").map(lambda text: _plain(text.partition("/")[0]))
    device = reader.text("system_name").or_else(heard)
    names = [reader.text("port_id").map(_plain), reader.text("description")]
    known = [value for value in names if value]
    return reader.build(
        Neighbor,
        device=Value(device.value or "", device.position),
        names=Value(
            tuple(dict.fromkeys(value.value or "" for value in known)),
            known[0].position if known else reader.begin,
        ),
        by="LLDP",
        max_frame=reader.integer("max_frame"),
    )


def _plain(text: str) -> str:
    """A port or chassis id; a MAC in groups of four digits is spelled as others spell it."""
    if not _DOTTED_MAC.fullmatch(text):
        return text
    digits = text.replace(".", "").lower()
    return ":".join(digits[i : i + 2] for i in range(0, 12, 2))

"""How much of the device the files show: what is missing from a part is unknown, not absent."""

from __future__ import annotations

import re
from dataclasses import dataclass

from roce_lint.nos.nxos.stanzas import CONFIG, configuration_records
from roce_lint.nos.reading import Input, Reading

HEAD = 1 << 14
"""Characters at the start of a file in which the heading stands."""

HEADING = re.compile(r"^!Command: show running-config(?P<rest>[^|\n]*)", re.MULTILINE)

WHOLE = frozenset({"all", "expand-port-profile"})
"""Words after `show running-config` that do not choose a part."""


@dataclass(slots=True, frozen=True)
class Extent:
    """What the files hold whole."""

    system: bool  # policies and `system qos`: what is not there is not configured
    ports: bool  # interface stanzas, with all their lines
    device: bool  # everything


def extent_of(reading: Reading, *, named: bool) -> Extent:
    """Tell from headings and from what is there. `named`: host name or release are stated.

    A file without either is a fragment, made by hand or cut out: its stanzas are taken as whole.
    """
    parts = [part_of(entry) for entry in reading[CONFIG]]
    whole = not all(parts) if parts else False
    device = whole and named
    return Extent(
        system=device or "ipqos" in parts or bool(configuration_records(reading, "system_qos")),
        ports=whole or any(part.startswith("interface") for part in parts),
        device=device,
    )


def part_of(entry: Input) -> str:
    """The part that the capture's command asked for; empty for the whole configuration."""
    found = HEADING.search(entry.text.text[:HEAD])
    said = f"{entry.args.get('part', '')} {found['rest'] if found else ''}"
    return " ".join(word for word in said.split() if word not in WHOLE)

"""Cable plans in the forms of other tools, as rows with our column names.

CSV: NetBox's and Nautobot's import and export of cables, and sheets with other words for the four
columns. YAML: the links of a containerlab topology.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from roce_lint.text.numbers import parse_decimal

_WORDS: Mapping[str, tuple[str, ...]] = {
    "a_device": ("side_a_device", "device_a", "source_device", "src_device", "local_device"),
    "a_port": (
        "side_a_name", "port_a", "interface_a", "a_interface",
        "source_port", "src_port", "source_interface", "local_port", "local_interface",
    ),
    "b_device": (
        "side_b_device", "device_b", "destination_device", "dest_device", "dst_device",
        "remote_device", "peer_device", "neighbor_device",
    ),
    "b_port": (
        "side_b_name", "port_b", "interface_b", "b_interface", "destination_port", "dest_port",
        "dst_port", "destination_interface", "remote_port", "remote_interface", "peer_port",
        "peer_interface", "neighbor_port",
    ),
    "cable_m": ("length_m", "cable_length_m"),
    "speed_gbps": ("speed_g",),
}  # fmt: skip
"""Other names of a column; NetBox's are those of its bulk import of cables (CableImportForm)."""

_METRES = {"km": 1000.0, "m": 1.0, "cm": 0.01, "mi": 1609.344, "ft": 0.3048, "in": 0.0254}
"""Units of NetBox (CableLengthUnitChoices), in metres."""

_INTERFACES = re.compile(r"(dcim\.)?interface|", re.IGNORECASE)
"""What an end of a cable is in NetBox where it is a port; a sheet without the column has none."""


def columns(names: Iterable[str | None]) -> dict[str, str]:
    """Our column for each column of a table that is one, whatever it is called there."""
    given = {re.sub(r"[\s.-]+", "_", name.strip().lower()): name for name in names if name}
    found = {}
    for ours, others in _WORDS.items():
        name = next((given[word] for word in (ours, *others) if word in given), None)
        if name is not None:
            found[name] = ours
    for word in ("rail", "length", "length_unit", "side_a_type", "side_b_type"):
        if word in given:
            found[given[word]] = word
    return found


def row(values: Mapping[str, str]) -> dict[str, str] | None:
    """A row by our columns; None for a cable that joins no two ports (power, a patch panel).

    Raises:
        ValueError: a length has no number or an unknown unit.
    """
    given = dict(values)
    kinds = [given.pop(name, "") or "" for name in ("side_a_type", "side_b_type")]
    if not all(_INTERFACES.fullmatch(kind.strip()) for kind in kinds):
        return None
    length, unit = given.pop("length", ""), given.pop("length_unit", "")
    if length and "cable_m" not in given:
        given["cable_m"] = str(_metres(length, unit))
    return given


def _metres(length: str, unit: str) -> float:
    factor = _METRES.get((unit or "m").strip().lower())
    if factor is None:
        raise ValueError(f"length_unit: {unit[:40]!r} is none of {', '.join(_METRES)}")
    try:
        return round(parse_decimal(length) * factor, 3)
    except ValueError:
        raise ValueError(f"length: {length[:40]!r} is no number") from None


def is_containerlab(data: Any) -> bool:
    """Whether a document is a topology of containerlab."""
    topology = data.get("topology") if isinstance(data, dict) else None
    return isinstance(topology, dict) and isinstance(topology.get("links"), list)


def containerlab(data: Any) -> Iterator[tuple[tuple[str | int, ...], list[Any]]]:
    """Path and ends (device:port) of each link between two nodes.

    Links to the host, to bridges and the like have one end, and are passed over.
    """
    for number, link in enumerate(data["topology"]["links"]):
        ends = link.get("endpoints") if isinstance(link, dict) else None
        if isinstance(ends, list) and len(ends) == 2:
            yield ("topology", "links", number), [_end(end) for end in ends]


def _end(end: Any) -> Any:
    """`node:interface`, which the long form says in two keys."""
    if isinstance(end, dict) and {"node", "interface"} <= end.keys():
        return f"{end['node']}:{end['interface']}"
    return end

"""Small devices with ports, for the tests of links and roles."""

from __future__ import annotations

from pathlib import Path

from roce_lint.model.device import Device, Role
from roce_lint.model.fabric import Fabric
from roce_lint.model.interface import Interface, Neighbor
from roce_lint.text.source import SourceFile, SourceMap
from roce_lint.topology.links import UnresolvedLink, build_fabric
from roce_lint.topology.plan_file import read_plan

DESCRIPTION, ADDRESSES, NEIGHBOR = 1, 2, 3
"""The lines of a made port, counted from the line before its first."""


def device(name: str, *ports: Interface, role: Role | None = None) -> Device:
    """A device whose n-th port has lines 10 n + 1 and following."""
    src = SourceMap()
    src.add(SourceFile.of(f"{name}.cfg", "\n" * (10 * len(ports) + 20)), "running-config")
    made = Device(hostname=name, nos="made", role=role, src=src, at={"": 1})
    for number, port in enumerate(ports):
        begin = 10 * number
        port.src = src
        port.at = {
            "": begin + 1,
            "description": begin + DESCRIPTION,
            "addresses": begin + ADDRESSES,
        }
        for offset, neighbor in enumerate(port.neighbors):
            neighbor.src, neighbor.at = src, {"": begin + NEIGHBOR + offset}
        made.interfaces[port.name] = port
    return made


def port(name: str = "Eth1", **given: object) -> Interface:
    """A port; `heard` are (device, port names...) of LLDP, `table` those of a configured table."""
    heard = [Neighbor(device=d, names=tuple(n)) for d, *n in given.pop("heard", ())]  # type: ignore[attr-defined]
    table = given.pop("table", ())
    heard += [Neighbor(device=d, names=tuple(n), planned=True) for d, *n in table]  # type: ignore[attr-defined]
    return Interface(name=name, neighbors=tuple(heard), **given)  # type: ignore[arg-type]


def joined(*devices: Device, plan: str = "", tmp_path: Path | None = None) -> Fabric:
    """The fabric; a plan (YAML) must have nothing that could not be used."""
    fabric, unresolved = planned(*devices, plan=plan, tmp_path=tmp_path)
    assert unresolved == []
    return fabric


def planned(
    *devices: Device, plan: str = "", tmp_path: Path | None = None
) -> tuple[Fabric, list[UnresolvedLink]]:
    """The fabric, and what in the plan could not be used."""
    links = []
    if tmp_path is not None:
        (tmp_path / "links.yaml").write_text(plan)
        links = read_plan(tmp_path / "links.yaml", "links.yaml")
    return build_fabric(devices, links)


def links(fabric: Fabric) -> list[tuple[str, str, str]]:
    """All links: both ends and the source."""
    return [(str(link.a), str(link.b), link.known_from.name) for link in fabric.links]


def conflicts(fabric: Fabric) -> list[tuple[str, str, str, str, str]]:
    """All conflicts: the port, whom to trust and their peer, whom to doubt and theirs."""
    return [
        (" ".join(c.port), c.trusted.name, c.trusted_peer, c.doubted.name, c.doubted_peer)
        for c in fabric.conflicts
    ]

"""Fabrics with devices replaced and links changed: what is not touched is shared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from roce_lint.model.apply import Lines, Setting
from roce_lint.model.device import Device
from roce_lint.model.fabric import Endpoint, Fabric, Link
from roce_lint.model.path import Path, PathError
from roce_lint.model.schema import LINKS


def with_devices(fabric: Fabric, devices: Mapping[str, Device]) -> Fabric:
    """A fabric with some of its devices replaced, each by name; the links lead to the new ones."""
    made = replace(
        fabric,
        devices={name: devices.get(name, device) for name, device in fabric.devices.items()},
        by_port={},
        told=[],
    )

    def end(old: Endpoint) -> Endpoint | None:
        device = devices.get(old.device.hostname)
        if device is None:
            return old
        port = device.interfaces.get(old.interface.name)
        return Endpoint(device, port) if port is not None else None

    links: dict[int, Link] = {}
    for link in fabric.links:
        a, b = end(link.a), end(link.b)
        if a is not None and b is not None:
            same = a is link.a and b is link.b
            links[id(link)] = link if same else replace(link, a=a, b=b)
    made.links = list(links.values())
    made.by_port = {
        key: links[id(link)] for key, link in fabric.by_port.items() if id(link) in links
    }
    return made


def with_links(
    fabric: Fabric, settings: Iterable[Setting], cut: Iterable[tuple[str, str]], lines: Lines
) -> Fabric:
    """A fabric with fields of links set, and without the links on the ports that are cut."""
    changed_links: dict[int, Link] = {}
    for setting in settings:
        port, field = setting.path.steps[0].key or "", setting.path.steps[1].field
        link = fabric.link_of(setting.path.device, port)
        if link is None:
            raise PathError(f"{setting.path}: no link is known on this port")
        new = changed_links.get(id(link)) or replace(link)
        setattr(new, field, setting.value)
        new.where = (lines.where(setting.says), *link.where)
        changed_links[id(link)] = new
    gone = {id(link) for key in cut if (link := fabric.link_of(*key)) is not None}

    def now(link: Link) -> Link:
        return changed_links.get(id(link), link)

    return replace(
        fabric,
        links=[now(link) for link in fabric.links if id(link) not in gone],
        by_port={k: now(link) for k, link in fabric.by_port.items() if id(link) not in gone},
        told=[],
    )


def is_of_link(path: Path) -> bool:
    """True for a path to a field of a link."""
    return bool(path.steps) and path.steps[0].field == LINKS

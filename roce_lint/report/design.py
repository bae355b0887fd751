"""A design as text: summary, one device port by port, or its cables as links.yaml."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from roce_lint.design.golden import Design
from roce_lint.design.layout import Cable
from roce_lint.model.device import Device
from roce_lint.model.fabric import Link
from roce_lint.model.interface import Interface
from roce_lint.model.qos import PfcWatchdog
from roce_lint.model.units import ranges, spell_speed
from roce_lint.report.wording import clean
from roce_lint.text.numbers import count


def overview(design: Design) -> Iterator[str]:
    """One line for each group of identical devices and for each class."""
    devices = list(design.fabric.devices.values())
    name = clean(design.intent.schema.name or design.intent.path.name)
    yield f"{name}: {count(len(devices), 'device')}, {count(len(design.fabric.links), 'link')}"
    kind = [(device.role, device.nos, device.model) for device in devices]
    groups = groupby(zip(kind, devices, strict=True), key=lambda pair: pair[0])
    yield from _table([_group([pair[1] for pair in group]) for _, group in groups])
    rows = [
        (
            each.name,
            f"DSCP {ranges(each.dscps)}",
            f"class {each.number}",
            "lossless" if each.lossless else "lossy",
            "ECN" if each.marked else "no ECN",
            "strict" if each.strict else f"{each.share_percent:g} percent",
        )
        for each in design.classes
    ]
    yield from _table(rows)


def _group(devices: list[Device]) -> tuple[str, ...]:
    first, last = devices[0], devices[-1]
    names = first.hostname if first is last else f"{first.hostname} to {last.hostname}"
    numbers = sorted({device.asn for device in devices if device.asn is not None})
    system = f"AS {numbers[0]}" if numbers else ""
    system += f" to {numbers[-1]}" if len(numbers) > 1 else ""
    role = first.role.value if first.role is not None else ""
    family = next((nic.family for nic in first.nics.values()), None)
    what = " ".join(filter(None, (first.nos, first.model, family)))
    return role, str(len(devices)), names, what, system


def device(design: Design, name: str) -> Iterator[str]:
    """One device port by port."""
    made = design.fabric.devices[name]
    role = made.role.value if made.role is not None else ""
    asn = f", AS {made.asn}" if made.asn is not None else ""
    yield f"{name}: {made.nos} {role}{asn}"
    rows = []
    for port in made.interfaces.values():
        peer = design.fabric.peer(name, port.name)
        rows.append((port.name, *_port(port), f"to {peer}" if peer is not None else ""))
    yield from _table(rows)
    found = (port.qos.watchdog for port in made.interfaces.values() if port.qos is not None)
    yield from sorted({_watchdog(watchdog) for watchdog in found if watchdog is not None})
    for session in made.routing.sessions.values() if made.routing is not None else ():
        yield f"  BGP to {session.peer}, AS {session.asn}"


def _port(port: Interface) -> tuple[str, ...]:
    speed = spell_speed(port.speed_gbps) if port.speed_gbps is not None else ""
    fec = f"FEC {port.fec.value}" if port.fec is not None else ""
    mtu = f"IP MTU {port.ip_mtu}" if port.ip_mtu is not None else ""
    pfc = port.qos.pfc if port.qos is not None else None
    paused = f"PFC {ranges(pfc.generate)}" if pfc is not None and pfc.generate else ""
    cable = f"{port.cable_m:g} m" if port.cable_m is not None else ""
    return speed, fec, mtu, ", ".join(port.addresses), paused, cable


def _watchdog(made: PfcWatchdog) -> str:
    times = [
        f"{name} {value:g} ms"
        for name, value in (
            ("polls every", made.polling_ms),
            ("stuck after", made.detection_ms),
            ("restored after", made.restoration_ms),
        )
        if value is not None
    ]
    action = [made.action.value] if made.action is not None else []
    return f"  PFC watchdog: {', '.join([*times, *action]) or 'on'}"


def cables(links: Iterable[Link]) -> Iterator[str]:
    """The cables as links.yaml, accepted by every command."""
    for link in links:
        yield cable(link.a.key, link.b.key, link)


def cable(a: tuple[str, str], b: tuple[str, str], entry: Link | Cable) -> str:
    """A line of links.yaml."""
    more = [
        f"{name}: {value:g}"
        for name in ("cable_m", "speed_gbps", "rail")
        if (value := getattr(entry, name)) is not None
    ]
    ends = [f'a: "{":".join(a)}"', f'b: "{":".join(b)}"']
    return "- {" + ", ".join([*ends, *more]) + "}"


def _table(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Rows with aligned columns; empty columns are left out."""
    columns = [column for column in zip(*rows, strict=True) if any(column)]
    widths = [max(map(len, column)) for column in columns]
    for row in zip(*columns, strict=True):
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield "  " + "  ".join(cells).rstrip()

"""The circle: a device is printed, and read again from its files.

`python -m tests.circle.circle NOS [--case PART] [--show]` reports all cases of a system.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from roce_lint.analysis.treatment import treatment
from roce_lint.errors import RoceLintError
from roce_lint.loading.identify import identify
from roce_lint.model.device import Device, NoteKind
from roce_lint.model.interface import Interface, InterfaceKind
from roce_lint.nos.base import Nos, RenderedFiles, RenderRequest
from roce_lint.nos.device_reader import IdentifiedFile, read_device
from roce_lint.nos.printer import render
from roce_lint.nos.registry import all_nos
from roce_lint.pipeline.designing import design_fabric
from roce_lint.text.source import SourceFile
from tests.nos.test_cases import cases, read_case

HERE = Path(__file__).resolve().parent
INTENTS = HERE.parents[1] / "sample_configs" / "intents"

PORT_FIELDS = (
    *("enabled", "ip_mtu", "speed_gbps", "fec", "addresses", "vrf", "lag", "routed"),
    *("untagged_vlan", "tagged_vlans", "description"),
)
BAD_NOTES = {NoteKind.UNRECOGNISED, NoteKind.BAD_VALUE, NoteKind.REFUSED, NoteKind.NOT_TAKEN}


class Difference(NamedTuple):
    """A field that differs after the circle."""

    place: str
    field: str
    before: Any
    after: Any

    def __str__(self) -> str:
        return f"{self.place} {self.field}: {self.before} -> {self.after}"


def names(nos: str) -> list[str]:
    """The cases of a system: folders of tests/nos, and golden devices of the sample intents."""
    found = [f"read/{case.name}" for case in cases() if case.parent.name == nos]
    return found + [name for name, device in golden().items() if device.nos == nos]


@cache
def golden() -> dict[str, Device]:
    """The golden devices of the sample intents; one of each system and role of an intent."""
    found: dict[str, Device] = {}
    for path in sorted(INTENTS.glob("*.yaml")):
        seen = set()
        for device in design_fabric(str(path)).fabric.devices.values():
            kind = (device.nos, device.role, len(device.interfaces))
            if kind not in seen:
                seen.add(kind)
                found[f"golden/{path.stem}/{device.hostname}"] = device
    return found


def device_of(nos: Nos, name: str) -> Device:
    """The device of a case."""
    if name.startswith("golden/"):
        return golden()[name]
    return read_case(nos, HERE.parent / "nos" / nos.name / name.removeprefix("read/"))[0]


def read_back(nos: Nos, device: Device, printed: RenderedFiles) -> Device:
    """The device of printed files."""
    files = []
    for name, text in printed.files.items():
        try:
            source = nos.by_source[identify(name, text, only=nos.name).source]
        except RoceLintError:  # a part without a heading, or one that nothing reads
            source = next((each for each in nos.sources if each.base), None)
            if source is None:
                continue
        files.append(IdentifiedFile(SourceFile.of(name, text), source))
    return read_device(nos, device.hostname, files)


def differences(before: Device, after: Device) -> Iterator[Difference]:
    """Stated fields that are lost or changed, and ports that treat a DSCP in another way."""
    for field in ("hostname", "asn", "forwards", "lldp"):
        if getattr(before, field, None) is not None and (before.at.get(field, 0) > 0):
            yield from _differs("", field, getattr(before, field), getattr(after, field))
    for name, port in before.interfaces.items():
        other = after.interfaces.get(name)
        if other is None:
            if _states_anything(port) and port.kind is not InterfaceKind.BREAKOUT_PARENT:
                yield Difference(name, "port", "there", "missing")
            continue
        yield from _port(before, port, after, other)
    if before.routing is not None:
        for key, session in before.routing.sessions.items():
            again = after.routing.sessions.get(key) if after.routing is not None else None
            yield from _differs("session", key, session.asn, again.asn if again else None)
        for field in ("max_paths", "router_id", "connected"):
            if before.routing.at.get(field, 0) > 0:
                theirs = getattr(after.routing, field) if after.routing else None
                yield from _differs("routing", field, getattr(before.routing, field), theirs)
    yield from _differs("", "balancing", _plain(before.balancing), _plain(after.balancing))


def _states_anything(port: Interface) -> bool:
    stated = any(place > 0 for field, place in port.at.items() if field != "")
    return stated or port.qos is not None


def _port(before: Device, port: Interface, after: Device, other: Interface) -> Iterator[Difference]:
    for field in PORT_FIELDS:
        if port.stated(field):
            yield from _differs(port.name, field, getattr(port, field), getattr(other, field))
    if port.qos is None:
        return
    if other.qos is None:
        yield Difference(port.name, "qos", "there", "missing")
        return
    for field in ("trust", "watchdog", "pfc"):
        mine, theirs = (_plain(getattr(each.qos, field)) for each in (port, other))
        yield from _differs(port.name, field, mine, theirs)
    for dscp in range(64):
        lost = list(_differs(port.name, f"DSCP {dscp}", _treated(before, port, dscp),
                             _treated(after, other, dscp)))  # fmt: skip
        yield from lost
        if lost:
            break


def _treated(device: Device, port: Interface, dscp: int) -> dict[str, Any]:
    found = treatment(device, port, dscp)
    into, out = found.ingress, found.egress
    marking, turn = out.marking, out.scheduler
    stopped = out.stopped_by
    return {
        "lossless": into.lossless,
        "priority": into.priority,
        # A design leaves open whether the queues of lossy classes stop.
        "stopped": sorted(stopped) if stopped is not None and into.lossless else None,
        "ecn": out.marks,
        "kmin": str(marking.kmin) if marking and marking.kmin else None,
        "kmax": str(marking.kmax) if marking and marking.kmax else None,
        "pmax": marking.pmax_percent if marking else None,
        "served": str(turn.kind) if turn and turn.kind else None,
        "share": turn.share if turn else None,
        "rewrite": found.rewrite,
    }


def _differs(place: str, field: str, before: Any, after: Any) -> Iterator[Difference]:
    """Values of `before` that `after` lacks."""
    if isinstance(before, dict):
        after = after or {}
        lost = {k: v for k, v in before.items() if v is not None and v != after.get(k)}
        if lost:
            yield Difference(place, field, lost, {key: after.get(key) for key in lost})
    elif isinstance(before, frozenset) and field == "forwards" and before <= (after or set()):
        return
    elif before is not None and before != after:
        yield Difference(place, field, before, after)


def _plain(item: Any) -> Any:
    """An object of the model as its known fields."""
    if not is_dataclass(item):
        return item
    skipped = {"src", "at", "named"}
    values = {e.name: getattr(item, e.name) for e in fields(item) if e.name not in skipped}
    return {name: _plain(value) for name, value in values.items() if value is not None}


def run(nos: Nos, name: str) -> tuple[RenderedFiles, list[str]]:
    """Printed files of a case, and everything that is lost without being reported as left out."""
    device = device_of(nos, name)
    printed = render(nos, RenderRequest(device, header=("made by a test",)))
    if not printed.files:
        return printed, ["nothing is printed"]
    after = read_back(nos, device, printed)
    found = [
        str(each)
        for each in differences(device, after)
        if not any(_is_about(reason, each) for reason in printed.left)
    ]
    if not printed.left:
        found += [f"note: {n.message}" for n in after.notes if n.kind in BAD_NOTES]
    return printed, found


def _is_about(reason: str, lost: Difference) -> bool:
    """Whether a reason names the place of a difference, or its field."""
    words = reason.replace(",", " ").replace(":", " ").split()
    return (lost.place in words if lost.place else False) or lost.field in words


def exceptions(nos: str) -> dict[str, str]:
    """Reviewed differences of a system: patterns of `CASE DIFFERENCE` with their reasons."""
    path = HERE / f"{nos}.txt"
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    pairs = (line.split(" # ", 1) for line in lines if line.strip())
    return {text.strip(): reason.strip() for text, reason in pairs}


def main() -> None:
    """Report the cases of one system."""
    nos = all_nos()[sys.argv[1]]
    part = sys.argv[sys.argv.index("--case") + 1] if "--case" in sys.argv else ""
    bad = 0
    for name in names(nos.name):
        if part not in name:
            continue
        printed, found = run(nos, name)
        if "--show" in sys.argv:
            for path, text in printed.files.items():
                print(f"--- {path}\n{text}")
        bad += bool(found)
        print("==", name, f"{len(found)} differences" if found else "ok")
        for each in found[:12]:
            print("  ", each[:240])
        for each in printed.left[:12]:
            print("   left:", each[:200])
    print("bad", bad)


if __name__ == "__main__":
    main()

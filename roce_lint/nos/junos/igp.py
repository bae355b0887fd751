"""OSPF and IS-IS: on which interfaces they look for neighbours."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.model.interface import ISIS, OSPF, Interface
from roce_lint.nos.igp import protocols
from roce_lint.nos.junos import defaults
from roce_lint.nos.junos.context import Context
from roce_lint.nos.reading import ABSENT, Value
from roce_lint.nos.statements import Branch


def add_protocols(context: Context, interfaces: dict[str, Interface]) -> None:
    """Note at every interface which of the two runs on it; members have their channel's."""
    absent: Value[bool] = ABSENT
    found: dict[str, dict[str, Value[bool]]] = {}
    unpadded: dict[str, Value[bool]] = {}
    for protocol, name, branch in _statements(context.top.get("protocols")):
        branch.take_all()
        if "passive" in branch or "disable" in branch:
            continue
        found.setdefault(name, {})[protocol] = Value(True, branch.begin)
        if branch.text("hello-padding").value == "disable":
            unpadded[name] = Value(True, branch.get("hello-padding").begin)
    if not found:
        return
    by_name = {alias: port for port in interfaces.values() for alias in (port.name, *port.aliases)}
    for name, own in found.items():
        port = by_name.get(name)
        if port is None:
            continue
        for made in (port, *(interfaces[member] for member in port.members)):
            running = protocols(ospf=own.get(OSPF, absent), isis=own.get(ISIS, absent))
            made.igp, made.at["igp"] = running.value or (), running.position
            if ISIS in own:
                short = unpadded.get(name, context.reading.default(defaults.SHORT_HELLOS))
                made.igp_any_mtu, made.at["igp_any_mtu"] = (ISIS,), short.position


def _statements(stated: Branch) -> Iterator[tuple[str, str, Branch]]:
    """Protocol, interface and what is stated of both."""
    for _, area in stated.get("ospf", "area").pairs():
        for name, branch in area.get("interface").pairs():
            yield OSPF, name, branch
    for name, branch in stated.get("isis", "interface").pairs():
        yield ISIS, name, branch

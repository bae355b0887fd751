"""Dynamic load balancing: whether packets take the equal-cost port that is least loaded."""

from __future__ import annotations

from roce_lint.model.device import Device
from roce_lint.model.interface import InterfaceKind
from roce_lint.model.routing import Balancing, Spread
from roce_lint.nos.junos.context import Context
from roce_lint.nos.reading import Value

MODES = {
    "flowlet": Spread.FLOWLET,
    "per-packet": Spread.PACKET,
    "assigned-flow": Spread.FLOW,
}


def balance(context: Context, device: Device) -> None:
    """Note what `ecmp-dlb` does, and at every routed port; without a mode it does nothing."""
    stated = context.top.get("forwarding-options", "enhanced-hash-key", "ecmp-dlb")
    if not stated:
        return
    stated.take_all()
    word = next((word for word in MODES if word in stated), "")
    mode = stated.get(word)
    begin = mode.begin or stated.begin
    if not mode:
        context.bad("ecmp-dlb has no mode (flowlet, per-packet) and does nothing", stated.begin)
    else:
        device.balancing = context.reading.build(Balancing, begin, spread=Value(MODES[word], begin))
    for port in device.interfaces.values():
        if port.routed and port.kind is InterfaceKind.PHYSICAL and not port.idle:
            port.adaptive_routing = bool(mode)
            port.at["adaptive_routing"] = begin

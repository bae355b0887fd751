"""Dynamic load balancing: whether packets take the equal-cost port that is least loaded."""

from __future__ import annotations

from roce_lint.model.interface import Interface, InterfaceKind
from roce_lint.nos.junos.context import Context

MODES = ("flowlet", "per-packet", "assigned-flow")


def balance(context: Context, interfaces: dict[str, Interface]) -> None:
    """Note at every routed port what `ecmp-dlb` does; without a mode it does nothing."""
    stated = context.top.get("forwarding-options", "enhanced-hash-key", "ecmp-dlb")
    if not stated:
        return
    stated.take_all()
    mode = next((stated.get(word) for word in MODES if word in stated), None)
    if mode is None:
        context.bad("ecmp-dlb has no mode (flowlet, per-packet) and does nothing", stated.begin)
    for port in interfaces.values():
        if port.routed and port.kind is InterfaceKind.PHYSICAL and not port.idle:
            port.adaptive_routing = mode is not None
            port.at["adaptive_routing"] = stated.begin if mode is None else mode.begin

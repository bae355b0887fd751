"""Fields of the model that the statements of NX-OS say."""

from __future__ import annotations

from roce_lint.model.device import Device
from roce_lint.model.interface import Interface
from roce_lint.model.qos import (
    Classifier,
    EgressPolicy,
    Forwarding,
    Marking,
    PfcConfig,
    PfcWatchdog,
    PortQos,
    QosObjects,
    Queue,
    Scheduler,
    SystemQos,
)
from roce_lint.model.routing import Balancing, BgpSession, Routing
from roce_lint.nos.omissions import Fields

TOLD: Fields = {
    Device: frozenset({"asn"}),
    Routing: frozenset({"max_paths"}),
    Balancing: frozenset({"seed", "l4_ports"}),
    BgpSession: frozenset({"asn", "own_as_allowed", "sends_communities"}),
    SystemQos: frozenset(),
    QosObjects: frozenset(),
    Interface: frozenset(
        {"description", "enabled", "ip_mtu", "addresses", "vrf", "lag", "routed", "speed_gbps"}
        | {"autoneg", "fec"}
    ),
    PortQos: frozenset({"trust", "default_pcp", "default_tc"}),
    PfcConfig: frozenset(
        {"mode", "generate", "honour", "advertises", "link_pause_rx", "link_pause_tx"}
    ),
    PfcWatchdog: frozenset({"enabled", "action", "polling_ms"}),
    Classifier: frozenset({"dscp_to_tc", "pcp_to_tc", "matches"}),
    Forwarding: frozenset(
        {"tc_to_queue", "tc_to_pg", "tc_to_pfc_priority", "pfc_priority_to_queue"}
        | {"pfc_priority_to_pg", "tc_mtu", "tc_mtu_limits"}
    ),
    EgressPolicy: frozenset(),
    Queue: frozenset(),
    Scheduler: frozenset({"kind", "strict_level", "share", "share_of"}),
    Marking: frozenset({"ecn", "wred_drop", "kmin", "kmax", "pmax_percent", "averaged_over"}),
}

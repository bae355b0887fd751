"""Fields of the model that the statements of EOS say."""

from __future__ import annotations

from roce_lint.model.buffer import BufferPool
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
    Rewrite,
    Scheduler,
    SystemQos,
)
from roce_lint.model.routing import BgpSession, Routing
from roce_lint.nos.omissions import Fields

WATCHDOG = frozenset({"enabled", "action", "polling_ms", "detection_ms", "restoration_ms"})

TOLD: Fields = {
    Device: frozenset({"asn"}),
    Routing: frozenset({"max_paths"}),
    BgpSession: frozenset({"asn", "own_as_allowed", "sends_communities"}),
    BufferPool: frozenset({"name", "direction", "headroom_bytes", "headroom_cells"}),
    SystemQos: frozenset({"pfc_killed", "allow_non_ect"}),
    QosObjects: frozenset(),
    Interface: frozenset(
        {"description", "enabled", "ip_mtu", "frame_mtu", "addresses", "vrf", "lag", "routed"}
        | {"untagged_vlan", "tagged_vlans", "speed_gbps", "autoneg", "fec"}
    ),
    PortQos: frozenset({"trust", "default_pcp", "default_tc", "rewrite"}),
    PfcConfig: frozenset({"mode", "generate", "honour", "dcbx", "link_pause_rx", "link_pause_tx"}),
    PfcWatchdog: WATCHDOG,
    Classifier: frozenset({"dscp_to_tc", "pcp_to_tc"}),
    Forwarding: frozenset({"tc_to_queue", "pfc_priority_to_queue"}),
    EgressPolicy: frozenset({"shape_bps", "shape_percent"}),
    Queue: frozenset(),
    Scheduler: frozenset(
        {"kind", "share", "share_of", "shape_bps", "shape_percent"}
        | {"guaranteed_bps", "guaranteed_percent"}
    ),
    Marking: frozenset({"ecn", "wred_drop", "kmin", "kmax", "pmax_percent", "averaged_over"}),
    Rewrite: frozenset({"tc_to_dscp", "active"}),
}

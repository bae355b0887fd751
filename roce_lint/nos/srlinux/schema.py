"""Supported parts of the SR Linux model: containers, lists and values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True)
class Leaf:
    """A word with one value, or with several in brackets."""


@dataclass(frozen=True)
class Container:
    """A word above others."""

    words: Mapping[str, Entry] = field(default_factory=dict)


@dataclass(frozen=True)
class ListNode:
    """A list with entries identified by `keys`, the first of which is written without its name."""

    keys: tuple[str, ...]
    words: Mapping[str, Entry] = field(default_factory=dict)


@dataclass(frozen=True)
class IgnoredNode:
    """A known word without effect on RoCE, with everything below it."""


Entry: TypeAlias = Leaf | Container | ListNode | IgnoredNode

VALUE = Leaf()
BESIDE = IgnoredNode()


def _leaves(*names: str) -> dict[str, Entry]:
    return dict.fromkeys(names, VALUE)


def _ignored_entries(*names: str) -> dict[str, Entry]:
    return dict.fromkeys(names, BESIDE)


_ADDRESSES = Container(
    {
        **_leaves("admin-state"),
        "address": ListNode(("ip-prefix",), _ignored_entries("primary", "type", "anycast-gw")),
        **_ignored_entries(
            "unnumbered", "dhcp-client", "dhcp-relay", "arp", "vrrp", "router-advertisement"
        ),
        **_ignored_entries("neighbor-discovery", "allow-directed-broadcast", "dhcp-server"),
        **_ignored_entries("learn-unsolicited"),
    }
)

_END = Container(
    {
        **_leaves("prefix", "address", "mask", "prefix-list", "operator", "value", "port-list"),
        "range": Container(_leaves("start", "end")),
    }
)
_MATCH = {
    **_leaves("protocol", "next-header", "dscp-set", "fragment", "first-fragment", "tcp-flags"),
    **_leaves("icmp", "icmp6", "vlan", "ethertype", "source-mac", "destination-mac"),
    **dict.fromkeys(("source-ip", "destination-ip", "source-port", "destination-port"), _END),
}
_ACTION = _leaves("log", "collect-stats", "rate-limit", "forward", "forwarding-class", "profile")
_ENTRIES = {
    **_ignored_entries("description", "statistics-per-entry", "subinterface-specific"),
    "entry": ListNode(
        ("sequence-id",),
        {
            **_ignored_entries("description"),
            "match": Container(
                {
                    **_MATCH,
                    **dict.fromkeys(("ipv4", "ipv6", "transport", "l2"), Container(_MATCH)),
                }
            ),
            "action": Container(
                {**_ACTION, **dict.fromkeys(("drop", "accept"), Container(_ACTION))}
            ),
        },
    ),
}
"""Words of a filter, in the forms before and since release 24.3."""

_BOUND = Container({"acl-filter": ListNode(("name", "type"))})
_BELOW = Container(_leaves("ipv4-filter", "ipv6-filter", "mac-filter"))

_ACL = Container(
    {
        "acl-filter": ListNode(("name", "type"), _ENTRIES),
        "ipv4-filter": ListNode(("name",), _ENTRIES),
        "ipv6-filter": ListNode(("name",), _ENTRIES),
        "interface": ListNode(
            ("interface-id",),
            {
                "interface-ref": Container(_leaves("interface", "subinterface")),
                "input": _BOUND,
                "output": _BOUND,
            },
        ),
        **_ignored_entries("cpm-filter", "capture-filter", "system-filter", "policers"),
        **_ignored_entries("match-list", "tcam-profile", "egress-mac-filtering", "mac-filter"),
    }
)

_SUBINTERFACE = ListNode(
    ("index",),
    {
        **_leaves("admin-state", "description", "type", "ip-mtu", "l2-mtu"),
        "ipv4": _ADDRESSES,
        "ipv6": _ADDRESSES,
        "acl": Container(dict.fromkeys(("input", "output"), _BELOW)),
        "vlan": Container(
            {
                "encap": Container(
                    {
                        "single-tagged": Container(_leaves("vlan-id")),
                        **_ignored_entries("untagged", "single-tagged-range"),
                    }
                ),
                **_ignored_entries("vlan-discovery"),
            }
        ),
        **_ignored_entries("bridge-table", "anycast-gw", "ra-guard", "local-mirror-destination"),
        **_ignored_entries("mpls-mtu", "ip-mtu-df", "unidirectional-link-delay", "evpn"),
    },
)

_INTERFACE = ListNode(
    ("name",),
    {
        **_leaves("admin-state", "description", "mtu", "vlan-tagging"),
        "ethernet": Container(
            {
                **_leaves("aggregate-id", "port-speed", "auto-negotiate"),
                "flow-control": Container(_leaves("receive", "transmit")),
                "forward-error-correction": Container(_leaves("fec-option")),
                **_ignored_entries(
                    "lacp-port-priority", "standby-signaling", "hold-time", "storm-control"
                ),
                **_ignored_entries(
                    "reload-delay", "synce", "crc-monitor", "symbol-monitor", "duplex-mode"
                ),
                **_ignored_entries(
                    "dac-link-training", "l2cp-transparency", "mac-address", "link-loss"
                ),
            }
        ),
        "subinterface": _SUBINTERFACE,
        **_ignored_entries("lag", "breakout-mode", "transceiver", "sflow", "tpid", "p4rt"),
        **_ignored_entries("port-num", "linecard", "ptp", "traffic-rate", "forwarding-complex"),
    },
)

_SLOPE = ListNode(
    ("traffic-type", "drop-probability", "enable-ecn"),
    _leaves(
        "min-threshold",
        "max-threshold",
        "min-threshold-percent",
        "max-threshold-percent",
        "slope-enabled",
        "max-drop-probability-percent",
    ),
)

_QOS = Container(
    {
        "classifiers": Container(
            {
                "dscp-policy": ListNode(
                    ("name",),
                    {"dscp": ListNode(("dscp",), _leaves("forwarding-class", "drop-probability"))},
                ),
                **_ignored_entries("vxlan-default", "dot1p-policy", "mpls-traffic-class-policy"),
            }
        ),
        "forwarding-classes": Container(
            {
                "forwarding-class": ListNode(
                    ("name",),
                    {
                        "output": Container(
                            {
                                **_leaves("unicast-queue", "multicast-queue", "queue"),
                            }
                        ),
                        **_leaves("forwarding-class-index"),
                    },
                )
            }
        ),
        "queues": Container(
            {
                "queue": ListNode(("name",), _leaves("queue-index")),
                "pfc-queue": ListNode(("name",), _leaves("queue-index")),
                **_ignored_entries("multicast-queue"),
            }
        ),
        "pfc-mapping-profile": ListNode(
            ("name",),
            {
                "received-traffic": Container(
                    {
                        "unicast-mapping": Container(
                            {
                                "pfc-queue": ListNode(
                                    ("name",),
                                    _leaves(
                                        "forwarding-class", "dot1p", "pfc-pause-frame-priority"
                                    ),
                                )
                            }
                        )
                    }
                ),
                "received-pfc-pause-frames": Container(
                    {
                        "queue": ListNode(
                            ("name",), _leaves("pfc-pause-frame-priority", "enable-pfc")
                        ),
                        "deadlock": Container(
                            _leaves("enable", "detection-timer", "recovery-timer")
                        ),
                    }
                ),
            },
        ),
        "buffer-management": Container(
            {
                "buffer-allocation-profile": ListNode(
                    ("name",),
                    {
                        "queues": Container(
                            {
                                "pfc-queue": ListNode(
                                    ("name",),
                                    {
                                        **_leaves("maximum-burst-size", "committed-burst-size"),
                                        **_ignored_entries(
                                            "maximum-pfc-reserved-share-percentage",
                                            "maximum-pfc-reserved-share-bytes",
                                            "pfc-on-threshold",
                                            "pfc-off-threshold",
                                            "use-dynamic-allocation",
                                        ),
                                    },
                                ),
                                **_ignored_entries("queue"),
                            }
                        )
                    },
                ),
                "queue-management-profile": ListNode(
                    ("name",),
                    {
                        "wred": Container({"wred-slope": _SLOPE}),
                        **_ignored_entries("weight-factor"),
                    },
                ),
            }
        ),
        "interfaces": Container(
            {
                "interface": ListNode(
                    ("interface-id",),
                    {
                        "interface-ref": Container(_leaves("interface", "subinterface")),
                        "pfc": Container(_leaves("pfc-mapping-profile", "pfc-enable")),
                        "input": Container(
                            {
                                "classifiers": Container(_leaves("dscp-policy")),
                                **_leaves("pfc-buffer-allocation-profile"),
                            }
                        ),
                        "output": Container(
                            {
                                "queues": Container(
                                    {
                                        "queue": ListNode(
                                            ("queue-name",), _leaves("queue-management-profile")
                                        )
                                    }
                                ),
                                **_ignored_entries(
                                    "buffer-allocation-profile", "scheduler", "rewrite-rules"
                                ),
                            }
                        ),
                    },
                )
            }
        ),
        **_ignored_entries("linecard", "explicit-congestion-notification", "scheduler-policies"),
        **_ignored_entries("rewrite-rules", "policer-templates", "queue-templates", "policers"),
    }
)

SCHEMA = Container(
    {
        "interface": _INTERFACE,
        "qos": _QOS,
        "acl": _ACL,
        "network-instance": ListNode(
            ("name",),
            {
                "interface": ListNode(("name",)),
                "vxlan-interface": ListNode(("name",)),
                "type": VALUE,
                **_ignored_entries("description", "admin-state", "protocols", "bridge-table"),
            },
        ),
        "tunnel-interface": ListNode(
            ("name",),
            {
                "vxlan-interface": ListNode(
                    ("index",),
                    {
                        "ingress": Container(_leaves("vni")),
                        **_ignored_entries("type", "egress", "bridge-table"),
                    },
                )
            },
        ),
        "system": Container(
            {
                "name": Container({**_leaves("host-name"), **_ignored_entries("domain-name")}),
                "mtu": Container(
                    {
                        **_leaves("default-port-mtu", "default-ip-mtu"),
                        **_ignored_entries("default-l2-mtu"),
                    }
                ),
            }
        ),
    }
)
"""Words that are read. Below `system` and at the top, unlisted words stay unclaimed."""
